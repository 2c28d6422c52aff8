"""Records, and the readers and writers of the file formats that hold them."""
