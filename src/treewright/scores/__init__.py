"""Features, weights and taggers: what turns parts of forests into scores."""
