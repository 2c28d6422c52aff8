"""Exact inference on forests: sweeps, laws of counts, oracles, decoders."""
