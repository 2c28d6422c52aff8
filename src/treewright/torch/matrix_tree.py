"""The matrix-tree theorem on batches of sentences, in differentiable operations of torch.

Koo et al. (2007), as in `treewright.inference.matrix_tree`: with A(h, m) = exp s(h, m),
L(h, m) = -A(h, m) off the diagonal, L(m, m) = sum_h A(h, m), and Z = det L. For trees of a single
root the root leaves the diagonal, and its arcs take the place of the first row. Sentences are
padded to the longest; padding adds rows of the identity, which leave the determinant as it is.

Where a network is all but sure of arcs that make no tree, L is all but singular and the determinant
loses its digits. Such sentences are summed up by elimination, word by word, without differences.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

LEAST_DETERMINANT = 1e-6  # of weights that are scaled to 1: a smaller one has lost its digits
MOST_INVERSE = 1e6
NO_WEIGHT = -1e30  # the log of 0, with finite gradients


class Weights(NamedTuple):
    """exp of arc scores [..., heads, words], each word's best arc scaled to 1; log of the scale."""

    arcs: Tensor
    log_scale: Tensor


def is_word(lengths: Tensor, longest: int) -> Tensor:
    """Which positions are words: bool [sentences, longest + 1]; position 0 is the root."""
    positions = torch.arange(longest + 1, device=lengths.device)
    return (positions > 0) & (positions <= lengths[:, None])


def arc_weights(scores: Tensor, lengths: Tensor) -> Weights:
    """Weights of arcs from scores [sentences, heads, words], in float64; others have weight 0."""
    words = is_word(lengths, scores.shape[-1] - 1)
    heads = words.clone()
    heads[:, 0] = True
    allowed = heads[:, :, None] & words[:, None, :]
    allowed &= ~torch.eye(scores.shape[-1], dtype=torch.bool, device=scores.device)
    wide = scores.double().masked_fill(~allowed, -torch.inf)
    best = wide.detach().amax(dim=1).masked_fill(~words, 0.0)
    return Weights(torch.exp(wide - best[:, None]), best.sum(dim=1))


def laplacian(arcs: Tensor, lengths: Tensor, single_root: bool) -> Tensor:
    """L [..., sentences, words, words] of weights [..., sentences, heads, words]."""
    inner, root = arcs[..., 1:, 1:], arcs[..., 0, 1:]
    padding = (~is_word(lengths, arcs.shape[-1] - 1)[:, 1:]).to(arcs.dtype)
    diagonal = inner.sum(dim=-2) + padding
    if not single_root:
        return torch.diag_embed(diagonal + root) - inner
    matrix = torch.diag_embed(diagonal) - inner
    return torch.cat((root[..., None, :], matrix[..., 1:, :]), dim=-2)


