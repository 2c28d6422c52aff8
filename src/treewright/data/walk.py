"""Traversals of trees of any type by loops, so that deep trees do not overflow Python's stack.

`children` returns the subtrees of a tree, none for a leaf.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
Made = TypeVar("Made")
Children = Callable[[T], Sequence[T]]


def preorder(root: T, children: Children[T]) -> Iterator[T]:
    """All nodes, each before its children, from left to right."""
    stack = [root]
    while stack:
        tree = stack.pop()
        yield tree
        stack.extend(reversed(children(tree)))


def postorder(root: T, children: Children[T]) -> Iterator[T]:
    """All nodes, each after its children, from left to right."""
    stack = [(root, False)]
    while stack:
        tree, ready = stack.pop()
        below = () if ready else children(tree)
        if not below:
            yield tree
        else:
            stack.append((tree, True))
            stack.extend((child, False) for child in reversed(below))


def fold(root: T, children: Children[T], make: Callable[[T, list[Made]], Made]) -> Made:
    """Folds a tree bottom-up: `make` is applied to each tree and the results of its children."""
    done: list[Made] = []
    for tree in postorder(root, children):
        first = len(done) - len(children(tree))
        done[first:] = [make(tree, done[first:])]
    return done[0]
