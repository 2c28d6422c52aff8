"""Networks with several heads on one encoder, and the parsers that use them."""
