"""Dependency trees as text."""
