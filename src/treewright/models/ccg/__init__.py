"""The CCG parser."""
