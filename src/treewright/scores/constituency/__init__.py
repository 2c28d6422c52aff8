"""Features and scores of constituency charts, and the span model that prunes them."""
