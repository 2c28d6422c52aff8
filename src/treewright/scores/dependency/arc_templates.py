"""Feature templates of arcs: sets of them, and their integer form (cpp/dependency/arcs.hpp).

    near: xpos@head word@dep[-1]      tags of the head, and the word before its dependent
    upos@head upos@between upos@dep   every distinct tag between the two

Places are the head, its dependent, the dependent's `sibling`, and `between`. All templates include
the direction of the arc. Each is used without and with the arc's length (in buckets), except those
marked `near:` (only without) and `far:` (only with). Templates marked `plain:` ignore the label of
the arc; all others have a weight per label.
"""

from collections.abc import Sequence

from treewright import _core
from treewright.errors import ConfigError
from treewright.scores.dependency.encoder import ATTRIBUTES
from treewright.scores.features.templates import (
    Atom,
    Group,
    Language,
    Numbered,
    compile_groups,
    listed,
)

LANGUAGE = Language(("head", "dep", "sibling", "between"), marks=("near", "far", "plain"))
LABELLED, WITH_LENGTH, WITHOUT_LENGTH, MARKS = 1, 2, 4, 8

# Hall et al. (2011), section 3.1: word and tag of both ends, their conjunctions, and tags around.
PAPER = listed("""
word@dep, xpos@dep, word@head, xpos@head, word@dep xpos@dep, word@head xpos@head,
word@dep word@head, xpos@dep xpos@head, xpos@head word@dep xpos@dep, word@head word@dep xpos@dep,
word@head xpos@head xpos@dep, word@head xpos@head word@dep,
xpos@head xpos@head[1] xpos@dep[-1] xpos@dep, xpos@head[-1] xpos@head xpos@dep[-1] xpos@dep,
xpos@head xpos@head[1] xpos@dep xpos@dep[1], xpos@head[-1] xpos@head xpos@dep xpos@dep[1]
""")

# McDonald et al. (2005) with both tag sets, tags in between, morphology and word shapes.
RICH = listed("""
lower@head lower@dep, lower@head xpos@head lower@dep xpos@dep, lower@head upos@dep,
upos@head lower@dep, xpos@head xpos@dep, near: lower@head xpos@head xpos@dep,
near: xpos@head lower@dep xpos@dep, near: xpos@head lower@dep, near: lower@head xpos@dep,
upos@head upos@between upos@dep, near: xpos@head xpos@between xpos@dep,
near: xpos@head xpos@dep xpos@head[1] xpos@dep[-1],
near: xpos@head xpos@dep xpos@head[-1] xpos@dep[-1],
near: xpos@head xpos@dep xpos@head[1] xpos@dep[1],
near: xpos@head xpos@dep xpos@head[-1] xpos@dep[1], near: upos@head upos@dep upos@head[1],
near: upos@head upos@dep upos@head[-1], near: upos@head upos@dep upos@dep[1],
near: upos@head upos@dep upos@dep[-1], near: upos@head upos@dep upos@head[-1] upos@head[1],
near: upos@head upos@dep upos@dep[-1] upos@dep[1], near: upos@head upos@dep lower@dep[-1],
near: upos@head upos@dep lower@dep[1], near: upos@head upos@dep lower@head[-1],
near: upos@head upos@dep lower@head[1], near: upos@head feats@head upos@dep feats@dep,
near: upos@head upos@dep feats@dep, near: upos@head end3@dep, near: end3@head upos@dep,
near: lower@dep upos@dep[-1], near: lower@dep upos@dep[1], near: xpos@dep xpos@dep[-1] xpos@dep[1],
near: xpos@dep xpos@dep[-1] xpos@dep[-2], near: xpos@dep xpos@dep[1] xpos@dep[2], xpos@dep,
lower@dep, near: shape2@dep end2@dep, xpos@head, lower@head
""")

# Adjacent siblings (McDonald and Pereira 2006).
SIBLINGS = listed("""
near: upos@head upos@sibling upos@dep, xpos@head xpos@sibling xpos@dep,
near: xpos@sibling xpos@dep, near: lower@sibling lower@dep, near: lower@sibling upos@dep,
near: upos@sibling lower@dep, near: lower@head upos@sibling upos@dep,
near: upos@head lower@sibling upos@dep, near: upos@head upos@sibling lower@dep
""")

NAMED = {"paper": PAPER, "rich": RICH}


def compile_templates(templates: Sequence[str]) -> _core.ArcTemplates:
    """Compiles templates for the core: groups by mark and by the tags in between."""
    groups: dict[tuple[int, tuple[Atom, ...]], list[Numbered]] = {}
    for number, text in enumerate(templates):
        template = LANGUAGE.parse(text)
        between = tuple(atom for atom in template.atoms if atom.place == "between")
        if len(between) > 1:
            raise ConfigError(f"feature template {text!r}: more than one atom @between")
        rest = tuple(atom for atom in template.atoms if atom.place != "between")
        groups.setdefault((_kind(template.marks), between), []).append((number, rest))
    made = [Group(kind, numbered, between) for (kind, between), numbered in groups.items()]
    return _core.ArcTemplates(compile_groups(LANGUAGE, made, ATTRIBUTES, MARKS))


def _kind(marks: Sequence[str]) -> int:
    with_length = 0 if "near" in marks else WITH_LENGTH
    without_length = 0 if "far" in marks else WITHOUT_LENGTH
    return with_length + without_length + (0 if "plain" in marks else LABELLED)
