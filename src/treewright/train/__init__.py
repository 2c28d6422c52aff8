"""Optimisers and training loops; they only see an objective, not the formalism."""
