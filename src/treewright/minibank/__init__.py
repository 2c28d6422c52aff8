"""A small English treebank, sampled from a hand-written CCG.

`grammar.toml` has the rules, the lexical entries with their head variables, and the weights of
constructions; `words.toml` has the words and their selectional restrictions. The sampler builds all
derivations with the library's own combinators.
"""
