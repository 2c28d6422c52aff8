"""UDPipe 1 on the same treebank, tags and core as our parser: attachment, training, speed.

    pip install ufal.udpipe
    python -m benchmarks.dep_peers ../shared/data/dep-ewt --sentences 2000

Both train on the first sentences of train.conllu (0: all) with gold tags; UDPipe with its default
parser but for the options given. Attachment is of full labels on dev.conllu; CPU seconds of one
core, the parsers in turns, the best of three rounds.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from ufal import udpipe

from benchmarks.dep_parser import full_las
from benchmarks.table import markdown
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.inference.transition import TransitionParser
from treewright.models.dependency import DependencyParser, DependencySettings, training_data
from treewright.models.transition import new_learner

OPTIONS = "iterations=4;structured_interval=0"
HEADER = ("parser", "LAS, full labels", "training s", "sentences/s")
Parse = Callable[[], list[DependencyTree]]


def to_udpipe(trees: Sequence[DependencyTree]) -> list[udpipe.Sentence]:
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText("".join(map(conllu.format_sentence, trees)))
    error, found = udpipe.ProcessingError(), []
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise RuntimeError(error.message)
    return found


def train_udpipe(trees: Sequence[DependencyTree], options: str) -> udpipe.Model:
    error, none, sentences = udpipe.ProcessingError(), udpipe.Trainer.NONE, udpipe.Sentences()
    for sentence in to_udpipe(trees):
        sentences.append(sentence)
    model = udpipe.Trainer.train(
        "morphodita_parsito", sentences, udpipe.Sentences(), none, none, options, error
    )
    if error.occurred():
        raise RuntimeError(error.message)
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(model)
        return udpipe.Model.load(file.name)


def parse_udpipe(
    model: udpipe.Model, sentences: Sequence[udpipe.Sentence], gold: Sequence[DependencyTree]
) -> list[DependencyTree]:
    error, found = udpipe.ProcessingError(), []
    for sentence, tree in zip(sentences, gold, strict=True):
        model.parse(sentence, udpipe.Model.DEFAULT, error)
        pairs = zip(tree.words, list(sentence.words)[1:], strict=True)
        words = tuple(word._replace(head=w.head, deprel=w.deprel) for word, w in pairs)
        found.append(DependencyTree(words))
    return found


def train_ours(trees: Sequence[DependencyTree]) -> DependencyParser:
    settings = DependencySettings(tagger=False)
    data, how = training_data(settings, [tree.words for tree in trees], []), settings.transition
    learner = new_learner(settings, data)
    corpus, rng = learner.corpus(data.sentences, data.gold), np.random.default_rng(1)
    for _ in range(how.passes):
        learner.learn_all(corpus, rng.permutation(len(corpus)))
    parser = TransitionParser(learner.shape, learner.averaged(how.threshold), how.beam)
    return DependencyParser(settings, data.encoder, parser, None)


def timed(work: Callable[[], object]) -> tuple[object, float]:
    began = time.process_time()
    return work(), time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="a folder with train.conllu and dev.conllu")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--udpipe", default=OPTIONS, help="its parser options")
    chosen = parser.parse_args()
    train = list(islice(conllu.read(chosen.data / "train.conllu"), chosen.sentences or None))
    dev = list(conllu.read(chosen.data / "dev.conllu"))
    ours, our_time = timed(lambda: train_ours(train))
    theirs, their_time = timed(lambda: train_udpipe(train, chosen.udpipe))
    given = to_udpipe(dev)
    parsers: dict[str, Parse] = {
        "Treewright": lambda: [each.tree for each in ours.parse_batch(dev)],  # type: ignore[attr-defined]
        "UDPipe 1": lambda: parse_udpipe(theirs, given, dev),  # type: ignore[arg-type]
    }
    best: dict[str, tuple[float, float]] = {}
    for _ in range(3):
        for name, parse in parsers.items():
            found, seconds = timed(parse)
            seconds = min(seconds, best.get(name, (0.0, seconds))[1])
            best[name] = full_las(found, dev), seconds  # type: ignore[arg-type]
    times = {"Treewright": our_time, "UDPipe 1": their_time}
    rows = [
        [n, f"{a:.2f}", f"{times[n]:.0f}", f"{len(dev) / s:,.0f}"] for n, (a, s) in best.items()
    ]
    print(markdown(HEADER, rows))


if __name__ == "__main__":
    main()
