"""The graph of multilingual-e5-small for onnxruntime, built in code: a BERT whose matrices stay at 4 bits.

Built rather than shipped, so that the repository holds no binary and the whole model can be read here (0.01 s, 30 kB).
It knows the architecture and holds no weights: initializers are named after the tensors of ``e5_weights.py``, and the
session fills them in. Importing it loads onnx (0.2 s).

Two operators are onnxruntime's own, not ONNX's: MatMulNBits (Q4_0 blocks as they are in the file, a quarter of the
memory) and MultiHeadAttention. That is why pyproject.toml bounds onnxruntime's version and ``local.py`` tests a vector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onnx import TensorProto, helper

from notewell.embedders.e5_weights import BLOCK

if TYPE_CHECKING:
    from onnx import NodeProto

    from notewell.embedders.e5_weights import E5Shape

INPUT, MASK, OUTPUT = "embeddings", "mask", "hidden"

_ONNX_OPSET = 20  # the first with Gelu
_IR_VERSION = 9  # the one that goes with opset 20
_OURS = "com.microsoft"
_INT8_ACTIVATIONS = 4
"""MatMulNBits' ``accuracy_level``: 5 ms for a query where float32 takes 7, within cosine 0.9997 of it (measured)."""


def build(shape: E5Shape) -> bytes:
    """The model: word vectors and a mask in, one vector a token out. Sizes of texts and batches are open."""
    graph = _Graph(shape)
    hidden = graph.norm(INPUT, "emb.ln")
    mask = graph.add("Cast", [MASK], "mask32", to=TensorProto.INT32)
    for layer in range(shape.layers):
        hidden = _layer(graph, shape, f"l{layer}", hidden, mask)
    graph.add("Identity", [hidden], OUTPUT)
    return graph.serialized()


def _layer(graph: _Graph, shape: E5Shape, name: str, hidden: str, mask: str) -> str:
    """One transformer layer, normalized after each half as BERT does."""
    size, inner = shape.hidden, shape.feed_forward
    query, key, value = (graph.dense(hidden, f"{name}.{part}", size, size) for part in "qkv")
    heard = graph.add(
        "MultiHeadAttention", [query, key, value, "", mask], f"{name}.heard", domain=_OURS, num_heads=shape.heads
    )
    attended = graph.add("Add", [graph.dense(heard, f"{name}.ao", size, size), hidden], f"{name}.attended")
    attended = graph.norm(attended, f"{name}.aln")
    spread = graph.add("Gelu", [graph.dense(attended, f"{name}.fi", size, inner)], f"{name}.spread")
    joined = graph.add("Add", [graph.dense(spread, f"{name}.fo", inner, size), attended], f"{name}.joined")
    return graph.norm(joined, f"{name}.oln")


class _Graph:
    """Nodes and named weights as they are added; each method returns the name of its result."""

    def __init__(self, shape: E5Shape) -> None:
        self._shape = shape
        self._nodes: list[NodeProto] = []
        self._weights: list[TensorProto] = []

    def add(
        self, kind: str, inputs: list[str], output: str, **attributes: Any
    ) -> str:  # Any: onnx types each by its value
        self._nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def dense(self, inputs: str, name: str, width: int, height: int) -> str:
        """``inputs`` times the 4-bit matrix, plus its bias."""
        packed = self._weight(f"{name}.w", TensorProto.UINT8, [height, width // BLOCK, BLOCK // 2])
        scales = self._weight(f"{name}.w.scales", TensorProto.FLOAT, [height * width // BLOCK])
        bias = self._weight(f"{name}.b", TensorProto.FLOAT, [height])
        return self.add(
            "MatMulNBits",
            [inputs, packed, scales, "", "", bias],
            name,
            domain=_OURS,
            K=width,
            N=height,
            bits=4,
            block_size=BLOCK,
            accuracy_level=_INT8_ACTIVATIONS,
        )

    def norm(self, inputs: str, name: str) -> str:
        weight = self._weight(f"{name}.w", TensorProto.FLOAT, [self._shape.hidden])
        bias = self._weight(f"{name}.b", TensorProto.FLOAT, [self._shape.hidden])
        return self.add("LayerNormalization", [inputs, weight, bias], name, epsilon=self._shape.epsilon)

    def serialized(self) -> bytes:
        texts = ["texts", "tokens"]
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [
                helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, [*texts, self._shape.hidden]),
                helper.make_tensor_value_info(MASK, TensorProto.INT64, texts),
            ],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [*texts, self._shape.hidden])],
            self._weights,
        )
        opsets = [helper.make_opsetid("", _ONNX_OPSET), helper.make_opsetid(_OURS, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
        return bytes(model.SerializeToString())

    def _weight(self, name: str, kind: int, sizes: list[int]) -> str:
        """A named place that the session fills. ONNX calls it external data and wants a file's name for it."""
        place = TensorProto(name=name, data_type=kind, dims=sizes, data_location=TensorProto.EXTERNAL)
        place.external_data.add(key="location", value="given-to-the-session")
        self._weights.append(place)
        return name
