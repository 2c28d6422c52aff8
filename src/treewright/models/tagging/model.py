"""Taggers to and from model directories: settings, arrays, and three lists of names."""

from dataclasses import fields

from treewright.errors import StoreError
from treewright.scores.tagging.dictionary import TagDictionary
from treewright.scores.tagging.encoder import TaggerEncoder
from treewright.scores.tagging.tagger import Pruning, Tagger, TaggerWeights
from treewright.storage.bundle import Bundle

DICTIONARY = ("frequency", "first", "tag")


def tagger_bundle(kind: str, tagger: Tagger) -> Bundle:
    """What a directory keeps of a tagger."""
    dictionary, pruning = tagger.dictionary, tagger.pruning
    config: dict[str, object] = {
        "templates": list(tagger.encoder.texts),
        "uses_pos": tagger.encoder.uses_pos,
        "order": tagger.order,
        "dictionary_cutoff": tagger.cutoff,
        "beta": pruning.beta,
        "most": pruning.most,
    }
    arrays = tagger.weights.arrays()
    arrays |= {f"dictionary_{name}": getattr(dictionary, name) for name in DICTIONARY}
    names = {"tags": tagger.tags, "words": dictionary.words, "pos": dictionary.pos}
    texts = {name: "".join(f"{item}\n" for item in items) for name, items in names.items()}
    return Bundle(kind, config, arrays, texts)


def tagger_from_bundle(kind: str, bundle: Bundle) -> Tagger:
    """The tagger that a bundle holds."""
    if bundle.kind != kind:
        raise StoreError(f"a model of kind {bundle.kind!r} where {kind!r} is needed")
    config, arrays = bundle.config, bundle.arrays
    names = {name: tuple(text.split("\n")[:-1]) for name, text in bundle.texts.items()}
    dictionary = TagDictionary(
        names["words"], names["pos"], *(arrays[f"dictionary_{name}"] for name in DICTIONARY)
    )
    encoder = TaggerEncoder(_strings(config["templates"]), bool(config["uses_pos"]))
    weights = TaggerWeights(**{field.name: arrays[field.name] for field in fields(TaggerWeights)})
    pruning = Pruning(_number(config["beta"]), 1, int(_number(config["most"])))
    order, cutoff = int(_number(config["order"])), int(_number(config["dictionary_cutoff"]))
    return Tagger(names["tags"], encoder, dictionary, weights, order, cutoff, pruning)


def _strings(value: object) -> list[str]:
    if not isinstance(value, list):
        raise StoreError(f"a list of templates is wanted, not {value!r}")
    return [str(item) for item in value]


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise StoreError(f"a number is wanted, not {value!r}")
    return value
