"""Feature templates of arcs as text, and their integer form for the core (cpp/dependency/arcs.hpp).

A template is a line of atoms such as `h.form m-1.xpos`: an attribute of the encoding of words at
the head `h`, the word `m` (the modifier) or its sibling `s`, or some words before or after.
`b.upos` is every distinct value between head and word. All templates know the
direction of the arc; each is there once as it is and once with the arc's length (in buckets), but
for those after `near:` (never with the length) and `far:` (always). Those after `plain:` score an
arc whatever its label; all others have a weight for each label.
"""

import re
from collections.abc import Sequence

import numpy as np

from treewright import _core
from treewright.errors import ConfigError
from treewright.scores.dependency.encoder import ATTRIBUTES

ROLES = "hmsb"
LABELLED, WITH_LENGTH, WITHOUT_LENGTH = 1, 2, 4
ATOM = re.compile(rf"([{ROLES}])([+-]\d)?\.(\w+)")

# Hall et al. (2011), section 3.1: word and tag of both ends, their conjunctions, and tags around.
PAPER = """
m.form
m.xpos
h.form
h.xpos
m.form m.xpos
h.form h.xpos
m.form h.form
m.xpos h.xpos
h.xpos m.form m.xpos
h.form m.form m.xpos
h.form h.xpos m.xpos
h.form h.xpos m.form
h.xpos h+1.xpos m-1.xpos m.xpos
h-1.xpos h.xpos m-1.xpos m.xpos
h.xpos h+1.xpos m.xpos m+1.xpos
h-1.xpos h.xpos m.xpos m+1.xpos
"""

# McDonald et al. (2005) with both tag sets, tags in between, morphology and word shapes.
RICH = """
h.lower m.lower
h.lower h.xpos m.lower m.xpos
h.lower m.upos
h.upos m.lower
h.xpos m.xpos
near: h.lower h.xpos m.xpos
near: h.xpos m.lower m.xpos
near: h.xpos m.lower
near: h.lower m.xpos
h.upos b.upos m.upos
near: h.xpos b.xpos m.xpos
near: h.xpos m.xpos h+1.xpos m-1.xpos
near: h.xpos m.xpos h-1.xpos m-1.xpos
near: h.xpos m.xpos h+1.xpos m+1.xpos
near: h.xpos m.xpos h-1.xpos m+1.xpos
near: h.upos m.upos h+1.upos
near: h.upos m.upos h-1.upos
near: h.upos m.upos m+1.upos
near: h.upos m.upos m-1.upos
near: h.upos m.upos h-1.upos h+1.upos
near: h.upos m.upos m-1.upos m+1.upos
near: h.upos m.upos m-1.lower
near: h.upos m.upos m+1.lower
near: h.upos m.upos h-1.lower
near: h.upos m.upos h+1.lower
near: h.upos h.feats m.upos m.feats
near: h.upos m.upos m.feats
near: h.upos m.suffix3
near: h.suffix3 m.upos
near: m.lower m-1.upos
near: m.lower m+1.upos
near: m.xpos m-1.xpos m+1.xpos
near: m.xpos m-1.xpos m-2.xpos
near: m.xpos m+1.xpos m+2.xpos
m.xpos
m.lower
near: m.shape m.suffix2
h.xpos
h.lower
"""

# Neighbouring dependents of one head (McDonald and Pereira 2006).
SIBLINGS = """
near: h.upos s.upos m.upos
h.xpos s.xpos m.xpos
near: s.xpos m.xpos
near: s.lower m.lower
near: s.lower m.upos
near: s.upos m.lower
near: h.lower s.upos m.upos
near: h.upos s.lower m.upos
near: h.upos s.upos m.lower
"""

NAMED = {"paper": PAPER, "rich": RICH}


def lines(text: str) -> list[str]:
    """The templates of a text, one a line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def compile_templates(templates: Sequence[str]) -> _core.ArcTemplates:
    """The core's form of templates."""
    atoms: list[tuple[int, int, int]] = []
    first, kinds = [0], []
    for template in templates:
        words = template.split()
        kinds.append(_kind([word for word in words if word.endswith(":")]))
        # The core wants what is between last; the order of atoms does not matter otherwise.
        atoms += sorted(_atom(template, word) for word in words if not word.endswith(":"))
        first.append(len(atoms))
    role, offset, attribute = np.array(atoms, np.int32).reshape(-1, 3).T.copy()
    starts, what = np.array(first, np.int32), np.array(kinds, np.int32)
    return _core.ArcTemplates(starts, role, offset, attribute, what, len(ATTRIBUTES))


def _kind(marks: list[str]) -> int:
    unknown = set(marks) - {"near:", "far:", "plain:"}
    if unknown:
        raise ConfigError(f"a template begins with near:, far: or plain:, not {unknown.pop()}")
    with_length = 0 if "near:" in marks else WITH_LENGTH
    without_length = 0 if "far:" in marks else WITHOUT_LENGTH
    return with_length + without_length + (0 if "plain:" in marks else LABELLED)


def _atom(template: str, text: str) -> tuple[int, int, int]:
    found = ATOM.fullmatch(text)
    if not found or found[3] not in ATTRIBUTES:
        raise ConfigError(f"{text!r} in the template {template!r} is not like h.form or m-1.xpos")
    return ROLES.index(found[1]), int(found[2] or 0), ATTRIBUTES.index(found[3])
