"""Dependency parsers."""
