"""Named sets of feature templates; docs/results/dependency.md has the ablation behind `rich`."""

# Hall et al. (2011), section 4.1: tags of b0-b3, s0, s1; words of b0, b1, s0, s0's head; labels of
# s0 and of the outermost dependents; with the usual conjunctions.
PAPER = """
s0.form
s0.xpos
s0.form s0.xpos
s1.xpos
b0.form
b0.xpos
b0.form b0.xpos
b1.form
b1.xpos
b1.form b1.xpos
b2.xpos
b3.xpos
s0h.form
s0.label
s0l.label
s0r.label
b0l.label
s0.form s0.xpos b0.form b0.xpos
s0.form s0.xpos b0.xpos
s0.xpos b0.form b0.xpos
s0.form b0.form
s0.xpos b0.xpos
b0.xpos b1.xpos
s1.xpos s0.xpos
s1.xpos s0.xpos b0.xpos
s0.xpos b0.xpos b1.xpos
b0.xpos b1.xpos b2.xpos
b0.xpos b1.xpos b2.xpos b3.xpos
s0h.form s0.xpos b0.xpos
s0.label s0.xpos b0.xpos
s0l.label s0.xpos b0.xpos
s0r.label s0.xpos b0.xpos
b0l.label s0.xpos b0.xpos
s0l.label s0r.label s0.xpos
""".strip().splitlines()

# Zhang and Nivre (2011), tables 1 and 2.
ZHANG_NIVRE = """
s0.form s0.xpos
s0.form
s0.xpos
b0.form b0.xpos
b0.form
b0.xpos
b1.form b1.xpos
b1.form
b1.xpos
b2.form b2.xpos
b2.form
b2.xpos
s0.form s0.xpos b0.form b0.xpos
s0.form s0.xpos b0.form
s0.form b0.form b0.xpos
s0.form s0.xpos b0.xpos
s0.xpos b0.form b0.xpos
s0.form b0.form
s0.xpos b0.xpos
b0.xpos b1.xpos
b0.xpos b1.xpos b2.xpos
s0.xpos b0.xpos b1.xpos
s0h.xpos s0.xpos b0.xpos
s0.xpos s0l.xpos b0.xpos
s0.xpos s0r.xpos b0.xpos
s0.xpos b0.xpos b0l.xpos
s0.form s0-b0.distance
s0.xpos s0-b0.distance
b0.form s0-b0.distance
b0.xpos s0-b0.distance
s0.form b0.form s0-b0.distance
s0.xpos b0.xpos s0-b0.distance
s0.form s0.right_count
s0.xpos s0.right_count
s0.form s0.left_count
s0.xpos s0.left_count
b0.form b0.left_count
b0.xpos b0.left_count
s0h.form
s0h.xpos
s0.label
s0l.form
s0l.xpos
s0l.label
s0r.form
s0r.xpos
s0r.label
b0l.form
b0l.xpos
b0l.label
s0hh.form
s0hh.xpos
s0h.label
s0l2.form
s0l2.xpos
s0l2.label
s0r2.form
s0r2.xpos
s0r2.label
b0l2.form
b0l2.xpos
b0l2.label
s0.xpos s0l.xpos s0l2.xpos
s0.xpos s0r.xpos s0r2.xpos
s0.xpos s0h.xpos s0hh.xpos
b0.xpos b0l.xpos b0l2.xpos
s0.form s0.right_labels
s0.xpos s0.right_labels
s0.form s0.left_labels
s0.xpos s0.left_labels
b0.form b0.left_labels
b0.xpos b0.left_labels
""".strip().splitlines()

