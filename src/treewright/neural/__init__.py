"""Neural scorers: encoders of words, heads that write tables of scores, and their training.

Everything that imports torch is in this room and in `treewright.torch`; both need
`pip install treewright[torch]`.
"""
