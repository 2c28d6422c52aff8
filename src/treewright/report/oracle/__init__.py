"""The best and the worst parses in the charts of a parser."""
