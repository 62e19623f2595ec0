"""Embeddings from a server that speaks OpenAI's ``POST /embeddings``: Ollama, vLLM, TEI, llama.cpp, OpenAI and others.

It batches, waits and tries again, and believes no answer unchecked. It knows no model. The key stands in one header and
in no message: what a server says is quoted with the key cut out.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import httpx2

from notewell.embedders.http_answer import Refusal, message, parse_vectors, quoted, refusal, retry_after_seconds
from notewell.embedders.prefixes import Prefixes, known_prefixes
from notewell.embedders.texts import TEXT_LIMIT_CHARS, safe_text
from notewell.errors import InvalidArgument, SemanticUnavailable

if TYPE_CHECKING:
    from notewell.services.ports import Vectors

_WAITS_SECONDS = (0.5, 1, 2, 4)
"""Between the tries; the server's own Retry-After is kept where it is longer."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Bounds of one embedder's calls."""

    batch_texts: int = 32
    """What TEI accepts unless told otherwise, the least of the servers known."""
    batch_chars: int = 48_000
    text_chars: int = TEXT_LIMIT_CHARS
    answer_bytes: int = 32 * 1024 * 1024
    """32 texts of 4,096 numbers, 22 characters each, are 3 MB."""
    connect_seconds: float = 5
    read_seconds: float = 30
    """Longest silence of the server."""
    documents_seconds: float = 120
    """For one batch with all its tries; a job tries again later."""
    query_seconds: float = 15
    """The same where somebody waits for a search."""


@dataclass(frozen=True, slots=True)
class HttpServer:
    """Which server, which model, and what it wants."""

    url: str
    """Up to ``/embeddings``, which is added unless it is there: ``http://127.0.0.1:11434/v1``."""
    model: str
    key: str | None = field(default=None, repr=False)
    prefixes: Prefixes | None = None
    """None: those that the model's name is known for."""
    dimension: int | None = None
    """What every vector must have; None: what the first one has."""
    limits: HttpLimits = HttpLimits()


