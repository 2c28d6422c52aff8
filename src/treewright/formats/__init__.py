"""Analyses as text: drawings for people, and the formats that other programs read."""
