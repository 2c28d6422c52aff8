"""Models of biomedical English for Treewright: `treewright.load("en-bio-ccg")`."""
