"""Analyses as text: drawings for the terminal, and output formats."""
