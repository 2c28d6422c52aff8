"""CCG analyses as text."""
