"""Tests mirror the packages of the library; shared helpers are imported as `tests.<name>`."""
