"""Embedding models in ONNX form: any folder with a tokenizer and a graph, or a published model by its name.

``onnx:/models/bge-base-en-v1.5`` and ``onnx:BAAI/bge-base-en-v1.5`` (768 numbers a text). It knows no model in
particular: ``onnx_folder.py`` reads what the folder says. onnxruntime, tokenizers and numpy load with the first text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from notewell.embedders.lazy import Lazy
from notewell.embedders.onnx_folder import SMALL_FILES, OnnxFolder, read_folder
from notewell.embedders.texts import TEXT_LIMIT_CHARS
from notewell.errors import SemanticUnavailable

if TYPE_CHECKING:
    from notewell.embedders.onnx_model import OnnxModel
    from notewell.services.ports import Vectors

_READING = 1
"""To raise when the same text gets another vector: by a prefix in ``prefixes.py``, a limit, a pooling."""

_INSTALL = "pip install 'notewell[onnx]'"
_FETCHED = ("model.onnx", "model.onnx_data", "onnx/model.onnx", "onnx/model.onnx_data")
"""The graph and, for large models, the file beside it; not the quantized twins, which would be fetched for nothing."""

_ASK_SECONDS = 10
"""To wait for the hub's first answer; a download that runs has no limit."""


class OnnxEmbedder:
    """An ``Embedder`` over one folder, which ``find`` gives when the first text comes."""

    document_limit_chars: Final = TEXT_LIMIT_CHARS

    def __init__(
        self, model_id: str, find: Callable[[], OnnxFolder], dimension: int | None = None, threads: int | None = None
    ) -> None:
        self.model_id: Final = model_id
        self._dimension = dimension
        self._model = Lazy(lambda: self._load(find, threads))

    @property
    def dimension(self) -> int | None:
        """See ``Embedder``."""
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        model = self._model.get()
        return model.embed(texts, model.folder.prefixes.document)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        model = self._model.get()
        return model.embed(texts, model.folder.prefixes.query)

    def _load(self, find: Callable[[], OnnxFolder], threads: int | None) -> OnnxModel:
        try:
            from notewell.embedders.onnx_model import OnnxModel  # noqa: PLC0415 (optional packages, 0.5 s)
        except ImportError as error:
            raise SemanticUnavailable(f"ONNX models need the package {error.name}. Install it: {_INSTALL}.") from error
        model = OnnxModel(find(), threads)
        self._dimension = model.dimension
        return model


def from_folder(path: Path, threads: int | None = None) -> OnnxEmbedder:
    """The model in a folder; its id follows the bytes, not the path. Raises ``SemanticUnavailable`` if a file lacks."""
    if not path.is_dir():
        raise SemanticUnavailable(
            f"NOTEWELL_EMBEDDER names a folder, {path.name!r}, which is not there. Check its path."
        )
    folder = read_folder(path, path.resolve().name)
    return OnnxEmbedder(
        f"onnx:{path.resolve().name};{folder.fingerprint};{_READING}", lambda: folder, folder.dimension, threads
    )


def from_hub(name: str, threads: int | None = None) -> OnnxEmbedder:
    """A published model, ``OWNER/NAME`` or ``OWNER/NAME@REVISION``, found or fetched with the first text.

    Its id is the name, since nothing is read yet: say the revision where the published weights may change.
    """
    return OnnxEmbedder(f"onnx:{name};{_READING}", lambda: _published(name), None, threads)


def _published(name: str) -> OnnxFolder:
    """From this machine's cache of the hub; only what is not there is downloaded."""
    try:
        import httpx2  # noqa: PLC0415 (the hub's client; its errors pass through)
        from huggingface_hub import snapshot_download  # noqa: PLC0415 (optional, and 0.3 s)
        from huggingface_hub.errors import EntryNotFoundError  # noqa: PLC0415
    except ImportError as error:
        raise SemanticUnavailable(f"Models by name need the package huggingface_hub: {_INSTALL}.") from error
    failures = (OSError, ValueError, RuntimeError, EntryNotFoundError, httpx2.HTTPError)
    repository, _, revision = name.partition("@")

    def snapshot(*, is_cached: bool) -> OnnxFolder:
        found = snapshot_download(
            repository,
            revision=revision or None,
            allow_patterns=[*SMALL_FILES, *_FETCHED],
            etag_timeout=_ASK_SECONDS,
            local_files_only=is_cached,
        )
        return read_folder(Path(found), repository)

    try:
        return snapshot(is_cached=True)
    except (*failures, SemanticUnavailable):
        pass  # not in the cache, or not all of it
    try:
        return snapshot(is_cached=False)
    except failures as error:
        raise SemanticUnavailable(
            f"The model {name} is not on this machine and could not be fetched ({type(error).__name__}). Put a folder "
            "with its tokenizer.json, config.json and model.onnx here and set NOTEWELL_EMBEDDER=onnx:FOLDER."
        ) from error
