"""A small English treebank that is sampled, not collected: a hand-written CCG and its sampler.

`grammar.toml` has the rules, the lexical entries with their head variables, and the weights of
constructions; `words.toml` has the words and what they select. The sampler asks both, and builds
every derivation through the project's own combinators.
"""