@contextmanager
def one_thread() -> Iterator[None]:
    """Runs LU decompositions on one thread: a training on two was seen to hang in MKL's."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _LogDeterminant(torch.autograd.Function):
    """log |det L| of matrices [..., words, words]; its slope is the transposed inverse."""

    @staticmethod
    def forward(ctx: Any, matrices: Tensor) -> Tensor:
        with one_thread():
            size: Tensor = torch.linalg.slogdet(matrices)[1]
            inverse, _ = torch.linalg.inv_ex(matrices)
        ctx.save_for_backward(inverse)
        return size

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> Tensor:
        (inverse,) = ctx.saved_tensors
        found: Tensor = slope[..., None, None] * inverse.mT
        return found


def log_determinant(matrices: Tensor) -> Tensor:
    """log |det L| [...] of matrices [..., words, words]."""
    found: Tensor = _LogDeterminant.apply(matrices)  # type: ignore[no-untyped-call]
    return found


def log_partition(scores: Tensor, lengths: Tensor, single_root: bool = True) -> Tensor:
    """log Z [sentences] of scores [sentences, heads, words]."""
    weights = arc_weights(scores, lengths)
    matrices = laplacian(weights.arcs, lengths, single_root)
    size = log_determinant(matrices)
    hard = ~(size.detach() > math.log(LEAST_DETERMINANT))
    log_z: Tensor = size + weights.log_scale
    if not hard.any():
        return log_z
    log_z = torch.zeros_like(size)
    log_z[~hard] = log_determinant(matrices[~hard]) + weights.log_scale[~hard]
    for i in hard.nonzero().flatten().tolist():
        log_z[i] = eliminated(scores[i, : lengths[i] + 1, : lengths[i] + 1], single_root)
    return log_z


def marginals(scores: Tensor, lengths: Tensor, single_root: bool = True) -> Tensor:
    """The probability of every arc: [sentences, heads, words]."""
    arcs = arc_weights(scores, lengths).arcs
    matrices = laplacian(arcs, lengths, single_root)
    with one_thread():
        inverse, _ = torch.linalg.inv_ex(matrices)
    hard = ~(inverse.detach().abs().amax(dim=(1, 2)) < MOST_INVERSE)
    if not hard.any():
        return _by_inverse(arcs, inverse, single_root)
    found = torch.zeros_like(arcs)
    found[~hard] = _by_inverse(arcs[~hard], torch.linalg.inv(matrices[~hard]), single_root)
    for i in hard.nonzero().flatten().tolist():
        size = int(lengths[i]) + 1
        found[i, :size, :size] = _by_elimination(scores[i, :size, :size], single_root)
    return found


def _by_inverse(arcs: Tensor, inverse: Tensor, single_root: bool) -> Tensor:
    slope = inverse.mT  # d log det L / d L
    diagonal = slope.diagonal(dim1=-2, dim2=-1)
    root = diagonal
    if single_root:
        root = slope[..., 0, :]
        keep = torch.ones(diagonal.shape[-1], dtype=diagonal.dtype, device=diagonal.device)
        keep[0] = 0.0
        diagonal, slope = diagonal * keep, slope * keep[:, None]
    inner = arcs[:, 1:, 1:] * (diagonal[:, None, :] - slope)
    found = torch.cat(((arcs[:, 0, 1:] * root)[:, None], inner), dim=1)
    return torch.nn.functional.pad(found, (1, 0))


def eliminated(scores: Tensor, single_root: bool = True) -> Tensor:
    """log Z of one sentence's scores [heads, words], with no difference that could lose digits.

    Words are taken out one by one, as states of a Markov chain (Grassmann, Taksar and Heyman 1985):
    without word m, the arc from h to j also stands for the way from h over m to j. Each root costs
    so much that trees with two of them have no weight.
    """
    size = len(scores)
    itself = torch.eye(size, dtype=torch.bool, device=scores.device)
    log_w = scores.double().masked_fill(itself, NO_WEIGHT)
    used = log_w.detach()[:, 1:][~itself[:, 1:]]
    log_z = log_w.new_zeros(())
    if single_root:
        log_z = 50.0 + size * (used.max() - used.min())
        log_w = torch.cat((log_w[:1] - log_z, log_w[1:]))
    for m in range(size - 1, 0, -1):
        total = torch.logsumexp(log_w[:m, m], dim=0)
        over = (log_w[:m, m] - total)[:, None] + log_w[m, :m]
        log_w = torch.logaddexp(log_w[:m, :m], over.masked_fill(itself[:m, :m], NO_WEIGHT))
        log_z = log_z + total
    return log_z


def _by_elimination(scores: Tensor, single_root: bool) -> Tensor:
    """The slopes of log Z, which have slopes themselves where scores do."""
    with torch.enable_grad():
        given = scores if scores.requires_grad else scores.detach().requires_grad_()
        value = eliminated(given, single_root)
        (slope,) = torch.autograd.grad(value, given, create_graph=scores.requires_grad)
    return slope.double()


def count_law(scores: Tensor, lengths: Tensor, right: Tensor, single_root: bool = True) -> Tensor:
    """P(n arcs are right), [sentences, 0 .. longest], exact.

    Turning every right arc by the angle w multiplies Z by the characteristic function E[exp(iwn)];
    its values at longest + 1 angles give the law by an inverse Fourier transform.

    Args:
        scores: [sentences, heads, words].
        lengths: [sentences].
        right: the share of an arc's weight that is right, [sentences, heads, words].
        single_root: whether only one word may hang on the root.
    """
    longest = scores.shape[-1] - 1
    arcs = arc_weights(scores, lengths).arcs
    steps = torch.arange(longest + 1, dtype=torch.float64, device=scores.device)
    turn = torch.polar(torch.ones_like(steps), 2 * torch.pi * steps / (longest + 1))
    turned = arcs * (1 + right * (turn[:, None, None, None] - 1))
    with one_thread():
        direction, size = torch.linalg.slogdet(laplacian(turned, lengths, single_root))
    law: Tensor = torch.fft.fft(direction * torch.exp(size - size[:1]), dim=0).real.T
    return law / (longest + 1)
