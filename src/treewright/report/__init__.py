"""Reports: tables and drawings of what models do."""
