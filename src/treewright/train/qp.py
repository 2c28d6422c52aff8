"""The quadratic programmes of cutting planes, by the interior-point solver Clarabel."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from treewright.arrays import Floats
from treewright.errors import ConfigError, TreewrightError


def solve_dual(gram: Floats, offset: Floats, groups: sp.csr_matrix, budget: Floats) -> Floats:
    """The a >= 0 that maximises offset.a - a.gram.a / 2 with groups @ a <= budget.

    Args:
        gram: [planes, planes], inner products of the planes' gradients.
        offset: [planes].
        groups: [groups, planes], which planes share a budget.
        budget: [groups].
    """
    clarabel = _clarabel()
    size = len(offset)
    # A little on the diagonal keeps equal planes apart; far below the solver's tolerance.
    quadratic = sp.csc_matrix(np.triu(gram + 1e-12 * np.trace(gram) / size * np.eye(size)))
    constraints = sp.vstack((groups, -sp.identity(size)), format="csc")
    bound = np.concatenate((budget, np.zeros(size)))
    options = clarabel.DefaultSettings()
    options.verbose = False
    cones = [clarabel.NonnegativeConeT(len(bound))]
    found = clarabel.DefaultSolver(quadratic, -offset, constraints, bound, cones, options).solve()
    if str(found.status) not in ("Solved", "AlmostSolved"):
        raise TreewrightError(f"the quadratic programme was not solved: {found.status}")
    shares: Floats = np.maximum(np.array(found.x), 0.0)
    return shares


def _clarabel() -> Any:
    try:
        import clarabel
    except ImportError as error:
        raise ConfigError("cutting planes need the package clarabel: treewright[svm]") from error
    return clarabel
