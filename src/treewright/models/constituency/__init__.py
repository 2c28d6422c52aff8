"""The constituency parser."""
