"""Tagged sentences as text."""
