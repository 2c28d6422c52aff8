"""The names of a network's heads, and the parts that neural parsers share."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from treewright.errors import ConfigError, StoreError
from treewright.models.dependency.parser import TAGS, TOKENS
from treewright.models.kinds import load
from treewright.scores.dependency.encoder import Tagged
from treewright.scores.neural.network import KIND as NETWORK
from treewright.scores.neural.network import TrainedNetwork
from treewright.scores.neural.words import tagged_word
from treewright.storage.bundle import Bundle
from treewright.text.tokeniser import Tokeniser, tokeniser_bundle, tokeniser_from_bundle

TAG, FEATS, LEMMA, ARCS = "tag", "feats", "lemma", "arcs"
SUPER, SLOTS, RULES = "super", "slots", "rules"
SPANS, POS = "spans", "pos"
DEPENDENCY, CCG, CONSTITUENCY = (ARCS, TAG, FEATS, LEMMA), (SUPER, SLOTS, TAG), (SPANS, POS)
FEATURES = "features"  # the part of a parser with a log-linear model
ORDER = ("dep", "ccg", "const")  # of the parsers in a family
CHAIN = " "  # joins the labels of a unary chain, topmost first
SHARED = (NETWORK, TOKENS, TAGS)  # the shared part of parsers in a family


def tagged_forms(words: Sequence[Tagged]) -> tuple[str, ...]:
    """The words of a sentence with their tags, for networks that take tags."""
    return tuple(tagged_word(word.form, word.upos, word.xpos) for word in words)


def shared_parts(
    network: TrainedNetwork, heads: Sequence[str], tokeniser: Tokeniser | None
) -> dict[str, Bundle]:
    """The network with some heads, and the tokeniser if there is one."""
    tokens = {TOKENS: tokeniser_bundle(tokeniser)} if tokeniser else {}
    return {NETWORK: network.only(heads), **tokens}


def usable(directory: Path, features: Callable[[Any], Any]) -> Bundle:
    """The bundle of a log-linear model as part of a neural one.

    features: makes the features of a model, which have this bundle, or raises a ConfigError.
    """
    try:
        bundle: Bundle = features(load(directory)).bundle()
    except ConfigError as error:
        raise ConfigError(f"{directory}: {error}") from error
    return bundle


def check_weight(weight: float) -> None:
    """Raises an error if this is no weight of features."""
    if not 0 <= weight < inf:
        raise ValueError(f"feature_weight must be finite and not negative, not {weight}")


def stored_network(bundle: Bundle) -> TrainedNetwork:
    """The network of a parser."""
    return TrainedNetwork.from_bundle(bundle.parts[NETWORK])


def stored_tokeniser(bundle: Bundle) -> Tokeniser | None:
    """The tokeniser of a parser, if it has one."""
    tokens = bundle.parts.get(TOKENS)
    return tokeniser_from_bundle(tokens) if tokens else None


def member(bundle: Bundle, wanted: str | None = None) -> Bundle:
    """The bundle of one parser with the shared parts: the named parser, or the first."""
    known = [name for name in ORDER if name in bundle.parts]
    name = wanted or next(iter(known), "")
    if name not in known:
        raise StoreError(f"this neural model has no part {name!r}, but {', '.join(known)}")
    part = bundle.parts[name]
    shared = {k: bundle.parts[k] for k in SHARED if k in bundle.parts}
    return replace(part, parts={**part.parts, **shared})
