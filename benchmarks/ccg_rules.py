"""Trains a head for the rules of CCG derivations on a trained network, which stays as it is.

    python -m benchmarks.ccg_rules en-neural-ccg DATA/ccg-ewt/train.auto --out runs/rules
    python -m benchmarks.ccg_weights runs/rules DATA/ccg-ewt/dev.auto --rules 0
    python -m benchmarks.ccg_weights runs/rules DATA/ccg-ewt/dev.auto --rules 0.3

Only the head learns, so that parsers with and without its scores differ in nothing else. The
weights of the new head have 32 bits.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from treewright.models.kinds import load
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.data import Corpus, read_corpus
from treewright.models.neural.members import RULES
from treewright.models.neural.settings import CcgHeadSettings, JointSettings
from treewright.neural.batches import shuffled_batches
from treewright.neural.export import traced
from treewright.neural.heads import RuleHead
from treewright.neural.rules import RulePart
from treewright.scores.neural.graphs import as_bytes
from treewright.scores.neural.network import HEAD, LABELS, TrainedNetwork


def vectors_of(network: TrainedNetwork, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
    """The vectors of the words of each sentence."""
    return [torch.from_numpy(network.encoder.vectors([words])[0].copy()) for words in sentences]


def trained(
    vectors: Sequence[Tensor], corpus: Corpus, options: argparse.Namespace
) -> tuple[RuleHead, RulePart]:
    """A head that has learnt from the training sentences."""
    torch.manual_seed(options.seed)
    labels, gold = corpus.labels[RULES], corpus.train.gold[RULES]
    head = RuleHead(vectors[0].shape[1], len(labels), options.hidden, options.dropout)
    part = RulePart(RULES, labels, gold)
    lengths = [len(each) for each in vectors]
    epochs = [
        shuffled_batches(lengths, options.batch, options.seed, number)
        for number in range(options.iterations)
    ]
    steps = sum(map(len, epochs))
    adam = torch.optim.AdamW(head.parameters(), lr=options.rate, betas=(0.9, 0.98))
    decay = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: 1.0 - step / steps)
    for number, epoch in enumerate(epochs, 1):
        total = 0.0
        for batch in epoch:
            rows = torch.nn.utils.rnn.pad_sequence([vectors[i] for i in batch], batch_first=True)
            value = part.loss(head(rows), [gold[i] for i in batch])
            adam.zero_grad()
            (value / sum(lengths[i] for i in batch)).backward()
            torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0)
            adam.step()
            decay.step()
            total += value.item()
        print(f"epoch {number}: loss per word {total / sum(lengths):.4f}", flush=True)
    return head.eval(), part


def scored(head: RuleHead, part: RulePart, vectors: Sequence[Tensor], gold: object) -> str:
    """F1 of the labels of spans that are chosen one by one."""
    counts = [0.0, 0.0, 0.0]
    assert isinstance(gold, dict)
    with torch.inference_mode():
        for number, each in enumerate(vectors):
            found = part.count(head(each[None]), [gold[number]])
            counts = [a + b for a, b in zip(counts, found, strict=True)]
    n, d, y = counts
    return f"F1 of labelled spans on dev, one by one: {200 * n / (d + y):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("train", type=Path)
    parser.add_argument("--dev", type=Path, help="score the spans of these sentences")
    parser.add_argument("--out", type=Path, required=True, help="directory for the parser")
    parser.add_argument("--iterations", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--dropout", type=float, default=0.33)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--batch", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    model = load(options.model)
    assert isinstance(model, NeuralCcgParser)
    network = model.supertagger.network
    how = CcgHeadSettings(train=options.train, dev=options.dev)
    corpus = read_corpus(JointSettings(ccg=how), (RULES,))
    start = time.process_time()
    head, part = trained(vectors_of(network, corpus.train.words), corpus, options)
    print(f"{len(corpus.train.words)} sentences, {len(part.labels)} labels, ", end="")
    print(f"{time.process_time() - start:.0f} s")
    if options.dev is not None:
        dev = vectors_of(network, corpus.dev.words)
        print(scored(head, part, dev, corpus.dev.gold[RULES]))
    sample = torch.zeros(2, 5, head.begin.in_features // 2)
    arrays = {**network.bundle.arrays, HEAD + RULES: as_bytes(traced(head, (sample,)))}
    names = "".join(f"{label}\n" for label in part.labels)
    texts = {**network.bundle.texts, RULES + LABELS: names}
    made = TrainedNetwork.from_bundle(replace(network.bundle, arrays=arrays, texts=texts))
    config = replace(model.config, rule_weight=0.3)
    NeuralCcgParser.of(made, model.grammar, config, model.scorer.features).save(options.out)


if __name__ == "__main__":
    main()
