"""Files on disk: model directories, tensors, and files that are written whole or not at all."""
