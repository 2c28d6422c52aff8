"""Dependency parsers to compare: Treewright, UDPipe 1 and spaCy; SuPar's are in `supar_parsers`.

Each learns from tagged trees and parses tagged sentences. What a parser reads (its own documents)
is made before the clock runs, and so are trees of its answers after it; ours gets no such help.
"""

import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np

from benchmarks.supar_parsers import SuPar, SuParTrees
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.data.vectors import read_vectors
from treewright.models.dependency.analysis import parsed_tree
from treewright.models.dependency.parser import DependencyParser
from treewright.models.dependency.settings import DependencySettings, saved_config
from treewright.models.dependency.training import training_data
from treewright.models.dependency.transition.algorithm import TransitionTrees, new_learner
from treewright.models.kinds import load
from treewright.models.training import plan_of, train
from treewright.neural.settings import EncoderSettings
from treewright.train.run import Run

Trees = Sequence[DependencyTree]
MOST_VECTORS = EncoderSettings().max_vectors


class Contender(Protocol):
    """A parser under test; `options` of its training come from the command line."""

    def train(self, trees: Trees, model: Path, options: str) -> None: ...
    def load(self, model: Path) -> None: ...
    def prepare(self, sentences: Trees) -> Any: ...
    def parse(self, given: Any) -> Any: ...
    def trees(self, found: Any, sentences: Trees) -> list[DependencyTree]: ...


class Treewright:
    """The default model without its tagger; no dev set chooses the pass."""

    def train(self, trees: Trees, model: Path, options: str) -> None:
        settings = DependencySettings(tagger=False)
        data, how = training_data(settings, [tree.words for tree in trees], []), settings.transition
        learner = new_learner(settings, data)
        corpus, rng = learner.corpus(data.sentences, data.gold), np.random.default_rng(1)
        for _ in range(int(options)):
            learner.learn_all(corpus, rng.permutation(len(corpus)))
        found = TransitionTrees.of(learner.shape, learner.averaged(), how.beam)
        DependencyParser(saved_config(settings), data.encoder, found, None).save(model)

    def load(self, model: Path) -> None:
        self.parser = DependencyParser.load(model)

    def prepare(self, sentences: Trees) -> Trees:
        return sentences

    def parse(self, given: Trees) -> list[DependencyTree]:
        return [each.tree for each in self.parser.parse_many(given)]

    def trees(self, found: list[DependencyTree], _: Trees) -> list[DependencyTree]:
        return found


# Chosen on dev, after training on the first 2,000 sentences.
SCORER: dict[str, Any] = {
    "kind": "neural",
    "encoder": {"tags": True, "width": 192},
    "hidden": 192,
    "label_hidden": 48,
    "dropout": 0.25,
    "rate": 3e-3,
    "batch": 600,
}


class Network(Treewright):
    """A network from scratch that takes tags: hashed embeddings, LSTMs, all trees.

    Options: passes, and optionally a file of static vectors.
    """

    def train(self, trees: Trees, model: Path, options: str) -> None:
        passes, _, vectors = options.partition(" ")
        static = {"vectors": vectors} if vectors else {}
        with TemporaryDirectory() as scratch:
            conllu.write(trees, Path(scratch) / "train.conllu")
            config: dict[str, Any] = {"kind": "dep", "train": f"{scratch}/train.conllu"}
            encoder = {**SCORER["encoder"], **static}
            config["scorer"] = {**SCORER, "encoder": encoder, "iterations": int(passes)}
            plan = plan_of({**config, "tokeniser": False, "tagger": False}, "network")
            run = Run(Path(scratch) / "run", threads=1, seed=1, quiet=True)
            load(train(plan, run)).save(model)

    def load(self, model: Path) -> None:
        self.parser = load(model)


class UDPipe:
    """Its default parser and search but for the options given; neither tagger nor tokeniser."""

    def train(self, trees: Trees, model: Path, options: str) -> None:
        from ufal import udpipe

        error, none, sentences = udpipe.ProcessingError(), udpipe.Trainer.NONE, udpipe.Sentences()
        for sentence in self.prepare(trees):
            sentences.append(sentence)
        content = udpipe.Trainer.train(
            "morphodita_parsito", sentences, udpipe.Sentences(), none, none, options, error
        )
        _check(error)
        model.write_bytes(content)

    def load(self, model: Path) -> None:
        from ufal import udpipe

        self.model = udpipe.Model.load(str(model))

    def prepare(self, sentences: Trees) -> list[Any]:
        from ufal import udpipe

        reader = udpipe.InputFormat.newConlluInputFormat()
        reader.setText("".join(map(conllu.format_sentence, sentences)))
        error, found, sentence = udpipe.ProcessingError(), [], udpipe.Sentence()
        while reader.nextSentence(sentence, error):
            found.append(sentence)
            sentence = udpipe.Sentence()
        _check(error)
        return found

    def parse(self, given: list[Any]) -> list[Any]:
        from ufal import udpipe

        error = udpipe.ProcessingError()
        for sentence in given:
            self.model.parse(sentence, udpipe.Model.DEFAULT, error)
        _check(error)
        return given

    def trees(self, found: list[Any], sentences: Trees) -> list[DependencyTree]:
        made = []
        for sentence, tree in zip(found, sentences, strict=True):
            words = list(sentence.words)[1:]
            made.append(parsed_tree(tree, [w.head for w in words], [w.deprel for w in words]))
        return made


