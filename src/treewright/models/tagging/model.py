"""Bundles of taggers: settings, arrays, and lists of tags and words."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from treewright.config import from_dict
from treewright.errors import StoreError
from treewright.models.tagging.analysis import Decoder
from treewright.scores.tagging.base import SequenceTagger
from treewright.scores.tagging.dictionary import TagDictionary
from treewright.scores.tagging.encoder import TaggerEncoder
from treewright.scores.tagging.tagger import Pruning, Tagger, TaggerWeights
from treewright.storage.bundle import Bundle

DICTIONARY = ("frequency", "first", "tag")


@dataclass(frozen=True)
class TaggerConfig:
    """The saved configuration of a tagger."""

    templates: list[str]
    uses_pos: bool
    order: int
    dictionary_cutoff: int
    beta: float
    most: int
    decoder: Decoder = "min-risk"


def tagger_bundle(kind: str, tagger: Tagger, decoder: Decoder = "min-risk") -> Bundle:
    """The bundle of a tagger."""
    dictionary, pruning, encoder = tagger.dictionary, tagger.pruning, tagger.encoder
    config = TaggerConfig(
        list(encoder.texts),
        encoder.uses_pos,
        tagger.order,
        tagger.cutoff,
        pruning.beta,
        pruning.most,
        decoder,
    )
    arrays = tagger.weights.arrays()
    arrays |= {f"dictionary_{name}": getattr(dictionary, name) for name in DICTIONARY}
    names = {"tags": tagger.tags, "words": dictionary.words, "pos": dictionary.pos}
    texts = {name: "".join(f"{item}\n" for item in items) for name, items in names.items()}
    return Bundle(kind, asdict(config), arrays, texts)


def tags_bundle(rows: Sequence[Sequence[str]]) -> Bundle:
    """A bundle of the tags of sentences, for the run directory."""
    return Bundle("tags", texts={"tags": "".join(f"{' '.join(row)}\n" for row in rows)})


def tags_from_bundle(bundle: Bundle) -> list[list[str]]:
    """The tags in a bundle from `tags_bundle`."""
    return [row.split(" ") for row in bundle.texts["tags"].split("\n")[:-1]]


def log_linear(tagger: SequenceTagger) -> Tagger:
    """The tagger itself, if it is log-linear; a network's tagger has no weights of its own."""
    if not isinstance(tagger, Tagger):
        raise TypeError("a network's tagger belongs to the model of the network")
    return tagger


def stored_decoder(bundle: Bundle) -> Decoder:
    """The decoder saved with a model."""
    return from_dict(TaggerConfig, bundle.config, "config.toml").decoder


def tagger_from_bundle(kind: str, bundle: Bundle) -> Tagger:
    """The tagger in a bundle."""
    if bundle.kind != kind:
        raise StoreError(f"expected a model of kind {kind!r}, not {bundle.kind!r}")
    config, arrays = from_dict(TaggerConfig, bundle.config, "config.toml"), bundle.arrays
    names = {name: tuple(text.split("\n")[:-1]) for name, text in bundle.texts.items()}
    dictionary = TagDictionary(
        names["words"], names["pos"], *(arrays[f"dictionary_{name}"] for name in DICTIONARY)
    )
    encoder = TaggerEncoder(config.templates, config.uses_pos)

    def weights() -> TaggerWeights:
        return TaggerWeights(**{each.name: arrays[each.name] for each in fields(TaggerWeights)})

    pruning = Pruning(config.beta, 1, config.most)
    return Tagger(
        names["tags"],
        encoder,
        dictionary,
        weights,
        config.order,
        config.dictionary_cutoff,
        pruning,
    )