# What `rich` adds to Zhang and Nivre, by what it looks at.
GROUPS = {
    # Universal tags beside the treebank's own.
    "upos": """
s0.upos b0.upos
s0.upos b0.upos s0-b0.distance
s0.form b0.upos
s0.upos b0.form
s1.upos s0.upos b0.upos
s0.upos b0.upos b1.upos b2.upos
s0.upos s0.right_labels b0.upos
s0.upos s0.left_labels b0.upos
s0.upos b0.upos b0.left_labels
""",
    # The second and third word of the stack.
    "s1": """
s1.xpos
s1.form
s1.form s1.xpos
s1.xpos s0.xpos
s1.xpos b0.xpos
s1.xpos s0.xpos b0.xpos
s1.xpos b0.form
s1.form b0.xpos
s1.form b0.form
s1.form s0.xpos b0.xpos
s2.xpos s1.xpos s0.xpos
s2.xpos s1.xpos s0.xpos b0.xpos
s1.label s0.label
s1.label s1.xpos s0.xpos b0.xpos
s1r.label s1.xpos b0.xpos
""",
    # Verbs, punctuation and conjunctions between two words.
    "between": """
s0-b0.between
s0.xpos b0.xpos s0-b0.between
s0.upos b0.upos s0-b0.between s0-b0.distance
s0.form b0.xpos s0-b0.between
s0.xpos b0.form s0-b0.between
s1.xpos b0.xpos s1-b0.between
""",
    # Neighbours of the two words in the sentence.
    "context": """
s0+.xpos s0.xpos b0.xpos
s0-.xpos s0.xpos b0.xpos
s0.xpos b0-.xpos b0.xpos
s0.xpos s0+.xpos b0-.xpos b0.xpos
s0-.xpos s0.xpos b0.xpos b1.xpos
s0.xpos b0.xpos b1.xpos b2.xpos
s0.xpos b0.form b1.xpos
s0.form b0.xpos b1.xpos
s0.xpos b0.xpos b1.form
b0.form b1.form
b0.form b1.xpos
b0.xpos b1.xpos b2.xpos b3.xpos
s0.form b0.form b1.xpos
s0.upos b0.upos b1.form
s0.upos b0.upos b0-.form
s0.upos b0.upos s0+.form
""",
    # Morphology.
    "feats": """
s0.feats
b0.feats
s0.feats b0.feats
s0.feats b0.xpos
s0.xpos b0.feats
s0.feats s0.form
""",
    # Affixes and shapes, for words that training has not seen.
    "affix": """
s0.suffix3
b0.suffix3
s0.suffix2
b0.suffix2
s0.suffix3 b0.xpos
s0.xpos b0.suffix3
s0.suffix3 b0.suffix3
s0.prefix b0.xpos
s0.xpos b0.prefix
s0.shape b0.shape
s0.shape b0.xpos
s0.xpos b0.shape
""",
    # What the two words have taken so far, with both.
    "labels": """
s0.label s0.xpos b0.xpos
s0.label s0.form b0.xpos
s0.label s0.xpos b0.form
s0l.label s0.xpos b0.xpos
s0r.label s0.xpos b0.xpos
b0l.label s0.xpos b0.xpos
s0r.label s0.form b0.xpos
s0r.label s0.form b0.form
s0.right_labels s0.xpos b0.xpos
s0.left_labels s0.xpos b0.xpos
b0.left_labels s0.xpos b0.xpos
s0.right_labels s0.form b0.xpos
s0.right_labels s0.form b0.left_labels b0.upos
s0.left_labels s0.upos b0.left_labels b0.upos
s0.right_count s0.xpos b0.xpos
s0.right_count s0.left_count s0.label? s0.upos
s0h.label s0.label s0.xpos b0.xpos
""",
    # Words around the two in the partial tree: prepositions, heads, dependents.
    "children": """
b0l.form b0.xpos s0.xpos
b0l.form b0.xpos s0.form
b0l.form b0.form s0.form
b0l.form b0.upos s0.upos
b0l.form b0l.label s0.form
s0.form s0l.form b0.xpos
s0.xpos s0l.form b0.xpos
s0.xpos s0r.form b0.xpos
s0r.form s0.form b0.form
s0.form s0r.xpos b0.xpos
s0h.form s0.xpos b0.xpos
s0h.xpos s0.form b0.xpos
s0h.form s0.form b0.xpos
s0h.form b0.form
s0h.xpos b0.form
s0h.form b0.xpos
s0h.xpos s0.xpos b0.xpos s0.label
s0h.form b0l.form b0.xpos
s0hh.xpos b0.xpos
s0.xpos s0rr.xpos b0.xpos
s0.xpos s0ll.xpos b0.xpos
s0r.xpos s0r2.xpos s0.xpos b0.xpos
s0l.form s0.xpos
s0r.form s0.xpos
""",
    # Where the parse stands.
    "end": """
b0.ahead
s0.xpos b0.xpos b0.ahead
s0.xpos b0.xpos s0.depth
b0.form b0.ahead
s0.last_kind s0.xpos b0.xpos
s0.label? s0.xpos b0.xpos b0.ahead s0.depth
""",
}
ADDED = {name: text.strip().splitlines() for name, text in GROUPS.items()}

SETS = {
    "paper": PAPER,
    "zhang-nivre": ZHANG_NIVRE,
    "rich": ZHANG_NIVRE + [line for lines in ADDED.values() for line in lines],
}

# What a state knows of the top of the stack, of the front of the buffer, and of the words below.
_TOP = (
    *("s0.position", "s0h.position", "s0hh.position", "s0.label", "s0h.label"),
    *("s0l.position", "s0l.label", "s0l2.position", "s0l2.label", "s0.left_count"),
    *("s0r.position", "s0r.label", "s0r2.position", "s0r2.label", "s0.right_count"),
    *("s0.left_labels", "s0.right_labels", "s0ll.position", "s0rr.position", "s0rl.position"),
)
_FRONT = (
    *("b0.position", "b0l.position", "b0l.label", "b0l2.position", "b0l2.label"),
    *("b0.left_count", "b0.left_labels", "b0ll.position"),
)
_BELOW = (
    *("s0.position", "s0.label", "b0.position", "s1.position", "s1.label", "s1r.label"),
    "s2.position",
)
# Sums over templates that depend on nothing else are kept for all states of a sentence.
CACHED = (
    ("s0.position", "b0.position"),
    _TOP,
    _FRONT,
    _BELOW,
    ("s0.position", *_FRONT),
    (*_TOP, "b0.position"),
)
