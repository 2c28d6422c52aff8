"""Grammars: what may combine with what, and which word heads the result."""
