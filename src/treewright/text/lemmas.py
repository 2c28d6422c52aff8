"""Lemmas as edit scripts: what to do to a form to get its lemma.

    script("Houses", "house")   "lower, take 1 from the end"      script("went", "go")   "go" itself

A script has five fields: the case (as it is, lower, first letter upper, all upper), how many
characters go from the beginning, what comes instead, and the same of the end. What both have in
common is the longest stretch of equal letters. Where nothing is, or the case is none of the four,
the script is the lemma itself. A script that keeps the case and adds letters makes the lemma of
capitals lower case (ca: can, CA: can). Where the lemma is the form without a sign inside, however
often it is there (1,250,000: 1250000), the script names the sign. Fields are apart by tabs, which
no form or lemma has.
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
WITHOUT = "without"


@lru_cache(maxsize=1 << 16)
def script(form: str, lemma: str) -> str:
    """The script that turns the form into the lemma by `apply`."""
    if sign := _sign_left_out(form, lemma):
        return f"{WITHOUT}\t{sign}"
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
    """The lemma that a script makes of a form; the form itself if the script does not fit."""
    case, *fields = edits.split("\t")
    if case == LITERAL:
        return fields[0]
    if case == WITHOUT:
        return form.replace(fields[0], "")
    taken, put, taken_end, put_end = int(fields[0]), fields[1], int(fields[2]), fields[3]
    if taken + taken_end >= len(form):
        return form
    kept = form[taken : len(form) - taken_end]
    if case == "same" and len(form) > 1 and form.isupper() and (put + put_end).islower():
        case = "lower"  # CA: can, not CAn
    return CASES[case](put + kept + put_end)


def _sign_left_out(form: str, lemma: str) -> str:
    """The character that is removed from the form, if this is the only change; otherwise empty."""
    signs = set() if len(lemma) >= len(form) else set(form[1:-1]) - set(lemma)
    return next((s for s in signs if not s.isalnum() and form.replace(s, "") == lemma), "")


def longest_common(a: str, b: str) -> tuple[int, int, int]:
    """The starts of the longest common substring in both, and its length; ties: the first."""
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
