"""From the setting ``NOTEWELL_EMBEDDER`` to an embedder, or to the reason why there is none.

It knows the kinds of embedders and their settings' spelling. Nothing heavy loads here: the chosen one loads with its
first text.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from notewell.embedders import local
from notewell.errors import InvalidArgument, SemanticUnavailable
from notewell.services.ports import EmbedderUnavailable

if TYPE_CHECKING:
    from notewell.services.ports import Embedder

_PUBLISHED = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*(@[\w.-]+)?")
"""OWNER/NAME, with a revision or without."""

_CHOICES = "local, none, onnx:FOLDER, onnx:OWNER/NAME or http:URL"


def from_setting(
    setting: str, model: str | None = None, key: str | None = None, threads: int | None = None
) -> Embedder | EmbedderUnavailable:
    """The embedder that ``setting`` names: ``local``, ``none``, ``onnx:FOLDER``, ``onnx:OWNER/NAME`` or ``http:URL``.

    ``model`` and ``key`` are for ``http:``, ``threads`` for models that run here. A model that cannot work for a reason
    visible now (a package or folder missing) is unavailable now; what only loading shows is raised with the first text.
    """
    kind, _, rest = setting.strip().partition(":")
    try:
        if kind == "local":
            return _local(threads)
        if kind == "none":
            return EmbedderUnavailable(
                "Search by meaning is switched off (NOTEWELL_EMBEDDER=none). Use keyword search."
            )
        if kind == "onnx" and rest:
            return _onnx(rest, threads)
        if kind in ("http", "https") and rest:
            return _http(f"{kind}:{rest}" if rest.startswith("//") else rest, model, key)
    except (SemanticUnavailable, InvalidArgument) as error:
        return EmbedderUnavailable(error.message)
    return EmbedderUnavailable(f"NOTEWELL_EMBEDDER is {setting!r}; it must be {_CHOICES}.")


def _local(threads: int | None) -> Embedder | EmbedderUnavailable:
    missing = local.missing_package()
    return local.LocalEmbedder(threads) if missing is None else EmbedderUnavailable(local.missing_reason(missing))


def _onnx(name: str, threads: int | None) -> Embedder:
    from notewell.embedders import hub  # noqa: PLC0415 (only for those who chose it)

    path = Path(name).expanduser()
    if path.is_dir() or not _PUBLISHED.fullmatch(name):
        return hub.from_folder(path, threads)
    return hub.from_hub(name, threads)


def _http(url: str, model: str | None, key: str | None) -> Embedder:
    from notewell.embedders import http  # noqa: PLC0415 (loads an HTTP client, 0.1 s)

    return http.HttpEmbedder(http.HttpServer(url, model or "", key))
