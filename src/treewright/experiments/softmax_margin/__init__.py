"""Auli and Lopez (2011b): softmax-margin training of a CCG parser."""