def _check(error: Any) -> None:
    if error.occurred():
        raise RuntimeError(error.message)


SPACY_EMBEDDING = {
    "@architectures": "spacy.MultiHashEmbed.v2",
    "width": 96,
    "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE", "TAG", "POS"],
    "rows": [5000, 1000, 2500, 2500, 500, 500],
    "include_static_vectors": False,
}
SPACY_PARSER: dict[str, Any] = {
    "model": {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": SPACY_EMBEDDING,
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": 96,
                "window_size": 1,
                "maxout_pieces": 3,
                "depth": 4,
            },
        },
    }
}


class SpaCy:
    """Its CNN, tags embedded; batches, dropout and averages of its default config.

    Sentence boundaries are given, so that it is not asked to find them. Options: steps, and
    optionally a file of static vectors.
    """

    def train(self, trees: Trees, model: Path, options: str) -> None:
        import spacy
        from spacy.training import Example
        from spacy.util import fix_random_seed

        fix_random_seed(1)
        number, _, vectors = options.partition(" ")
        self.nlp, config = spacy.blank("en"), deepcopy(SPACY_PARSER)
        if vectors:
            self._add_vectors(Path(vectors))
            config["model"]["tok2vec"]["embed"]["include_static_vectors"] = True
        parser = self.nlp.add_pipe("parser", config=config)
        given = [tree for tree in trees if len(tree)]
        gold = [self._doc(tree, True) for tree in given]
        optimizer = self.nlp.initialize(lambda: map(Example, self.prepare(given), gold))
        done, steps, rng = 0, int(number), random.Random(1)
        while done < steps:
            examples = list(map(Example, self.prepare(given), gold))
            rng.shuffle(examples)
            for batch in _by_words(examples, done):
                if done < steps:
                    parser.update(batch, drop=0.1, sgd=optimizer)
                    done += 1
        with self.nlp.use_params(optimizer.averages):
            self.nlp.to_disk(model)

    def load(self, model: Path) -> None:
        import spacy

        self.nlp = spacy.load(model)

    def prepare(self, sentences: Trees) -> list[Any]:
        return [self._doc(tree, False) for tree in sentences]

    def parse(self, given: list[Any]) -> list[Any]:
        return list(self.nlp.get_pipe("parser").pipe(given, batch_size=256))

    def trees(self, found: list[Any], sentences: Trees) -> list[DependencyTree]:
        made = []
        for doc, tree in zip(found, sentences, strict=True):
            heads = [0 if word.head.i == word.i else word.head.i + 1 for word in doc]
            labels = ["root" if word.dep_ == "ROOT" else word.dep_ for word in doc]
            made.append(parsed_tree(tree, heads, labels))
        return made

    def _add_vectors(self, path: Path) -> None:
        """Those of lower-case words, as our network takes them."""
        from spacy.vectors import Vectors

        words, table = read_vectors(path, MOST_VECTORS)
        strings = self.nlp.vocab.strings
        self.nlp.vocab.vectors = Vectors(
            strings=strings, keys=list(map(strings.add, words)), data=table, attr="LOWER"
        )

    def _doc(self, tree: DependencyTree, with_tree: bool) -> Any:
        from spacy.tokens import Doc

        words = tree.words
        gold = {}
        if with_tree:
            gold["heads"] = [w.head - 1 if w.head else i for i, w in enumerate(words)]
            gold["deps"] = [w.deprel if w.head else "ROOT" for w in words]
        else:
            gold["sent_starts"] = [i == 0 for i in range(len(words))]
        tags = {"tags": [w.xpos for w in words], "pos": [w.upos for w in words]}
        return Doc(self.nlp.vocab, words=[w.form for w in words], **tags, **gold)


def _by_words(examples: Sequence[Any], done: int) -> Iterator[list[Any]]:
    """Batches of 100 words and more, up to 1,000, as the number of steps done grows."""
    batch: list[Any] = []
    words = 0
    for example in examples:
        batch.append(example)
        words += len(example)
        if words >= min(1000, 100 * 1.001**done):
            yield batch
            batch, words, done = [], 0, done + 1
    if batch:
        yield batch


CONTENDERS: dict[str, type[Contender]] = {
    "Treewright": Treewright, "Treewright, neural": Network, "UDPipe 1": UDPipe, "spaCy": SpaCy,
    "SuPar, biaffine": SuPar, "SuPar, all trees": SuParTrees,
}  # fmt: skip
