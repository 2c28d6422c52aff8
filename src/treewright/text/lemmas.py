"""Lemmas as edit scripts: what to do to a form to get its lemma.

    script("Houses", "house")   "lower, take 1 from the end"      script("went", "go")   "go" itself

A script has five fields: the case (as it is, lower, first letter upper, all upper), how many
characters go from the beginning, what comes instead, and the same of the end. What both have in
common is the longest stretch of equal letters. Where nothing is, or the case is none of the four,
the script is the lemma itself. Fields are apart by tabs, which no form or lemma has.
"""

from collections.abc import Callable
from functools import lru_cache

CASES: dict[str, Callable[[str], str]] = {
    "same": str,
    "lower": str.lower,
    "title": lambda text: text[:1].upper() + text[1:].lower(),
    "upper": str.upper,
}
LITERAL = "literal"


@lru_cache(maxsize=1 << 16)
def script(form: str, lemma: str) -> str:
    """The script that makes the lemma of the form; `apply` undoes it."""
    a, b, size = longest_common(form.lower(), lemma.lower())
    if size and len(form.lower()) == len(form) and len(lemma.lower()) == len(lemma):
        taken, put = a, lemma[:b]
        taken_end, put_end = len(form) - a - size, lemma[b + size :]
        for case in CASES:
            edits = f"{case}\t{taken}\t{put.lower()}\t{taken_end}\t{put_end.lower()}"
            if apply(edits, form) == lemma:
                return edits
    return f"{LITERAL}\t{lemma}"


@lru_cache(maxsize=1 << 16)
def apply(edits: str, form: str) -> str:
    """The lemma that a script makes of a form; the form itself where it does not fit."""
    case, *fields = edits.split("\t")
    if case == LITERAL:
        return fields[0]
    taken, put, taken_end, put_end = int(fields[0]), fields[1], int(fields[2]), fields[3]
    if taken + taken_end >= len(form):
        return form
    kept = form[taken : len(form) - taken_end]
    return CASES[case](put + kept + put_end)


def longest_common(a: str, b: str) -> tuple[int, int, int]:
    """Where the longest common stretch begins in both, and its length; the first of equals."""
    best = (0, 0, 0)
    before = [0] * (len(b) + 1)
    for i, x in enumerate(a, start=1):
        # length[j] = length of the longest common suffix of a[:i] and b[:j]
        row = [0] * (len(b) + 1)
        for j, y in enumerate(b, start=1):
            if x == y:
                row[j] = before[j - 1] + 1
                if row[j] > best[2]:
                    best = (i - row[j], j - row[j], row[j])
        before = row
    return best
