"""Experiments on the core: distributions of counts, and the cost of training."""
