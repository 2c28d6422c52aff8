"""A kind of model, a loss and an encoder, as another package adds them to Treewright."""
