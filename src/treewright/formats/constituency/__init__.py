"""Constituency trees as text."""
