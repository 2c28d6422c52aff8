"""Tests mirror the rooms of the package; shared helpers are imported as `tests.<name>`."""
