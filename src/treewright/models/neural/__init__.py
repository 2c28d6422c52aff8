"""Neural parsers: networks with several heads on one encoder."""
