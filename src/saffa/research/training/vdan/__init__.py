"""VDAN and VDAN+ (paper §3.1): their networks in PyTorch, training, and export to ONNX."""
