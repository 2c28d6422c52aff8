"""Neural models: encoders, scoring layers (heads), and their training.

Only this package and `treewright.torch` import torch; both need `pip install treewright[torch]`.
"""
