"""One onnxruntime session: a graph in, arrays through it, the library's errors turned into ours.

The only module that touches onnxruntime. It knows no model. Importing it loads onnxruntime and numpy (0.3 s), so import
it only when a model is about to load.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # it ships no types
from onnxruntime.capi import onnxruntime_pybind11_state  # type: ignore[import-untyped]

from notewell.errors import SemanticUnavailable

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from notewell.services.ports import Vectors

_ERRORS: tuple[type[Exception], ...] = tuple(
    found
    for found in vars(onnxruntime_pybind11_state).values()
    if isinstance(found, type) and issubclass(found, Exception)
)
"""The library's errors have no common root but ``Exception``, and their list grows with its versions."""

_DEFAULT_MAX_THREADS = 4
"""Without a setting, embedding leaves the rest of a larger machine to the server it runs beside."""

_SILENT = 4
"""onnxruntime's level for fatal messages only: it would print errors that we raise anyway."""


class OnnxSession:
    """A loaded graph. Several threads may ask; one run at a time answers."""

    def __init__(
        self, model: bytes | Path, weights: Mapping[str, NDArray[np.generic]] | None = None, threads: int | None = None
    ) -> None:
        """``weights`` fill the initializers that the graph names and does not hold.

        Raises ``SemanticUnavailable`` where onnxruntime cannot load the graph.
        """
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or default_threads()
        options.log_severity_level = _SILENT
        # Threads that spin between runs would take a whole core from the server.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Kept as long as the session: an OrtValue borrows the memory of its array.
        self._weights = {name: np.ascontiguousarray(each) for name, each in (weights or {}).items()}
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(each) for each in self._weights.values()]
        options.add_external_initializers(list(self._weights), values)
        source = model if isinstance(model, bytes) else str(model)
        try:
            self._session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
        except _ERRORS as error:
            raise SemanticUnavailable(
                f"onnxruntime {onnxruntime.__version__} cannot load the model: {_first_line(error)}"
            ) from error
        # Two runs would share the same cores; so a query waits for one batch of documents at most.
        self._running = threading.Lock()
        self.input_names: list[str] = [each.name for each in self._session.get_inputs()]
        self.output_shapes: dict[str, list[int | str]] = {
            each.name: list(each.shape) for each in self._session.get_outputs()
        }

    def run(self, output: str, inputs: Mapping[str, NDArray[np.generic]]) -> Vectors:
        """The named output as float32, of the rank that the graph gives it."""
        try:
            with self._running:
                (found,) = self._session.run([output], dict(inputs))
        except _ERRORS as error:
            raise SemanticUnavailable(f"The model failed on a text: {_first_line(error)}") from error
        return np.asarray(found, dtype=np.float32)


def default_threads() -> int:
    """Processors that this process may use, at most 4."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(allowed, _DEFAULT_MAX_THREADS)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
