"""The command line: thin commands over the library, one module each."""

import os

# Set before numpy is loaded: its linear algebra is only used for small problems, and its threads
# would compete with those of the core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
