"""Writing ONNX graphs node by node: no tracing, so the export does not hang on a PyTorch version."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import ArrayLike, DTypeLike, NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from saffa.core.types import Doubles

OPSET = 18
IR_VERSION = 9  # read by every ONNX Runtime since 1.15
Shape = Sequence[int | str]
"""Sizes; a name stands for one that is only known when the graph runs."""

_TYPES = {"float": TensorProto.FLOAT, "int32": TensorProto.INT32, "uint8": TensorProto.UINT8}


def array(tensor: Tensor) -> Doubles:
    """Double precision, so that folding constants into each other costs no accuracy."""
    return tensor.detach().cpu().double().numpy()


class Graph:
    """A graph that grows by one node per call; values are their names."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._count = 0

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def input(self, name: str, shape: Shape, kind: str = "float") -> str:
        """Declare an input."""
        self._inputs.append(helper.make_tensor_value_info(name, _TYPES[kind], shape))
        return name

    def output(self, value: str, name: str, shape: Shape) -> None:
        """Give a value a name and return it to the caller."""
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def weight(self, values: ArrayLike, dtype: DTypeLike = np.float32) -> str:
        """A constant."""
        name = self._name()
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype), name))
        return name

    def ints(self, *values: int) -> str:
        """A constant list of integers: axes, shapes."""
        return self.weight(values, np.int64)

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node with one output."""
        name = self._name()
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def linear(self, x: str, layer: nn.Linear) -> str:
        """W x + b over the last axis."""
        out = self.op("MatMul", x, self.weight(array(layer.weight).T))
        return out if layer.bias is None else self.op("Add", out, self.weight(array(layer.bias)))

    def normed_linear(self, x: str, layer: nn.Linear, norm: nn.BatchNorm1d) -> str:
        """A linear layer and the batch norm after it, as one."""
        scale, shift = folded(norm)
        out = self.op("MatMul", x, self.weight((array(layer.weight) * scale[:, None]).T))
        return self.op("Add", out, self.weight(array(layer.bias) * scale + shift))

    def convolution(self, x: str, kernel: NDArray[Any], bias: NDArray[Any], stride: Sequence[int]) -> str:
        """A 2-D convolution padded by half its kernel, (n, in, H, W) → (n, out, H/s, W/s)."""
        size = list(kernel.shape[2:])
        pads = [k // 2 for k in size]
        weights = (self.weight(kernel), self.weight(bias))
        return self.op("Conv", x, *weights, kernel_shape=size, strides=list(stride), pads=[*pads, *pads])

    def save(self, path: Path) -> None:
        """Check and write."""
        graph = helper.make_graph(self._nodes, "saffa", self._inputs, self._outputs, self._weights)
        domains = {node.domain for node in self._nodes if node.domain}
        opset = [helper.make_opsetid("", OPSET), *(helper.make_opsetid(domain, 1) for domain in sorted(domains))]
        model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION, producer_name="saffa")
        data = model.SerializeToString()
        onnx.checker.check_model(data, full_check=not domains)  # shapes of others' operations cannot be inferred
        path.write_bytes(data)


def folded(norm: nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d) -> tuple[Doubles, Doubles]:
    """A batch norm in evaluation is x·scale + shift."""
    if norm.running_mean is None or norm.running_var is None:
        raise ValueError("a batch norm without running statistics cannot be exported")
    scale = array(norm.weight) / np.sqrt(array(norm.running_var) + norm.eps)
    return scale, array(norm.bias) - array(norm.running_mean) * scale


def normed_kernel(convolution: nn.Conv2d | nn.Conv3d, norm: nn.BatchNorm2d | nn.BatchNorm3d) -> tuple[Doubles, Doubles]:
    """Kernel and bias of a convolution with the batch norm after it."""
    scale, shift = folded(norm)
    kernel = array(convolution.weight)
    return kernel * scale.reshape(-1, *[1] * (kernel.ndim - 1)), shift