class HttpEmbedder:
    """An ``Embedder`` over one server. Connections are kept and shared between threads."""

    def __init__(
        self,
        server: HttpServer,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Nothing is asked yet. Raises ``InvalidArgument`` for an address, model or key that cannot be used."""
        self._url = _endpoint(server.url)
        self._server = server
        self._limits = server.limits
        self._prefixes = known_prefixes(server.model) if server.prefixes is None else server.prefixes
        self._clock = clock
        self._sleep = sleep
        self._dimension = server.dimension
        self._learning = threading.Lock()
        if not server.model.strip():
            raise InvalidArgument("An embedding server needs the name of a model: set NOTEWELL_EMBEDDER_MODEL.")
        self._headers = _headers(server.key)

    @property
    def model_id(self) -> str:
        """The server is part of it: the same name elsewhere may be other weights."""
        settings = "\0".join([*self._prefixes, str(self._limits.text_chars)])
        digest = hashlib.sha256(settings.encode()).hexdigest()[:8]
        return f"http:{_shown(self._url)};{self._server.model};{digest}"

    @property
    def dimension(self) -> int | None:
        """See ``Embedder``."""
        return self._dimension

    @property
    def document_limit_chars(self) -> int:
        """See ``Embedder``."""
        return self._limits.text_chars

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts, self._prefixes.document, self._limits.documents_seconds)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        return self._embed(texts, self._prefixes.query, self._limits.query_seconds)

    @cached_property
    def _client(self) -> httpx2.Client:
        """Made with the first call: reading the certificates takes 0.1 s."""
        return httpx2.Client(headers=self._headers)

    def close(self) -> None:
        """Ends the kept connections; the embedder is not used after."""
        self._client.close()

    def _embed(self, texts: Sequence[str], prefix: str, seconds: float) -> Vectors:
        import numpy as np  # noqa: PLC0415 (only here, and not before the first answer is due)

        # Some servers refuse an empty text; every one takes a space.
        ready = [(prefix + safe_text(each, self._limits.text_chars)) or " " for each in texts]
        found = [self._vectors(batch, seconds) for batch in _batches(ready, self._limits)]
        return np.concatenate(found) if found else np.empty((0, self._dimension or 0), dtype=np.float32)

    def _vectors(self, texts: list[str], seconds: float) -> Vectors:
        vectors = parse_vectors(self._answer(texts, seconds), len(texts))
        with self._learning:
            self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise SemanticUnavailable(
                f"{self._named()} gave vectors of {vectors.shape[1]} numbers where {self._dimension} were expected. "
                "Has its model changed? Set NOTEWELL_EMBEDDER_MODEL and start again."
            )
        return vectors

    def _answer(self, texts: list[str], seconds: float) -> bytes:
        """The body of the first good answer, tried again while that may help and time is left."""
        deadline = self._clock() + seconds
        waits = iter(_WAITS_SECONDS)
        while isinstance(found := self._ask(texts, deadline), Refusal):
            wait = max(next(waits, math.inf), found.retry_after_seconds or 0)
            if not found.may_pass or self._clock() + wait > deadline:
                raise SemanticUnavailable(f"{self._named()} {found.reason}", **found.details())
            self._sleep(wait)
        return found

    def _ask(self, texts: list[str], deadline: float) -> bytes | Refusal:
        body = {"model": self._server.model, "input": texts, "encoding_format": "float"}
        silence = min(self._limits.read_seconds, max(deadline - self._clock(), 1))
        timeout = httpx2.Timeout(silence, connect=min(self._limits.connect_seconds, silence))
        try:
            with self._client.stream("POST", self._url.geturl(), json=body, timeout=timeout) as response:
                content = self._read(response, deadline)
        except httpx2.TransportError as error:
            why = quoted(str(error), self._server.key) or type(error).__name__
            return Refusal(f"could not be reached ({why}). Is it running?", may_pass=True)
        except httpx2.HTTPError as error:  # a body that is not compressed as it says
            return Refusal(f"gave an answer that cannot be read ({type(error).__name__}).", may_pass=False)
        if response.status_code == 200 or isinstance(content, Refusal):
            return content
        seconds = retry_after_seconds(response.headers.get("retry-after"), time.time())
        return refusal(response.status_code, quoted(message(content), self._server.key), seconds)

    def _read(self, response: httpx2.Response, deadline: float) -> bytes | Refusal:
        """The body, given up when it grows too long or comes too slowly: neither ends by itself."""
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > self._limits.answer_bytes:
                return Refusal(f"answered with more than {self._limits.answer_bytes} bytes.", may_pass=False)
            if self._clock() > deadline:
                return Refusal("did not finish its answer in time.", may_pass=True)
        return b"".join(parts)

    def _named(self) -> str:
        return f"The embedding server {_shown(self._url)}"


def _batches(texts: Sequence[str], limits: HttpLimits) -> Iterator[list[str]]:
    """The texts in order, in groups within both limits; a longer one comes alone."""
    batch: list[str] = []
    chars = 0
    for text in texts:
        if batch and (len(batch) == limits.batch_texts or chars + len(text) > limits.batch_chars):
            yield batch
            batch, chars = [], 0
        batch.append(text)
        chars += len(text)
    if batch:
        yield batch


def _endpoint(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        is_usable = parts.scheme in ("http", "https") and bool(httpx2.URL(parts.geturl()).host)
    except (ValueError, httpx2.InvalidURL):
        is_usable = False
    if not is_usable:
        raise InvalidArgument("The address of the embedding server must look like http://127.0.0.1:11434/v1.")
    if parts.username is not None:
        raise InvalidArgument("The address of the embedding server holds a name or key: use NOTEWELL_EMBEDDER_KEY.")
    path = parts.path.rstrip("/")
    return parts._replace(path=path if path.endswith("/embeddings") else f"{path}/embeddings", fragment="")


def _shown(url: SplitResult) -> str:
    """The address without its query, where some services want a key."""
    return url._replace(query="").geturl()


def _headers(key: str | None) -> dict[str, str]:
    if not key:
        return {}
    # Checked here: the client's own error for a bad header quotes it.
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise InvalidArgument("NOTEWELL_EMBEDDER_KEY must be printable ASCII without spaces or line breaks.")
    return {"Authorization": f"Bearer {key}"}
