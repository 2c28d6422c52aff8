"""Tokenisers to and from model directories."""

from treewright.errors import StoreError
from treewright.scores.tagging.encoder import compile_templates
from treewright.scores.tagging.positions import PositionModel
from treewright.storage.bundle import Bundle
from treewright.text.lexicon import Lexicon
from treewright.text.splitter import Splitter
from treewright.text.tags import NAMES
from treewright.text.tokeniser import Tokeniser

KIND, SPLITS, LEXICON = "tok", "splits", "lexicon_"
WEIGHTS = ("set_first", "set_tag", "keys", "row_first", "row_tag", "weight")


def tokeniser_bundle(tokeniser: Tokeniser) -> Bundle:
    """What a directory keeps of a tokeniser."""
    config: dict[str, object] = {
        "templates": list(tokeniser.templates),
        "blanks_inside": tokeniser.blanks_inside,
        "dense": tokeniser.lexicon.dense,
        "bias": tokeniser.bias,
    }
    lexicon = tokeniser.lexicon.arrays()
    arrays = {name: getattr(tokeniser.model, name) for name in WEIGHTS}
    arrays |= {LEXICON + name: array for name, array in lexicon.items()}
    return Bundle(KIND, config, arrays, {SPLITS: tokeniser.splitter.rows()})


def tokeniser_from_bundle(bundle: Bundle) -> Tokeniser:
    """The tokeniser that a bundle holds."""
    if bundle.kind != KIND:
        raise StoreError(f"a model of kind {bundle.kind!r} where {KIND!r} is needed")
    config, arrays = bundle.config, bundle.arrays
    templates = config["templates"]
    if not isinstance(templates, list):
        raise StoreError(f"a list of templates is wanted, not {templates!r}")
    texts = [str(text) for text in templates]
    weights = {name: arrays[name] for name in WEIGHTS}
    model = PositionModel(compile_templates(texts, ()), len(NAMES), **weights)
    names = ("words", "cased", "case", "cut")
    lexicon = Lexicon(bool(config["dense"]), *(arrays[LEXICON + name] for name in names))
    splitter = Splitter.from_rows(bundle.texts[SPLITS])
    bias = float(str(config["bias"]))
    return Tokeniser(texts, model, lexicon, splitter, bool(config["blanks_inside"]), bias)
