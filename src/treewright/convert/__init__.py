"""Treebanks of one formalism made from treebanks of another."""
