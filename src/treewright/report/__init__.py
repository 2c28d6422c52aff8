"""Reports: tables and drawings of scores and errors."""
