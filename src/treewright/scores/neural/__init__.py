"""Trained networks without torch: words as numbers, graphs for ONNX Runtime, tables of scores."""
