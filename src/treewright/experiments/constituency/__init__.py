"""Constituency parsing: accuracy, objectives, speed."""
