"""Graph-based dependency parsing."""
