"""Shared parts of all feature sets: attributes of words, templates, encoding."""
