"""Models of English for Treewright: `treewright.load("en-dep")`, or "en" for all of them."""
