"""The matrix-tree theorem on batches of sentences, in differentiable operations of torch.

Koo et al. (2007), as in `treewright.inference.matrix_tree`: with A(h, m) = exp s(h, m),
L(h, m) = -A(h, m) off the diagonal, L(m, m) = sum_h A(h, m), and Z = det L. For trees of a single
root the root leaves the diagonal, and its arcs take the place of the first row. Sentences are
padded to the longest; padding adds rows of the identity, which leave the determinant as it is.
"""

from typing import NamedTuple

import torch
from torch import Tensor


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


def log_partition(scores: Tensor, lengths: Tensor, single_root: bool = True) -> Tensor:
    """log Z [sentences] of scores [sentences, heads, words]."""
    weights = arc_weights(scores, lengths)
    _, size = torch.linalg.slogdet(laplacian(weights.arcs, lengths, single_root))
    log_z: Tensor = size + weights.log_scale
    return log_z


def marginals(scores: Tensor, lengths: Tensor, single_root: bool = True) -> Tensor:
    """The probability of every arc: [sentences, heads, words]."""
    arcs = arc_weights(scores, lengths).arcs
    # d log det L / d L = inverse of L, transposed
    slope = torch.linalg.inv(laplacian(arcs, lengths, single_root)).mT
    diagonal = slope.diagonal(dim1=-2, dim2=-1)
    root = diagonal
    if single_root:
        root = slope[..., 0, :]
        keep = torch.ones_like(diagonal[0])
        keep[0] = 0.0
        diagonal, slope = diagonal * keep, slope * keep[:, None]
    inner = arcs[:, 1:, 1:] * (diagonal[:, None, :] - slope)
    rows = torch.cat(((arcs[:, 0, 1:] * root)[:, None], inner), dim=1)
    return torch.nn.functional.pad(rows, (1, 0))


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
    direction, size = torch.linalg.slogdet(laplacian(turned, lengths, single_root))
    law: Tensor = torch.fft.fft(direction * torch.exp(size - size[:1]), dim=0).real.T
    return law / (longest + 1)
