"""Models in folders and by name, with a small BERT that the tests make."""

from __future__ import annotations

import builtins
import json
import shutil
from pathlib import Path
from typing import Any

import huggingface_hub
import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # it ships no types
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError
from tiny_bert import POSITIONS, WIDTH, Layout, write_tiny_bert
from tokenizers import Tokenizer

from notewell.embedders import onnx_folder
from notewell.embedders.hub import OnnxEmbedder, from_folder, from_hub
from notewell.embedders.onnx_folder import read_folder
from notewell.embedders.prefixes import Prefixes
from notewell.errors import SemanticUnavailable

TEXTS = ["disk failed", "a", "bread salt bread", "", "zzz:q"]
BGE_QUERY = "Represent this sentence for searching relevant passages: "


def folder(tmp_path: Path, layout: Layout | None = None, name: str = "model") -> Path:
    (tmp_path / name).mkdir(parents=True)
    return write_tiny_bert(tmp_path / name, layout)


def hidden_of(path: Path, text: str) -> Any:
    """The graph's own output for one text, run without any of our code."""
    tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
    ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
    session = onnxruntime.InferenceSession(str(path / "onnx/model.onnx"), providers=["CPUExecutionProvider"])
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    return session.run(None, inputs)[0][0]


def unit(vector: Any) -> Any:
    return pytest.approx(vector / np.linalg.norm(vector), abs=1e-5)


def test_vectors_are_the_mean_of_the_graphs_tokens(tmp_path: Path) -> None:
    path = folder(tmp_path)
    rows = from_folder(path).embed_documents(TEXTS)
    assert rows.shape == (len(TEXTS), WIDTH)
    for text, row in zip(TEXTS, rows, strict=True):
        assert row == unit(hidden_of(path, text).mean(axis=0))


def test_a_bge_model_takes_the_first_token_and_prefixes_queries_only(tmp_path: Path) -> None:
    path = folder(tmp_path, name="bge-base-en-v1.5")
    embedder = from_folder(path)
    assert embedder.embed_documents(["disk failed"])[0] == unit(hidden_of(path, "disk failed")[0])
    assert not np.allclose(embedder.embed_queries(["a"]), embedder.embed_documents(["a"]))
    assert np.array_equal(embedder.embed_queries(["a"]), embedder.embed_documents([BGE_QUERY + "a"]))


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode_max_tokens": True}, "max"),
        ({"pooling_mode_lasttoken": True}, "lasttoken"),
        ({"pooling_mode": "cls"}, "cls"),
    ],
)
def test_the_folders_own_pooling_wins(tmp_path: Path, pooling: dict[str, object], expected: str) -> None:
    path = folder(tmp_path, Layout(files={"1_Pooling/config.json": pooling}), name="bge-base-en")
    assert read_folder(path, "bge-base-en").pooling == expected


@pytest.mark.parametrize("pooling", [{"pooling_mode_weightedmean_tokens": True}, {"pooling_mode": ["cls", "mean"]}])
def test_a_pooling_of_another_kind_is_refused(tmp_path: Path, pooling: dict[str, object]) -> None:
    path = folder(tmp_path, Layout(files={"1_Pooling/config.json": pooling}))
    with pytest.raises(SemanticUnavailable, match="pooling that is not supported"):
        from_folder(path)


def test_the_folders_own_prompts_win(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "find: ", "document": "note: "}}
    path = folder(tmp_path, Layout(files={"config_sentence_transformers.json": prompts}), name="bge-base-en")
    assert read_folder(path, "bge-base-en").prefixes == ("find: ", "note: ")


@pytest.mark.parametrize(
    ("files", "tokens"),
    [
        ({}, POSITIONS),
        ({"sentence_bert_config.json": {"max_seq_length": 20}}, 20),
        ({"tokenizer_config.json": {"model_max_length": 10**30}}, POSITIONS),
        ({"config.json": {"model_type": "xlm-roberta", "max_position_embeddings": 514}}, 512),
        ({"config.json": {}}, 512),
        ({"config.json": {}, "tokenizer_config.json": {"model_max_length": 10**30}}, 512),
        ({"config.json": {"max_position_embeddings": 8_192}}, 2_048),
    ],
)
def test_the_length_is_the_least_that_the_files_state(tmp_path: Path, files: dict[str, Any], tokens: int) -> None:
    assert read_folder(folder(tmp_path, Layout(files=files)), "m").limit_tokens == tokens


