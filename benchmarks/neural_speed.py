"""Speed and memory of neural parsers on one core: `python -m benchmarks.neural_speed --text FILE`.

    python -m benchmarks.neural_speed --text dev.conllu --models en-neural-dep en-neural-ccg
    python -m benchmarks.neural_speed --text dev.conllu --float32

Parses the sentences of a CoNLL-U file from words alone, and sentences of set lengths that are
strung together from them. The encoder's share is the time that it takes for the same sentences.
With --float32, the weights of the model are written in 32 bits; then memory includes PyTorch.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from benchmarks.measure import growth, peak_mb
from benchmarks.table import markdown
from treewright.data import conllu
from treewright.models.kinds import load
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.scores.neural.network import TrainedNetwork

LENGTHS, MOST = (10, 20, 40, 80, 160), 8
Words = Sequence[str]


def with_float32(name: str, parser: Any) -> Any:
    """The same parser with the weights of its network in 32 bits; this alone needs PyTorch."""
    from treewright.models.neural.training import first_network, trained_model
    from treewright.neural.export import exported
    from treewright.neural.settings import EncoderSettings, NeuralSettings

    trained = trained_model(name)
    assert trained is not None, f"{name} is not a neural model"
    labels = TrainedNetwork.from_bundle(trained).labels
    network, started = first_network(NeuralSettings(EncoderSettings(name)), labels, trained)
    assert set(started) == set(labels), "a head has another shape than new ones"
    arrays = exported(network, labels, quantised=False).arrays
    made = TrainedNetwork.from_bundle(replace(trained, arrays=arrays))
    if isinstance(parser, NeuralCcgParser):
        return NeuralCcgParser.of(made, parser.grammar, parser.config, parser.scorer.features)
    return type(parser)(parser.config, made)


def seconds(run: Callable[[], object]) -> float:
    """CPU time."""
    start = time.process_time()
    run()
    return time.process_time() - start


def network_of(parser: Any) -> TrainedNetwork:
    """The network of a dependency, CCG or constituency parser."""
    found = getattr(parser, "network", None) or parser.supertagger.network
    assert isinstance(found, TrainedNetwork)
    return found


def encoded(network: TrainedNetwork, sentences: Sequence[Words]) -> None:
    """Runs the encoder on sentences as parsers do, in batches."""
    left = iter(sentences)
    while batch := list(islice(left, 64)):
        network.encoder.vectors(batch)


def times(parser: Any, sentences: Sequence[Words]) -> tuple[float, float]:
    """CPU seconds of parsing, and of the encoder alone; neither finds vectors of earlier runs."""
    network = network_of(parser)
    found = []
    for run in (lambda: list(parser.parse_many(sentences)), lambda: encoded(network, sentences)):
        network.encoder.forget()
        found.append(seconds(run))
    return found[0], found[1]


def strung(words: Iterator[str], length: int, most: int) -> list[list[str]]:
    """Sentences of a length, the words of a text in their order."""
    found = (list(islice(words, length)) for _ in range(most))
    return [sentence for sentence in found if len(sentence) == length]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--text", type=Path, required=True, help="CoNLL-U")
    names = ["en-neural-dep", "en-neural-ccg", "en-neural-const"]
    parser.add_argument("--models", nargs="+", default=names)
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--float32", action="store_true", help="weights in 32 bits")
    options = parser.parse_args()
    sentences = [tree.forms for tree in conllu.read(options.text) if tree.words]
    rows = []
    for name in options.models:
        model = with_float32(name, load(name)) if options.float32 else load(name)
        list(model.parse_many(sentences[:2]))  # sessions of ONNX Runtime are made when needed
        whole, encoder = times(model, sentences[: options.sentences])
        rate = min(options.sentences, len(sentences)) / whole
        lengths = [
            times(model, strung(chain.from_iterable(sentences), n, MOST))[0] / MOST for n in LENGTHS
        ]
        cells = [f"{1000 * each:.1f}" for each in lengths]
        exponent = growth(list(LENGTHS), lengths)
        first = name, f"{rate:.0f}", f"{100 * encoder / whole:.0f} %"
        rows.append([*first, *cells, f"{exponent:.2f}", f"{peak_mb():,.0f}"])
    columns = ["model", "sentences/s", "encoder", *(f"{n} words, ms" for n in LENGTHS)]
    print(markdown([*columns, "growth", "peak RSS MB"], rows))


if __name__ == "__main__":
    main()
