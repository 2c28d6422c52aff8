"""The feature templates of the two taggers, as chosen by `benchmarks/taggers.py`."""

POS_TEMPLATES = [
    *("word[0]", "lower[0]", "lower[-1]", "lower[1]", "lower[-2]", "lower[2]"),
    *("prefix1[0]", "prefix2[0]", "prefix3[0]", "prefix4[0]"),
    *("suffix1[0]", "suffix2[0]", "suffix3[0]", "suffix4[0]"),
    *("shape[0]", "brief[0]", "suffix3[-1]", "suffix3[1]", "brief[-1]", "brief[1]"),
    *("lower[-1] lower[0]", "lower[0] lower[1]", "lower[-1] lower[1]"),
    *("lower[-2] lower[-1]", "lower[1] lower[2]"),
    *("suffix2[-1] suffix2[0]", "suffix2[0] suffix2[1]"),
]

SUPER_TEMPLATES = [
    *("word[0]", "lower[0]", "word[-1]", "word[1]", "word[-2]", "word[2]"),
    *("pos[0]", "pos[-1]", "pos[1]", "pos[-2]", "pos[2]", "pos[-3]", "pos[3]"),
    *("pos[-1] pos[0]", "pos[0] pos[1]", "pos[-2] pos[-1]", "pos[1] pos[2]", "pos[-1] pos[1]"),
    *("pos[-1] pos[0] pos[1]", "pos[-2] pos[-1] pos[0]", "pos[0] pos[1] pos[2]"),
    *("pos[0] pos[1] pos[2] pos[3]", "pos[-3] pos[-2] pos[-1] pos[0]"),
    *("word[0] pos[0]", "word[0] pos[1]", "word[0] pos[-1]", "word[-1] pos[0]", "word[1] pos[0]"),
    *("lower[-1] lower[0]", "lower[0] lower[1]", "suffix2[0] pos[0]", "suffix3[0] pos[0]"),
    *("pos[0] pos@verb<", "pos[0] pos@verb>", "pos[0] lower@verb<", "pos[0] lower@verb>"),
    *("lower[0] pos@verb<", "lower[0] pos@verb>", "pos[0] pos@verb< pos@verb>"),
    *("pos[0] distance@verb<", "pos[0] distance@verb>"),
    *("pos[0] lower@noun<", "pos[0] lower@noun>", "pos[0] pos@comma<", "pos[0] pos@comma>"),
    *("pos[0] lower@wh<", "pos[0] lower@preposition<", "pos[0] distance@preposition<"),
]
