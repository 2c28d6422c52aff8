"""Max-margin constituency parsing for F1."""
