"""The names of a network's heads, and the parts that neural parsers share."""

from collections.abc import Sequence
from dataclasses import replace

from treewright.errors import StoreError
from treewright.models.dependency.parser import TAGS, TOKENS
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
    return replace(part, parts={k: bundle.parts[k] for k in SHARED if k in bundle.parts})
