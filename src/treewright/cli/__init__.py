"""The command line: thin commands over the library, one module each."""

import os

# Before numpy is loaded: its linear algebra is asked for small things only, where threads of its
# own would get in the way of ours.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
