"""Models: what a formalism, features and weights are together."""
