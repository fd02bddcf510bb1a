"""VDAN and VDAN+ at inference: exported networks run by ONNX Runtime."""
