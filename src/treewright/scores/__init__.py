"""Features, weights, taggers."""
