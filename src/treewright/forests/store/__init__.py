"""Training forests on disk."""
