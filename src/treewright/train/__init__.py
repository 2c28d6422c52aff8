"""Optimisers: they ask an objective for values and gradients, and know no formalism."""
