"""Trained networks without torch: encoded words, ONNX graphs, tables of scores."""
