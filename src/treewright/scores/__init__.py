"""Features, weights and taggers."""
