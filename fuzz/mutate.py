"""Mutations of inputs: bytes, tokens and lines are damaged, moved, dropped and repeated."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

TOKENS = (
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\n\n",
    b"\t",
    b" ",
    b"(" * 2000,
    b")" * 50,
    b"[" * 2000,
    b"-1",
    b"0",
    b"1e400",
    b"9" * 400,
    b"2147483648",
    b"18446744073709551616",
    b"nan",
    b"null",
    b"_",
    b"\\",
    b"{",
    b"<T",
    b"\xf0\x9f\x90\x95",
    b"\xe2\x80\xa8",
)
VALUES = (
    None,
    True,
    -1,
    0,
    3,
    1e308,
    10**30,
    float("nan"),
    "",
    "a b",
    "\0",
    "x" * 3000,
    [],
    {},
    [[]],
)
Mutation = Callable[[bytes, Random], bytes]


def mutated(seeds: Sequence[bytes], random: Random) -> bytes:
    """A seed, or two of them spliced, with one to four mutations; JSON may stay JSON."""
    data = random.choice(seeds)
    if random.random() < 0.5 and (changed := _json(data, random)) != data:
        return changed
    if random.random() < 0.1:
        other = random.choice(seeds)
        data = data[: random.randint(0, len(data))] + other[random.randint(0, len(other)) :]
    for _ in range(random.randint(1, 4)):
        data = random.choice(MUTATIONS)(data, random)
    return data


def _flip(data: bytes, random: Random) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(random.randint(1, 4)):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _span(data: bytes, random: Random) -> tuple[int, int]:
    begin = random.randint(0, len(data))
    return begin, min(len(data), begin + int(random.expovariate(1 / 16)))


def _delete(data: bytes, random: Random) -> bytes:
    begin, end = _span(data, random)
    return data[:begin] + data[end:]


def _repeat(data: bytes, random: Random) -> bytes:
    begin, end = _span(data, random)
    return data[:end] + data[begin:end] * random.choice((1, 2, 50)) + data[end:]


def _insert(data: bytes, random: Random) -> bytes:
    begin, end = _span(data, random)
    return data[:begin] + random.choice(TOKENS) + data[end if random.random() < 0.5 else begin :]


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randint(0, len(data))]


def _by_pieces(mark: bytes) -> Mutation:
    """Drops, repeats, or swaps pieces between marks."""

    def change(data: bytes, random: Random) -> bytes:
        pieces = data.split(mark)
        one, other = random.randrange(len(pieces)), random.randrange(len(pieces))
        match random.randrange(4):
            case 0:
                del pieces[one]
            case 1:
                pieces.insert(other, pieces[one])
            case 2:
                pieces[one] = random.choice(TOKENS)
            case _:
                pieces[one], pieces[other] = pieces[other], pieces[one]
        return mark.join(pieces)

    return change


def _json(data: bytes, random: Random) -> bytes:
    """Changes a value of the JSON on the last line, which stays JSON."""
    before, mark, last = data.rstrip(b"\n").rpartition(b"\n")
    try:
        value = json.loads(last)
    except (ValueError, RecursionError):
        return data
    for _ in range(random.randint(1, 3)):
        value = _changed(value, random)
    return before + mark + json.dumps(value).encode()


def _changed(value: Any, random: Random) -> Any:
    """A value with something in it replaced, dropped or repeated."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.1:
        return random.choice(VALUES)
    found = value.copy()
    key = random.choice(list(found)) if isinstance(found, dict) else random.randrange(len(found))
    match random.randrange(8):
        case 0:
            del found[key]
        case 1 if isinstance(found, list):
            found.insert(key, random.choice(found))
        case _:
            found[key] = _changed(found[key], random)
    return found


MUTATIONS: tuple[Mutation, ...] = (
    _flip,
    _delete,
    _repeat,
    _insert,
    _cut,
    _by_pieces(b"\n"),
    _by_pieces(b"\t"),
    _by_pieces(b" "),
)
