"""The CCG parser as a kind of model (kind "ccg"): on disk, on the command line."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from treewright.config import from_dict
from treewright.data.auto import read_auto
from treewright.data.records import Sentence
from treewright.data.text import read_text
from treewright.errors import ConfigError, StoreError
from treewright.forests.ccg.chart import ChartSettings
from treewright.formats.ccg.formats import FORMATS, FRAMES
from treewright.grammar.stored import grammar_arrays, grammar_texts, stored_grammar
from treewright.inference.settings import InferenceSettings
from treewright.models.ccg.analysis import CcgAnalysis
from treewright.models.ccg.parser import CcgParser, SearchSettings
from treewright.models.ccg.settings import CcgSettings
from treewright.models.ccg.training import train_ccg
from treewright.models.kinds import Kind, ParseOptions
from treewright.models.tagging.supertagger import Supertagger
from treewright.scores.ccg.scorer import CcgScorer
from treewright.storage.bundle import Bundle
from treewright.train.run import Run

NAME = "ccg"
# Of a line without words; other formats have nothing.
OF_NOTHING = {
    "drawing": "\n",
    "json": '{{"id": {id}, "tokens": [], "dependencies": [], "nodes": []}}\n',
}
GRAMMAR = "grammar."


class CcgModel:
    """A parser with its place on disk; `parse` and the rest are the parser's own."""

    formats = tuple(FORMATS)
    frames = FRAMES

    def __init__(self, parser: CcgParser) -> None:
        self.parser = parser
        self.parse, self.parse_many = parser.parse, parser.parse_many
        self.problems = parser.problems

    def with_settings(self, **changes: object) -> "CcgModel":
        """The same model with other settings: see `CcgParser.with_settings`."""
        return CcgModel(self.parser.with_settings(**changes))

    def bundle(self) -> Bundle:
        parser = self.parser
        config: dict[str, object] = {
            "templates": list(parser.scorer.templates),
            "chart": asdict(parser.chart),
            "search": asdict(parser.settings),
            "inference": asdict(parser.inference),
        }
        arrays: dict[str, Any] = {"keys": parser.scorer.keys, "weights": parser.scorer.weights}
        arrays |= {GRAMMAR + name: array for name, array in grammar_arrays(parser.grammar).items()}
        texts = {GRAMMAR + name: text for name, text in grammar_texts(parser.grammar).items()}
        return Bundle(NAME, config, arrays, texts, {"super": parser.supertagger.bundle()})

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "CcgModel":
        if bundle.kind != NAME:
            raise StoreError(f"a model of kind {bundle.kind!r} where {NAME!r} is needed")
        config: dict[str, Any] = dict(bundle.config)
        grammar = stored_grammar(_under(GRAMMAR, bundle.texts), _under(GRAMMAR, bundle.arrays))
        scorer = CcgScorer(config["templates"], bundle.arrays["keys"], bundle.arrays["weights"])
        return cls(
            CcgParser(
                grammar,
                Supertagger.from_bundle(bundle.parts["super"]),
                scorer,
                from_dict(ChartSettings, config["chart"], NAME),
                from_dict(SearchSettings, config["search"], NAME),
                from_dict(InferenceSettings, config["inference"], NAME),
            )
        )

    def read(self, source: Path, options: ParseOptions) -> Iterator[Sentence]:
        """Text, `word|POS` text, or by its name an AUTO file, of which the words are taken."""
        if source.suffix == ".auto":
            return (derivation.sentence for derivation in read_auto(source))
        return read_text(source, tagged=options.tagged)

    def blocks(
        self, sentences: Iterable[Sentence], form: str, options: ParseOptions
    ) -> Iterator[str]:
        """One block a sentence and rank."""
        if options.schedule is not None and options.beam is not None:
            raise ConfigError("--beam is a schedule of one beam: give it or --schedule")
        beams = options.beam if options.schedule is None else options.schedule
        changes = {"algorithm": options.decoder, "schedule": beams}
        given = {name: value for name, value in changes.items() if value is not None}
        parser = self.parser.with_settings(**given) if given else self.parser
        for analysis in parser.parse_many(sentences):
            yield from (block(each, form) for each in _ranked(analysis, options.k_best))


def _under(prefix: str, items: dict[str, Any]) -> dict[str, Any]:
    return {name[len(prefix) :]: item for name, item in items.items() if name.startswith(prefix)}


def _ranked(analysis: CcgAnalysis, k: int) -> list[CcgAnalysis]:
    return [analysis] if k == 1 else analysis.kbest(k)


def block(analysis: CcgAnalysis, form: str) -> str:
    """An analysis as `parse` prints it: a block of lines."""
    if not analysis.sentence.tokens:
        return OF_NOTHING.get(form, "").format(id=json.dumps(analysis.sentence.id))
    if form == "parg" and analysis.is_fragments:
        return ""  # the format cannot mark what is no parse
    if form == "drawing":
        return f"{analysis}\n"  # fragments one by one: a chain of hundreds takes long to draw
    text = FORMATS[form](analysis.derivation, analysis.dependencies)
    return text if text.endswith("\n") else text + "\n"


def _train(settings: CcgSettings, run: Run) -> CcgModel:
    return CcgModel(train_ccg(settings, run))


KIND = Kind(NAME, CcgSettings, _train, CcgModel.from_bundle, ray=True)
