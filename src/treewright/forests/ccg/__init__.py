"""CCG charts as forests."""
