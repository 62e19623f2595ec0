"""What a folder with an ONNX embedding model says of itself: files, pooling, length, prefixes, and an id of its bytes.

It reads small files, and samples of large ones; it loads no model and no library. The layout is that of the hubs and of
sentence-transformers: ``tokenizer.json`` and ``config.json`` on top, ``model.onnx`` there or in ``onnx/``.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from notewell.embedders.prefixes import Prefixes, known_prefixes
from notewell.errors import SemanticUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from notewell.embedders.pooling import Pooling

ONNX_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx")
"""Tried in this order; else the only ``*.onnx`` of the folder. Hubs hold the second, fastembed's copies the third."""

SMALL_FILES = (
    "config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
)

_DEFAULT_TOKENS = 512
_MOST_TOKENS = 2_048
"""Memory grows with the square of a text's tokens, and 4,000 characters are all that is read of it."""

_POOLING_FLAGS: Mapping[str, Pooling] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
_PLAIN_MODULES = ("Transformer", "Pooling", "Normalize")

_SAMPLES = 64
_SAMPLE_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class OnnxFolder:
    """A model's folder, read."""

    path: Path
    onnx: Path
    pooling: Pooling
    limit_tokens: int
    pad_id: int
    prefixes: Prefixes
    dimension: int | None
    """Of a token's vector, as ``config.json`` says; None where it does not."""
    extra_module: str | None
    """A step after pooling that sentence-transformers would run and that is not ours to run (``Dense``)."""
    fingerprint: str
    """16 hexadecimal digits that change with the weights, the tokenizer, the pooling and the prefixes."""


def read_folder(path: Path, name: str) -> OnnxFolder:
    """The model in ``path``; ``name`` is what people call it, and decides what the files leave open.

    Raises ``SemanticUnavailable`` naming what is missing or cannot be read.
    """
    onnx = _onnx_file(path, name)
    if not _is_tokenizer(_json(path / "tokenizer.json")):
        raise SemanticUnavailable(
            f"The model {name} has no usable tokenizer.json. Copy it from where the model is from."
        )
    config = _json(path / "config.json")
    names = f"{name} {config.get('_name_or_path', '')}"
    hidden = config.get("hidden_size")
    pooling = _pooling(_json(path / "1_Pooling/config.json"), name, names)
    prefixes = _prefixes(_json(path / "config_sentence_transformers.json"), names)
    return OnnxFolder(
        path=path,
        onnx=onnx,
        pooling=pooling,
        limit_tokens=_limit_tokens(path, config),
        pad_id=_number(config.get("pad_token_id")) or 0,
        prefixes=prefixes,
        dimension=hidden if isinstance(hidden, int) else None,
        extra_module=_extra_module(path / "modules.json"),
        fingerprint=_fingerprint(path, onnx, "\0".join([pooling, *prefixes])),
    )


def _onnx_file(path: Path, name: str) -> Path:
    found = next((path / each for each in ONNX_FILES if (path / each).is_file()), None)
    if found is not None:
        return found
    others = sorted([*path.glob("*.onnx"), *path.glob("onnx/*.onnx")])
    if len(others) == 1:
        return others[0]
    names = ", ".join(each.name for each in others) or "no *.onnx file"
    raise SemanticUnavailable(
        f"The model {name} needs a file model.onnx; its folder holds {names}. Name one of them so."
    )


def _pooling(config: Mapping[str, object], name: str, names: str) -> Pooling:
    """The folder's own word; without one, CLS for BGE and the mean for others, as their cards say."""
    if not config:
        return "cls" if "bge" in names.lower() else "mean"
    chosen: list[object] = [pooling for flag, pooling in _POOLING_FLAGS.items() if config.get(flag)]
    chosen = chosen or [config.get("pooling_mode")]
    if len(chosen) == 1 and chosen[0] in _POOLING_FLAGS.values():
        return cast("Pooling", chosen[0])
    raise SemanticUnavailable(
        f"The model {name} asks for a pooling that is not supported here (1_Pooling/config.json). "
        f"Supported, one at a time: {', '.join(_POOLING_FLAGS.values())}."
    )


def _limit_tokens(path: Path, config: Mapping[str, object]) -> int:
    positions = _number(config.get("max_position_embeddings"))
    if positions and "roberta" in str(config.get("model_type", "")):
        positions -= 2  # RoBERTa counts positions from 2
    stated = (
        _number(_json(path / "sentence_bert_config.json").get("max_seq_length")),
        _number(_json(path / "tokenizer_config.json").get("model_max_length")),
        positions,
    )
    return min(_MOST_TOKENS, *(each for each in stated if each)) if any(stated) else _DEFAULT_TOKENS


def _prefixes(config: Mapping[str, object], names: str) -> Prefixes:
    prompts = config.get("prompts")
    if isinstance(prompts, dict) and any(isinstance(each, str) and each for each in prompts.values()):
        document = prompts.get("document") or prompts.get("passage") or ""
        return Prefixes(str(prompts.get("query") or ""), str(document))
    return known_prefixes(names)


def _extra_module(path: Path) -> str | None:
    """The last part of the type of the first module that is not a plain one; ``modules.json`` is a list of them."""
    modules = _parsed(path)
    types = (
        [str(each.get("type", "")) for each in modules if isinstance(each, dict)] if isinstance(modules, list) else []
    )
    names = [each.rpartition(".")[2] for each in types]
    return next((each for each in names if each not in _PLAIN_MODULES), None)


def _fingerprint(path: Path, onnx: Path, settings: str) -> str:
    """Small files whole; of the weights their size and 64 samples: hashing 400 MB would add a second to each start."""
    digest = hashlib.sha256(settings.encode())
    for name in SMALL_FILES:
        if (path / name).is_file():
            digest.update(f"{name}\0".encode() + (path / name).read_bytes())
    for file in sorted(onnx.parent.glob(f"{onnx.name}*")):
        size = file.stat().st_size
        digest.update(f"{file.name}\0{size}\0".encode())
        with file.open("rb") as weights:
            for sample in range(_SAMPLES):
                weights.seek(size * sample // _SAMPLES)
                digest.update(weights.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:16]


def _is_tokenizer(config: Mapping[str, object]) -> bool:
    """Looked at here because the tokenizers package raises a bare ``Exception`` for what it cannot read."""
    model = config.get("model")
    return isinstance(model, dict) and bool(model.get("vocab")) and isinstance(model["vocab"], dict | list)


def _json(path: Path) -> Mapping[str, object]:
    found = _parsed(path)
    return found if isinstance(found, dict) else {}


def _parsed(path: Path) -> object:
    """None for a file that is not there."""
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SemanticUnavailable(f"The model's file {path.name} cannot be read: {error}") from error


def _number(value: object) -> int | None:
    """A plausible count of tokens: some files say 10 to the 30th for "no limit"."""
    return value if isinstance(value, int) and 0 < value < 1_000_000 else None
