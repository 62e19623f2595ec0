"""A folder with an embedding model of BERT's shape, made on the spot: one layer, 768 wide, random weights, 40 words.

It stands for BAAI/bge-base-en-v1.5 and its like, whose weights no package carries: same files, inputs and outputs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save_model
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, INNER, POSITIONS = 768, 64, 32
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *"abcdefghijklmnopqrstuvwxyz",
    "disk",
    "##s",
    "failed",
    "bread",
    "salt",
    ":",
]


@dataclass(frozen=True)
class Layout:
    """What differs between the folders that the tests make."""

    seed: int = 1
    inputs: tuple[str, ...] = ("input_ids", "attention_mask", "token_type_ids")
    output: str = "last_hidden_state"
    onnx: str = "onnx/model.onnx"
    files: dict[str, Any] = field(default_factory=dict)
    """More files, or other contents for ``config.json``, by path; as JSON."""


def write_tiny_bert(folder: Path, layout: Layout | None = None) -> Path:
    """The folder, filled."""
    layout = layout or Layout()
    config = {"model_type": "bert", "hidden_size": WIDTH, "max_position_embeddings": POSITIONS, "pad_token_id": 0}
    for name, content in {"config.json": config, **layout.files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content), "utf-8")
    _tokenizer().save(str(folder / "tokenizer.json"))
    (folder / layout.onnx).parent.mkdir(parents=True, exist_ok=True)
    save_model(_graph(layout), folder / layout.onnx)
    return folder


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(WordPiece({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


def _graph(layout: Layout) -> Any:
    """Embeddings, one head of attention, a feed-forward half, each added and normalized."""
    random = np.random.default_rng(layout.seed)
    weights: list[TensorProto] = []
    nodes = []

    def weight(name: str, *sizes: int) -> str:
        numbers = (random.standard_normal(sizes) * 0.3).astype(np.float32)
        weights.append(numpy_helper.from_array(numbers, name))
        return name

    def given(name: str, numbers: NDArray[Any] | np.generic) -> str:
        weights.append(numpy_helper.from_array(np.asarray(numbers), name))
        return name

    def add(kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def norm(left: str, right: str, output: str) -> str:
        scale = given(f"{output}.scale", np.ones(WIDTH, dtype=np.float32))
        return add("LayerNormalization", [add("Add", [left, right], f"{output}.sum"), scale], output)

    words = add("Gather", [weight("words", len(WORDS), WIDTH), "input_ids"], "embedded")
    length = add("Shape", ["input_ids"], "length", start=1, end=2)
    first, axis = given("first", np.array([0])), given("axis", np.array([1]))
    places = add("Slice", [weight("places", POSITIONS, WIDTH), first, length, first], "placed")
    hidden = norm(words, places, "input")
    query, key, value = (add("MatMul", [hidden, weight(f"{name}.w", WIDTH, INNER)], name) for name in "qkv")
    scores = add("MatMul", [query, add("Transpose", [key], "keys", perm=[0, 2, 1])], "scores")
    masked = add(
        "Sub", [add("Cast", ["attention_mask"], "kept", to=TensorProto.FLOAT), given("one", np.float32(1))], "m"
    )
    masked = add("Mul", [masked, given("big", np.float32(1e4))], "masked")
    scores = add("Add", [scores, add("Unsqueeze", [masked, axis], "mask")], "scored")
    heard = add("MatMul", [add("Softmax", [scores], "shares"), value], "heard")
    hidden = norm(add("MatMul", [heard, weight("out", INNER, WIDTH)], "attended"), hidden, "half")
    inner = add("Gelu", [add("MatMul", [hidden, weight("up", WIDTH, INNER)], "rising")], "inner")
    tokens = norm(add("MatMul", [inner, weight("down", INNER, WIDTH)], "falling"), hidden, "tokens")
    shape: list[str | int] = ["texts", "tokens", WIDTH]
    if layout.output == "sentence_embedding":
        add("ReduceMean", [tokens, axis], layout.output, keepdims=0)
        shape = ["texts", WIDTH]
    else:
        add("Identity", [tokens], layout.output)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in layout.inputs]
    output = helper.make_tensor_value_info(layout.output, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "tiny-bert", inputs, [output], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
