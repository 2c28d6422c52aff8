"""Features and scores of CCG charts."""
