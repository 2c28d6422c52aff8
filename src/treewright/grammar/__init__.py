"""Grammars: categories, markup, combinators, binarisation, heads and meanings."""
