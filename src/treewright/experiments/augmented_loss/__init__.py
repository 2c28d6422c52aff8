"""Hall et al. (2011): augmented-loss training of dependency parsers."""
