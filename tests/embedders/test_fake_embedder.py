"""The embedder that other tests lean on."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from notewell.embedders.fake import FakeEmbedder
from notewell.errors import SemanticUnavailable


def test_texts_that_share_words_are_nearer() -> None:
    near, far, query = FakeEmbedder().embed_documents(["the disk failed", "bread and salt", "a disk failed again"])
    assert near @ query > 0.3 > abs(far @ query)


def test_han_texts_that_share_characters_are_nearer() -> None:
    near, far, query = FakeEmbedder().embed_documents(["美联储降息", "猫坐在垫子上", "降息预期"])
    assert near @ query > far @ query + 0.2


def test_synonyms_are_near_without_a_common_word() -> None:
    car, auto = FakeEmbedder(synonyms={"car": "auto"}).embed_documents(["car", "auto"])
    assert car @ auto == pytest.approx(1)


def test_every_text_has_a_row_of_length_one() -> None:
    rows = FakeEmbedder(dimension=8).embed_documents(["", "...", "\ud800", "x" * 100_000, "🎉"])
    assert rows.shape == (5, 8)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_another_process_gives_the_same_vectors() -> None:
    code = (
        "from notewell.embedders.fake import FakeEmbedder as F; print(F().embed_queries(['a b 降 c d e'])[0].tolist())"
    )
    found = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)]
    assert found[0] == found[1]


def test_calls_and_texts_are_counted_and_failures_come_on_demand() -> None:
    embedder = FakeEmbedder()
    embedder.fail(SemanticUnavailable("down"), times=2)
    for _ in range(2):
        with pytest.raises(SemanticUnavailable, match="down"):
            embedder.embed_documents(["a"])
    embedder.embed_documents(["a", "b"])
    embedder.embed_queries(["c"])
    assert (embedder.document_calls, embedder.query_calls, embedder.embedded) == (3, 1, ["a", "b", "c"])