def test_a_text_has_the_same_vector_alone_and_in_a_batch(tmp_path: Path) -> None:
    embedder = from_folder(folder(tmp_path))
    together = embedder.embed_documents(TEXTS * 40)
    alone = np.concatenate([embedder.embed_documents([each]) for each in TEXTS])
    assert np.abs(together - np.tile(alone, (40, 1))).max() < 1e-5


@pytest.mark.parametrize("text", ["\ufdfa" * 5_000, "\ud800", "\x00", "", "a" * (1 << 20), "😀" * 999, "降息 " * 9_999])
def test_no_text_harms_the_model(tmp_path: Path, text: str) -> None:
    rows = from_folder(folder(tmp_path)).embed_documents([text, "a"])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_a_tokenizer_that_gives_no_token_harms_nothing(tmp_path: Path) -> None:
    path = folder(tmp_path)
    tokenizer = json.loads((path / "tokenizer.json").read_text("utf-8"))
    (path / "tokenizer.json").write_text(json.dumps({**tokenizer, "post_processor": None}), "utf-8")
    assert np.isfinite(from_folder(path).embed_documents(["", "a"])).all()


def test_a_pooled_output_is_taken_as_it_is(tmp_path: Path) -> None:
    layout = Layout(
        output="sentence_embedding", files={"modules.json": [{"type": "sentence_transformers.models.Dense"}]}
    )
    rows = from_folder(folder(tmp_path, layout)).embed_documents(["a", "disk"])
    assert rows.shape == (2, WIDTH)


def test_a_step_that_would_be_left_out_is_refused(tmp_path: Path) -> None:
    modules = [{"type": f"sentence_transformers.models.{each}"} for each in ("Transformer", "Pooling", "Dense")]
    embedder = from_folder(folder(tmp_path, Layout(files={"modules.json": modules})))
    with pytest.raises(SemanticUnavailable, match=r"a step after pooling \(Dense"):
        embedder.embed_documents(["a"])


@pytest.mark.parametrize("inputs", [("input_ids", "attention_mask"), ("input_ids", "attention_mask", "position_ids")])
def test_a_graph_gets_the_inputs_that_it_names(tmp_path: Path, inputs: tuple[str, ...]) -> None:
    embedder = from_folder(folder(tmp_path, Layout(inputs=inputs)))
    assert embedder.embed_documents(["a"]).shape == (1, WIDTH)


def test_a_graph_that_wants_something_else_is_refused(tmp_path: Path) -> None:
    embedder = from_folder(folder(tmp_path, Layout(inputs=("input_ids", "attention_mask", "pixel_values"))))
    with pytest.raises(SemanticUnavailable, match=r"no text embedder: its inputs are .*pixel_values"):
        embedder.embed_documents(["a"])


def test_dimension_is_known_from_the_configuration_before_loading(tmp_path: Path) -> None:
    assert from_folder(folder(tmp_path)).dimension == WIDTH


def test_dimension_is_learned_where_the_configuration_is_silent(tmp_path: Path) -> None:
    embedder = from_folder(folder(tmp_path, Layout(files={"config.json": {}})))
    dimensions = [embedder.dimension]
    embedder.embed_queries(["a"])
    assert [*dimensions, embedder.dimension] == [None, WIDTH]
    assert embedder.embed_queries([]).shape == (0, WIDTH)


def test_the_id_follows_the_bytes_and_the_name_but_not_the_place(tmp_path: Path) -> None:
    one = folder(tmp_path)
    moved = shutil.copytree(one, tmp_path / "elsewhere" / "model")
    other_weights = folder(tmp_path / "w", Layout(seed=2))
    other_pooling = folder(tmp_path / "p", Layout(files={"1_Pooling/config.json": {"pooling_mode_cls_token": True}}))
    ids = [from_folder(each).model_id for each in (one, moved, other_weights, other_pooling)]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3
    assert ids[0].startswith("onnx:model;")


def test_the_id_follows_the_prefixes_that_a_name_is_known_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(tmp_path)
    before = from_folder(path).model_id
    monkeypatch.setattr(onnx_folder, "known_prefixes", lambda _: Prefixes("find: "))
    assert from_folder(path).model_id != before


@pytest.mark.parametrize(
    ("lost", "reason"),
    [("onnx/model.onnx", r"needs a file model\.onnx; its folder holds no"), ("tokenizer.json", "no usable tokenizer")],
)
def test_a_file_that_is_missing_is_named(tmp_path: Path, lost: str, reason: str) -> None:
    path = folder(tmp_path)
    (path / lost).unlink()
    with pytest.raises(SemanticUnavailable, match=reason):
        from_folder(path)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"model": {}}', '{"model": {"vocab": 3}}'])
