"""Named sets of feature templates; docs/results/dependency.md has the ablation behind `rich`."""

from treewright.scores.features.templates import listed

# Hall et al. (2011), section 4.1: tags of b0-b3, s0, s1; words of b0, b1, s0, s0's head; labels of
# s0 and of the outermost dependents; with the usual conjunctions.
PAPER = listed("""
word@s0, xpos@s0, word@s0 xpos@s0, xpos@s1, word@b0, xpos@b0, word@b0 xpos@b0, word@b1, xpos@b1,
word@b1 xpos@b1, xpos@b2, xpos@b3, word@s0h, label@s0, label@s0l, label@s0r, label@b0l,
word@s0 xpos@s0 word@b0 xpos@b0, word@s0 xpos@s0 xpos@b0, xpos@s0 word@b0 xpos@b0, word@s0 word@b0,
xpos@s0 xpos@b0, xpos@b0 xpos@b1, xpos@s1 xpos@s0, xpos@s1 xpos@s0 xpos@b0,
xpos@s0 xpos@b0 xpos@b1, xpos@b0 xpos@b1 xpos@b2, xpos@b0 xpos@b1 xpos@b2 xpos@b3,
word@s0h xpos@s0 xpos@b0, label@s0 xpos@s0 xpos@b0, label@s0l xpos@s0 xpos@b0,
label@s0r xpos@s0 xpos@b0, label@b0l xpos@s0 xpos@b0, label@s0l label@s0r xpos@s0
""")

# Zhang and Nivre (2011), tables 1 and 2.
ZHANG_NIVRE = listed("""
word@s0 xpos@s0, word@s0, xpos@s0, word@b0 xpos@b0, word@b0, xpos@b0, word@b1 xpos@b1, word@b1,
xpos@b1, word@b2 xpos@b2, word@b2, xpos@b2, word@s0 xpos@s0 word@b0 xpos@b0,
word@s0 xpos@s0 word@b0, word@s0 word@b0 xpos@b0, word@s0 xpos@s0 xpos@b0, xpos@s0 word@b0 xpos@b0,
word@s0 word@b0, xpos@s0 xpos@b0, xpos@b0 xpos@b1, xpos@b0 xpos@b1 xpos@b2,
xpos@s0 xpos@b0 xpos@b1, xpos@s0h xpos@s0 xpos@b0, xpos@s0 xpos@s0l xpos@b0,
xpos@s0 xpos@s0r xpos@b0, xpos@s0 xpos@b0 xpos@b0l, word@s0 distance@s0:b0, xpos@s0 distance@s0:b0,
word@b0 distance@s0:b0, xpos@b0 distance@s0:b0, word@s0 word@b0 distance@s0:b0,
xpos@s0 xpos@b0 distance@s0:b0, word@s0 right_count@s0, xpos@s0 right_count@s0,
word@s0 left_count@s0, xpos@s0 left_count@s0, word@b0 left_count@b0, xpos@b0 left_count@b0,
word@s0h, xpos@s0h, label@s0, word@s0l, xpos@s0l, label@s0l, word@s0r, xpos@s0r, label@s0r,
word@b0l, xpos@b0l, label@b0l, word@s0hh, xpos@s0hh, label@s0h, word@s0l2, xpos@s0l2, label@s0l2,
word@s0r2, xpos@s0r2, label@s0r2, word@b0l2, xpos@b0l2, label@b0l2, xpos@s0 xpos@s0l xpos@s0l2,
xpos@s0 xpos@s0r xpos@s0r2, xpos@s0 xpos@s0h xpos@s0hh, xpos@b0 xpos@b0l xpos@b0l2,
word@s0 right_labels@s0, xpos@s0 right_labels@s0, word@s0 left_labels@s0, xpos@s0 left_labels@s0,
word@b0 left_labels@b0, xpos@b0 left_labels@b0
""")

