"""Taggers: features, dictionaries, local and chain models."""
