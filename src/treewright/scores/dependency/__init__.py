"""Features and scores of dependency arcs and of transition states."""
