"""Damaged arguments for the core: a plugin for pytest that adds bad calls to those of the tests.

python -m pytest -p fuzz.arguments tests/inference tests/forests

Before a test's own call of a function of `treewright._core`, the function is called with an array
that is cut, or has numbers from elsewhere, or with an object of another sentence. The core must
refuse that or compute something: a crash ends the process (the last call is in FUZZ_CALLS), and
slow calls and exceptions of the wrong kind are listed at the end. Learners that tests share are
changed, too, so tests may fail; what counts is the list. It finds most in a build with sanitizers.
"""

import os
import random
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from treewright import _core

WHOLE = (-1, 0, 1, 2, 2**15 - 1, 2**31 - 1, -(2**31), 2**32, 2**62)
REAL = (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, 0.0, -1.0)
WRONG = (SystemError, RecursionError, OverflowError, IndexError, AssertionError)
OFTEN, RARELY = 200, 0.02  # damaged calls of one function: each of its first calls, then a share
KEPT = 30  # objects of each class that replace others
SECONDS = 5.0
LAST = os.environ.get("FUZZ_CALLS", os.devnull)
dice = random.Random(int(os.environ.get("FUZZ_SEED", "0")))
objects: dict[str, list[object]] = {}
calls: dict[str, int] = {}
found: dict[str, str] = {}
busy = False  # in a damaged call


def damaged(value: Any) -> Any:
    """A value of the same type with something in it changed."""
    match value:
        case np.ndarray():
            return damaged_array(value.copy())
        case bool():
            return not value
        case int():
            return dice.choice((*WHOLE, value + 1, value - 1))
        case float():
            return dice.choice(REAL)
        case (_, *_):
            place = dice.randrange(len(value))
            return type(value)((*value[:place], damaged(value[place]), *value[place + 1 :]))
    return dice.choice(objects.get(type(value).__name__, [value]))


def damaged_array(array: Any) -> Any:
    """An array with other numbers, or another length."""
    if not array.size or dice.random() < 0.4:
        longer = np.concatenate([array, array[-1:]])
        return dice.choice((array[:-1].copy(), array[:0].copy(), array[::-1].copy(), longer))
    flat = array.reshape(-1)
    for _ in range(dice.choice((1, 1, 3))):
        place = dice.choice((0, array.size - 1, dice.randrange(array.size)))
        flat[place] = number_for(flat, place)
    return array


def number_for(flat: Any, place: int) -> Any:
    """A number that an index or score of an array should not be."""
    if flat.dtype.kind == "f":
        return dice.choice(REAL)
    limits = np.iinfo(flat.dtype)
    near = (int(flat[place]) + 1, int(flat[place]) - 1, int(flat.max()) + 1, flat.size)
    return min(max(dice.choice((*WHOLE, *near)), limits.min), limits.max)


def remember(value: object) -> None:
    """Keeps an object of the core as an argument of other calls."""
    if type(value).__module__ == _core.__name__:
        kept = objects.setdefault(type(value).__name__, [])
        if len(kept) == KEPT:
            kept.pop(dice.randrange(KEPT))
        kept.append(value)


def attack(name: str, function: Callable[..., Any], given: list[Any], named: Any) -> None:
    """One call with one or two damaged arguments."""
    calls[name] = calls.get(name, 0) + 1
    places: list[Any] = [*range(len(given)), *named]
    if not places or (calls[name] > OFTEN and dice.random() > RARELY):
        return
    given, named = [*given], {**named}
    for place in dice.choices(places, k=dice.choice((1, 1, 2))):
        within: Any = given if isinstance(place, int) else named
        within[place] = damaged(within[place])
    with open(LAST, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(f"{name} {given!r:.2000} {named!r:.2000}\n")
    begin = time.process_time()
    try:
        function(*given, **named)
    except WRONG as error:
        found.setdefault(f"{name}: {type(error).__name__}", f"{error!s:.80} {given!r:.200}")
    except Exception:  # noqa: BLE001
        pass
    if time.process_time() - begin > SECONDS:
        found.setdefault(f"{name}: slow", f"{given!r:.200}")


def attacked(
    name: str, function: Callable[..., Any], made: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A function that is attacked before each call; if it is `__init__`, the class `made` is."""

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        global busy  # noqa: PLW0603
        for each in given:
            remember(each)
        if not busy:
            busy = True
            try:
                attack(name, made or function, list(given[made is not None :]), named)
            finally:
                busy = False
        return function(*given, **named)

    return call


def pytest_configure() -> None:
    """Replaces the functions, constructors and methods of the core."""
    for name, value in vars(_core).copy().items():
        if isinstance(value, type):
            for method, function in vars(value).copy().items():
                made = value if method == "__init__" else None
                if callable(function) and (made or not method.startswith("_")):
                    setattr(value, method, attacked(f"{name}.{method}", function, made))
        elif callable(value) and not name.startswith("_") and name != "set_deadline":
            setattr(_core, name, attacked(name, value))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Lists what was found."""
    terminalreporter.section(f"damaged arguments of {len(calls)} functions of the core")
    for what, call in sorted(found.items()):
        terminalreporter.write_line(f"{what}: {call}")
