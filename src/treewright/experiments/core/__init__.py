"""The core alone: laws of counts, and the cost of training."""
