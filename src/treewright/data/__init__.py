"""Records, and readers and writers of file formats."""
