"""Networks that turn a clip or a picture into φ(v). They need PyTorch; inference runs their ONNX export."""
