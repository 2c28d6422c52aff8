"""Auli and Lopez (2011a): supertagging and parsing in one model."""
