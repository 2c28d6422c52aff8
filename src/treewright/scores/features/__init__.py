"""What all feature sets share: attributes of words, templates, encoding."""
