"""What the CoNLL 2018 shared task compares of a word: cut relations, universal features.

The sets are those of the shared task's scorer, conll18_ud_eval.py; the rules are told at
universaldependencies.org/conll18/evaluation.html.
"""

from functools import lru_cache


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONTENT = _names(
    """
    nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod
    appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum
    root dep
    """
)
FUNCTIONAL = _names("aux cop mark det clf case cc")
FEATURES = _names(
    """
    PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree
    VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite
    """
)


def universal_relation(deprel: str) -> str:
    """A relation without its subtype: nmod for nmod:poss."""
    return deprel.partition(":")[0]


@lru_cache(maxsize=1 << 16)
def universal_features(feats: str) -> str:
    """The features that all treebanks share, sorted; nothing for `_`."""
    return "|".join(sorted(f for f in feats.split("|") if f.partition("=")[0] in FEATURES))