def test_a_damaged_tokenizer_is_refused(tmp_path: Path, content: str) -> None:
    path = folder(tmp_path)
    (path / "tokenizer.json").write_text(content)
    with pytest.raises(SemanticUnavailable, match=r"tokenizer\.json"):
        from_folder(path)


@pytest.mark.parametrize("content", [b"", b"\x08\x09", b"x" * 5_000])
def test_a_damaged_graph_is_refused(tmp_path: Path, content: bytes) -> None:
    path = folder(tmp_path)
    (path / "onnx/model.onnx").write_bytes(content)
    with pytest.raises(SemanticUnavailable, match=r"onnxruntime .* cannot load the model"):
        from_folder(path).embed_documents(["a"])


def test_one_graph_of_another_name_is_found_and_two_are_not_guessed_between(tmp_path: Path) -> None:
    path = folder(tmp_path, Layout(onnx="bge.onnx"))
    assert read_folder(path, "m").onnx.name == "bge.onnx"
    shutil.copy(path / "bge.onnx", path / "other.onnx")
    with pytest.raises(SemanticUnavailable, match=r"its folder holds bge\.onnx, other\.onnx"):
        read_folder(path, "m")


def test_a_folder_that_is_not_there_is_named_without_its_parents(tmp_path: Path) -> None:
    with pytest.raises(SemanticUnavailable, match="names a folder, 'gone', which is not there") as error:
        from_folder(tmp_path / "gone")
    assert str(tmp_path) not in error.value.message


class Hub:
    """Stands for ``huggingface_hub.snapshot_download``: what the cache and the network hold."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cached: Path | None = None, online: Path | None = None) -> None:
        self.calls: list[tuple[str, str | None, bool]] = []
        self._found = {True: cached, False: online}
        monkeypatch.setattr(huggingface_hub, "snapshot_download", self)

    def __call__(self, name: str, *, revision: str | None, local_files_only: bool, **_: object) -> str:
        self.calls.append((name, revision, local_files_only))
        found = self._found[local_files_only]
        if found is None:
            raise LocalEntryNotFoundError("no connection")
        return str(found)


def test_a_published_model_in_the_cache_is_used_without_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder(tmp_path, name="0123abcd")  # the cache names folders by revision
    hub = Hub(monkeypatch, cached=path)
    embedder = from_hub("BAAI/bge-base-en-v1.5")
    assert (embedder.model_id, embedder.dimension, hub.calls) == ("onnx:BAAI/bge-base-en-v1.5;1", None, [])
    assert embedder.embed_documents(["disk"])[0] == unit(hidden_of(path, "disk")[0])
    assert hub.calls == [("BAAI/bge-base-en-v1.5", None, True)]


def test_a_published_model_is_fetched_where_the_cache_lacks_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    partial = folder(tmp_path, name="partial")
    (partial / "onnx/model.onnx").unlink()
    hub = Hub(monkeypatch, cached=partial, online=folder(tmp_path, name="whole"))
    assert from_hub("o/m@v2").embed_documents(["a"]).shape == (1, WIDTH)
    assert hub.calls == [("o/m", "v2", True), ("o/m", "v2", False)]


def test_without_cache_and_network_the_way_on_is_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    Hub(monkeypatch)
    with pytest.raises(SemanticUnavailable, match=r"could not be fetched .*NOTEWELL_EMBEDDER=onnx:FOLDER"):
        from_hub("BAAI/bge-base-en-v1.5").embed_queries(["a"])


def test_an_optional_package_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_hub(name: str, *rest: Any) -> Any:
        if name == "huggingface_hub":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_hub)
    with pytest.raises(SemanticUnavailable, match=r"huggingface_hub.*notewell\[onnx\]"):
        from_hub("o/m").embed_queries(["a"])


def test_a_model_that_failed_to_load_says_so_again(tmp_path: Path) -> None:
    path = folder(tmp_path)
    (path / "onnx/model.onnx").write_bytes(b"x")
    embedder: OnnxEmbedder = from_folder(path)
    messages = []
    for _ in range(2):
        with pytest.raises(SemanticUnavailable) as error:
            embedder.embed_queries(["a"])
        messages.append(json.dumps(error.value.as_dict()))
    assert messages[0] == messages[1]
