"""Functions of the counts as sums of exponentials, in the form that the core takes."""

import numpy as np

from treewright import _core
from treewright.arrays import Complexes, Floats


def term_plan(is_complex: bool, *columns: Floats | Complexes) -> _core.TermPlan:
    """Rates along n, rates along d and coefficients as the core wants them."""
    n, d, coefficient = (list(column.astype(np.complex128)) for column in columns)
    return _core.TermPlan(is_complex, n, d, coefficient)


def half_frequencies(size: int) -> tuple[Floats, Floats]:
    """Frequencies 0 .. pi of a grid of this size, and how many frequencies each stands for."""
    numbers = np.arange(size // 2 + 1)
    twice = np.where((numbers == 0) | (2 * numbers == size), 1.0, 2.0)
    return 2 * np.pi * numbers / size, twice


def fourier_terms(table: Floats, n_low: int, d_low: int) -> tuple[Complexes, Complexes, Complexes]:
    """g on a rectangle of cells as a Fourier sum, periodic outside: rates and coefficients [terms].

    The half of the frequencies that are others' conjugates is left out.
    """
    rows, columns = table.shape
    omega_d, twice = half_frequencies(columns)
    omega_n = 2 * np.pi * np.fft.fftfreq(rows)
    spectrum = np.fft.rfft2(table) * twice / table.size
    wave = np.add.outer(omega_n * n_low, omega_d * d_low)
    rate_n, rate_d = np.broadcast_arrays(1j * omega_n[:, None], 1j * omega_d[None, :])
    return rate_n.ravel(), rate_d.ravel(), (spectrum * np.exp(-1j * wave)).ravel()
