"""The feature templates of taggers, in the groups that `benchmarks/taggers.py` ablates."""

POS_GROUPS: dict[str, list[str]] = {
    "the word": ["word[0]", "lower[0]", "digits[0]"],
    "words around it": ["lower[-2]", "lower[-1]", "lower[1]", "lower[2]"],
    "affixes": [f"{end}{n}[0]" for end in ("prefix", "suffix") for n in range(1, 5)],
    "shapes": ["shape[0]", "brief[0]", "brief[-1]", "brief[1]", "brief[-1] brief[0]"],
    "affixes around it": [
        *("suffix3[-1]", "suffix3[1]", "suffix2[-1] suffix2[0]", "suffix2[0] suffix2[1]")
    ],
    "pairs of words": [
        *("lower[-1] lower[0]", "lower[0] lower[1]", "lower[-1] lower[1]"),
        *("lower[-2] lower[-1]", "lower[1] lower[2]"),
    ],
}  # fmt: skip

SUPER_GROUPS: dict[str, list[str]] = {
    "the word": ["word[0]", "lower[0]", "word[0] pos[0]"],
    "words around it": ["word[-2]", "word[-1]", "word[1]", "word[2]"],
    "parts of speech": [f"pos[{i}]" for i in range(-3, 4)],
    "n-grams of parts of speech": [
        *("pos[-1] pos[0]", "pos[0] pos[1]", "pos[-2] pos[-1]", "pos[1] pos[2]", "pos[-1] pos[1]"),
        *("pos[-1] pos[0] pos[1]", "pos[-2] pos[-1] pos[0]", "pos[0] pos[1] pos[2]"),
        *("pos[0] pos[1] pos[2] pos[3]", "pos[-3] pos[-2] pos[-1] pos[0]"),
    ],
    "words with parts of speech": [
        *("word[0] pos[1]", "word[0] pos[-1]", "word[-1] pos[0]", "word[1] pos[0]"),
        *("lower[0] pos[1] pos[2]", "lower[0] pos[-1] pos[-2]", "lower[0] pos[-1] pos[1]"),
        *("pos[0] lower[1] pos[2]", "pos[0] pos[-1] lower[-2]"),
    ],
    "pairs of words": [
        *("lower[-1] lower[0]", "lower[0] lower[1]", "lower[-1] lower[1]"),
        *("lower[-2] lower[-1]", "lower[1] lower[2]"),
    ],
    "affixes and shapes": [
        *("suffix2[0]", "suffix3[0]", "suffix4[0]", "prefix2[0]", "brief[0]"),
        *("suffix2[0] pos[0]", "suffix3[0] pos[0]", "prefix3[0] pos[0]", "brief[0] pos[0]"),
        *("suffix2[-1] pos[0]", "suffix2[1] pos[0]"),
    ],
    "nearest verbs": [
        *("pos[0] pos@verb<", "pos[0] pos@verb>", "pos[0] lower@verb<", "pos[0] lower@verb>"),
        *("lower[0] pos@verb<", "lower[0] pos@verb>", "pos[0] pos@verb< pos@verb>"),
        *("pos[0] distance@verb<", "pos[0] distance@verb>", "lower[0] distance@verb<"),
        *("lower[0] lower@verb<", "lower[0] lower@verb>"),
        *("pos[0] pos[-1] pos@verb<", "pos[0] pos[1] pos@verb>"),
    ],
    "nearest nouns, prepositions ...": [
        *("pos[0] lower@noun<", "pos[0] lower@noun>", "pos[0] pos@comma<", "pos[0] pos@comma>"),
        *("pos[0] lower@wh<", "pos[0] lower@preposition<", "pos[0] distance@preposition<"),
        *("lower[0] lower@noun<", "lower[0] lower@noun>", "pos[0] lower@preposition>"),
        *("pos[0] pos@conjunction<", "pos[0] pos@conjunction>"),
    ],
}  # fmt: skip

# Morphology: tags of words, features given tags, lemmas given tags and features. Affixes are long,
# for morphologically rich languages.
UPOS_AFFIXES = ["suffix5[0]", "suffix6[0]"]
FEATS_GROUPS: dict[str, list[str]] = {
    "the word": [
        *("pos[0]", "lower[0]", "word[0] pos[0]", "lower[0] pos[0]", "brief[0] pos[0]"),
        *("prefix2[0] pos[0]", "prefix3[0] pos[0]"),
    ],
    "suffixes": [
        *(f"suffix{n}[0]" for n in range(2, 6)),
        *(f"suffix{n}[0] pos[0]" for n in range(1, 8)),
    ],
    "tags around it": [
        *("pos[-1] pos[0]", "pos[0] pos[1]", "pos[-1] pos[0] pos[1]"),
        *("pos[-2] pos[-1] pos[0]", "pos[0] pos[1] pos[2]"),
    ],
    "words around it": [
        *(f"lower[{i}] pos[0]" for i in (-2, -1, 1, 2)),
        *("suffix3[-1] pos[0]", "suffix3[1] pos[0]", "suffix2[-1] pos[-1] pos[0]"),
        *("suffix2[-1] suffix2[0] pos[0]", "suffix3[-1] suffix3[0] pos[0]"),
        "suffix2[0] suffix2[1] pos[0]",
    ],
}  # fmt: skip
LEMMA_GROUPS: dict[str, list[str]] = {
    "the word": [
        *("word[0]", "lower[0]", "word[0] pos[0]", "lower[0] pos[0]"),
        *("brief[0] pos[0]", "brief[0] coarse[0]", "lower[-1] lower[0]", "lower[0] lower[1]"),
    ],
    "suffixes": [
        *(f"suffix{n}[0]" for n in range(2, 6)),
        *(f"suffix{n}[0] {tag}[0]" for tag in ("pos", "coarse") for n in range(1, 8)),
    ],
    "prefixes": [
        *(f"prefix{n}[0] pos[0]" for n in range(1, 5)),
        *("suffix3[0] prefix2[0]", "suffix2[0] prefix1[0] pos[0]"),
    ],
}  # fmt: skip

POS_TEMPLATES = [template for group in POS_GROUPS.values() for template in group]
SUPER_TEMPLATES = [template for group in SUPER_GROUPS.values() for template in group]
UPOS_TEMPLATES = [*POS_TEMPLATES, *UPOS_AFFIXES]
FEATS_TEMPLATES = [template for group in FEATS_GROUPS.values() for template in group]
LEMMA_TEMPLATES = [template for group in LEMMA_GROUPS.values() for template in group]
