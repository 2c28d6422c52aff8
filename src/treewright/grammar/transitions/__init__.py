"""Transition-based dependency parsing: feature templates and projective trees."""
