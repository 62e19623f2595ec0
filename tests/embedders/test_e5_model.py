"""The reader, the graph and the tokenizer of the default model, on a small file with random weights."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from tiny_e5 import BOS, EOS, HIDDEN, PIECES, POSITIONS, TinyE5, q4_rows, write_tiny_e5

from notewell.embedders import e5_graph
from notewell.embedders.e5_model import E5Model
from notewell.embedders.e5_weights import read_e5

TEXTS = ["a", "ab c", "降息", "", "c b a ab", "降 息 ab c a b c", "x", "Ａ ﷺ"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyE5:
    return write_tiny_e5(tmp_path_factory.mktemp("e5") / "tiny.bin")


@pytest.fixture(scope="module")
def model(tiny: TinyE5) -> E5Model:
    return E5Model(tiny.path, threads=1)


def test_the_reader_gives_every_tensor_back(tiny: TinyE5) -> None:
    _, weights = read_e5(tiny.path)
    for name, expected in tiny.tensors.items():
        if expected.ndim == 1:
            assert np.array_equal(weights.floats(name), expected), name
        else:
            everything = np.arange(len(expected))
            assert np.array_equal(weights.rows(name, expected.shape[1], everything), expected), name


def test_the_reader_gives_the_vocabulary_back(tiny: TinyE5) -> None:
    vocabulary, _ = read_e5(tiny.path)
    assert vocabulary.pieces == PIECES
    assert vocabulary.replacements == {ord("Ａ"): "a", ord("ﷺ"): "ab c"}


def test_packed_weights_hold_neighbours_in_one_byte(tmp_path: Path, tiny: TinyE5) -> None:
    _, weights = read_e5(tiny.path)
    name = "l1.fo.w"
    packed, scales = weights.packed(name, tiny.tensors[name].shape[1])
    low, high = packed & np.uint8(15), packed >> np.uint8(4)
    numbers = np.stack([low, high], axis=-1).reshape(*packed.shape[:2], 32).astype(np.float32) - 8
    assert np.array_equal((numbers * scales.reshape(*packed.shape[:2], 1)).reshape(HIDDEN, -1), tiny.tensors[name])


def test_the_blocks_of_the_test_file_are_close_to_their_weights() -> None:
    weights = np.linspace(-1, 1, 64, dtype=np.float32).reshape(2, 32)
    assert np.abs(q4_rows(weights)[1] - weights).max() < 0.08


def test_the_graph_computes_what_numpy_computes(tiny: TinyE5, model: E5Model) -> None:
    vectors = model.embed(TEXTS, "query: ")
    expected = np.stack([tiny.vector(model._tokenizer.ids("query: " + each)) for each in TEXTS])
    assert vectors.dtype == np.float32
    assert (vectors * expected).sum(axis=1).min() > 0.999


def test_the_graph_is_valid_onnx_without_weights(tiny: TinyE5) -> None:
    _, weights = read_e5(tiny.path)
    graph = onnx.load_model_from_string(e5_graph.build(weights.shape))
    names = {each.name for each in graph.graph.initializer}
    assert all(each.data_location == onnx.TensorProto.EXTERNAL for each in graph.graph.initializer)
    assert {"l0.q.w", "l0.q.w.scales", "l1.oln.b", "emb.ln.w"} <= names
    assert len(e5_graph.build(weights.shape)) < 40_000


def test_a_text_has_the_same_vector_alone_and_in_a_batch(model: E5Model) -> None:
    together = model.embed(TEXTS * 30, "query: ")
    alone = np.concatenate([model.embed([each], "query: ") for each in TEXTS])
    assert np.abs(together - np.tile(alone, (30, 1))).max() < 1e-5


def test_threads_get_the_vectors_of_their_own_texts(model: E5Model) -> None:
    expected = model.embed(TEXTS, "query: ")
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda text: model.embed([text], "query: ")[0], TEXTS * 10))
    assert np.abs(np.stack(found) - np.tile(expected, (10, 1))).max() < 1e-5


def test_tokens_are_bounded_and_framed(model: E5Model) -> None:
    ids = model._tokenizer.ids("a " * 500)
    assert len(ids) == POSITIONS
    assert (ids[0], ids[-1]) == (BOS, EOS)


def test_a_control_piece_in_a_text_is_only_text(model: E5Model) -> None:
    assert model._tokenizer.ids("a</s>b")[1:-1].count(EOS) == 0


def test_no_text_gives_no_row(model: E5Model) -> None:
    assert model.embed([], "query: ").shape == (0, HIDDEN)
