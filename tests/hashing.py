"""The core's hash function in plain Python: a reference for cpp/core/hash.hpp."""

from collections.abc import Iterable

WORD = (1 << 64) - 1
BEFORE, AFTER, NOWHERE = WORD, WORD - 1, WORD - 2  # words that are not there


def mix(h: int, value: int) -> int:
    h = ((h ^ value) * 0x9E3779B97F4A7C15) & WORD
    return h ^ (h >> 29)


def finish(h: int) -> int:
    h = (h * 0xBF58476D1CE4E5B9) & WORD
    return h ^ (h >> 32)


def seed(number: int) -> int:
    return finish((number + 0x51ED270B7A1F39C5) & WORD)


def key(number: int, values: Iterable[int]) -> int:
    """The feature of a template, given its number and the values of its atoms."""
    h = seed(number)
    for value in values:
        h = mix(h, value)
    return finish(h)