# Additions of `rich` to Zhang and Nivre, by what they look at.
GROUPS = {
    # Universal tags in addition to the treebank's.
    "upos": """
upos@s0 upos@b0, upos@s0 upos@b0 distance@s0:b0, word@s0 upos@b0, upos@s0 word@b0,
upos@s1 upos@s0 upos@b0, upos@s0 upos@b0 upos@b1 upos@b2, upos@s0 right_labels@s0 upos@b0,
upos@s0 left_labels@s0 upos@b0, upos@s0 upos@b0 left_labels@b0
""",
    # The second and third word of the stack.
    "s1": """
xpos@s1, word@s1, word@s1 xpos@s1, xpos@s1 xpos@s0, xpos@s1 xpos@b0, xpos@s1 xpos@s0 xpos@b0,
xpos@s1 word@b0, word@s1 xpos@b0, word@s1 word@b0, word@s1 xpos@s0 xpos@b0,
xpos@s2 xpos@s1 xpos@s0, xpos@s2 xpos@s1 xpos@s0 xpos@b0, label@s1 label@s0,
label@s1 xpos@s1 xpos@s0 xpos@b0, label@s1r xpos@s1 xpos@b0
""",
    # Verbs, punctuation and conjunctions between two words.
    "between": """
between@s0:b0, xpos@s0 xpos@b0 between@s0:b0, upos@s0 upos@b0 between@s0:b0 distance@s0:b0,
word@s0 xpos@b0 between@s0:b0, xpos@s0 word@b0 between@s0:b0, xpos@s1 xpos@b0 between@s1:b0
""",
    # Neighbours of the two words in the sentence.
    "context": """
xpos@s0[1] xpos@s0 xpos@b0, xpos@s0[-1] xpos@s0 xpos@b0, xpos@s0 xpos@b0[-1] xpos@b0,
xpos@s0 xpos@s0[1] xpos@b0[-1] xpos@b0, xpos@s0[-1] xpos@s0 xpos@b0 xpos@b1,
xpos@s0 xpos@b0 xpos@b1 xpos@b2, xpos@s0 word@b0 xpos@b1, word@s0 xpos@b0 xpos@b1,
xpos@s0 xpos@b0 word@b1, word@b0 word@b1, word@b0 xpos@b1, xpos@b0 xpos@b1 xpos@b2 xpos@b3,
word@s0 word@b0 xpos@b1, upos@s0 upos@b0 word@b1, upos@s0 upos@b0 word@b0[-1],
upos@s0 upos@b0 word@s0[1]
""",
    # Morphology.
    "feats": """
feats@s0, feats@b0, feats@s0 feats@b0, feats@s0 xpos@b0, xpos@s0 feats@b0, feats@s0 word@s0
""",
    # Affixes and shapes, for unknown words.
    "affix": """
end3@s0, end3@b0, end2@s0, end2@b0, end3@s0 xpos@b0, xpos@s0 end3@b0, end3@s0 end3@b0,
start3@s0 xpos@b0, xpos@s0 start3@b0, shape2@s0 shape2@b0, shape2@s0 xpos@b0, xpos@s0 shape2@b0
""",
    # The dependents of the two words so far.
    "labels": """
label@s0 xpos@s0 xpos@b0, label@s0 word@s0 xpos@b0, label@s0 xpos@s0 word@b0,
label@s0l xpos@s0 xpos@b0, label@s0r xpos@s0 xpos@b0, label@b0l xpos@s0 xpos@b0,
label@s0r word@s0 xpos@b0, label@s0r word@s0 word@b0, right_labels@s0 xpos@s0 xpos@b0,
left_labels@s0 xpos@s0 xpos@b0, left_labels@b0 xpos@s0 xpos@b0, right_labels@s0 word@s0 xpos@b0,
right_labels@s0 word@s0 left_labels@b0 upos@b0, left_labels@s0 upos@s0 left_labels@b0 upos@b0,
right_count@s0 xpos@s0 xpos@b0, right_count@s0 left_count@s0 label@s0? upos@s0,
label@s0h label@s0 xpos@s0 xpos@b0
""",
    # Context in the partial tree: prepositions, heads, dependents.
    "children": """
word@b0l xpos@b0 xpos@s0, word@b0l xpos@b0 word@s0, word@b0l word@b0 word@s0,
word@b0l upos@b0 upos@s0, word@b0l label@b0l word@s0, word@s0 word@s0l xpos@b0,
xpos@s0 word@s0l xpos@b0, xpos@s0 word@s0r xpos@b0, word@s0r word@s0 word@b0,
word@s0 xpos@s0r xpos@b0, word@s0h xpos@s0 xpos@b0, xpos@s0h word@s0 xpos@b0,
word@s0h word@s0 xpos@b0, word@s0h word@b0, xpos@s0h word@b0, word@s0h xpos@b0,
xpos@s0h xpos@s0 xpos@b0 label@s0, word@s0h word@b0l xpos@b0, xpos@s0hh xpos@b0,
xpos@s0 xpos@s0rr xpos@b0, xpos@s0 xpos@s0ll xpos@b0, xpos@s0r xpos@s0r2 xpos@s0 xpos@b0,
word@s0l xpos@s0, word@s0r xpos@s0
""",
    # The state of the parse.
    "end": """
ahead@b0, xpos@s0 xpos@b0 ahead@b0, xpos@s0 xpos@b0 depth@s0, word@b0 ahead@b0,
last_kind@s0 xpos@s0 xpos@b0, label@s0? xpos@s0 xpos@b0 ahead@b0 depth@s0
""",
}
ADDED = {name: listed(text) for name, text in GROUPS.items()}

SETS = {
    "paper": PAPER,
    "zhang-nivre": ZHANG_NIVRE,
    "rich": ZHANG_NIVRE + [line for lines in ADDED.values() for line in lines],
}

# The top of the stack, the front of the buffer, and words below.
_TOP = (
    *("position@s0", "position@s0h", "position@s0hh", "label@s0", "label@s0h"),
    *("position@s0l", "label@s0l", "position@s0l2", "label@s0l2", "left_count@s0"),
    *("position@s0r", "label@s0r", "position@s0r2", "label@s0r2", "right_count@s0"),
    *("left_labels@s0", "right_labels@s0", "position@s0ll", "position@s0rr", "position@s0rl"),
)
_FRONT = (
    *("position@b0", "position@b0l", "label@b0l", "position@b0l2", "label@b0l2"),
    *("left_count@b0", "left_labels@b0", "position@b0ll"),
)
_BELOW = (
    *("position@s0", "label@s0", "position@b0", "position@s1", "label@s1", "label@s1r"),
    "position@s2",
)
# Sums over templates that only depend on these are cached for all states of a sentence.
CACHED = (
    ("position@s0", "position@b0"),
    _TOP,
    _FRONT,
    _BELOW,
    ("position@s0", *_FRONT),
    (*_TOP, "position@b0"),
)
