"""`python -m treewright` is the same as `treewright`."""

from treewright.cli.main import run

run()
