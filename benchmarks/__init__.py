"""Benchmarks: ratios measured side by side in one run, written to docs/results."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # CPU time of one core, as of the commands
