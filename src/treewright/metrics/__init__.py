"""Counting, scoring and comparing: counts per sentence, scores from counts, tests on them."""
