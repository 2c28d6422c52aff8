"""Neural models of English for Treewright: `treewright.load("en-neural")`, or one of its parts."""
