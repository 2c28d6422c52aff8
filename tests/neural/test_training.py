"""Training of networks: minibatches, learning, and runs that are continued."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.neural.tiny import write_encoder
from treewright.inference.trees import labelled_spanning_trees
from treewright.neural.batches import Batch, batches, shuffled_batches
from treewright.neural.dependency import ArcPart
from treewright.neural.encoder import Encoder
from treewright.neural.heads import ArcHead
from treewright.neural.network import Network, encoded_batches, kept_encoder, new_encoder
from treewright.neural.parts import JointTask
from treewright.neural.settings import EncoderSettings, NeuralSettings
from treewright.neural.training import train_network
from treewright.torch import TreeLoss
from treewright.train.loop import Arrays
from treewright.train.online import Parse
from treewright.train.run import Run

SETTINGS = NeuralSettings(
    EncoderSettings(width=32, layers=2, rows=100), hidden=16, label_hidden=8, batch=30, iterations=4
)
NOUNS, VERBS = ("she", "dogs", "books", "he"), ("reads", "sees", "likes")


def bank() -> tuple[list[list[str]], list[Parse]]:
    """Noun, verb, noun, with or without an adverb: any order of training learns them."""
    sentences, trees = [], []
    for number in range(24):
        words = [NOUNS[number % 4], VERBS[number % 3], NOUNS[number // 4 % 4]]
        heads, labels = [2, 0, 2], [0, 1, 2]
        if number % 2:
            words, heads, labels = [*words, "often"], [*heads, 2], [*labels, 3]
        sentences.append(words)
        trees.append(Parse(np.array(heads, np.int32), np.array(labels, np.int32)))
    return sentences, trees


def arc_network(encoder: Encoder, settings: NeuralSettings) -> Network:
    head = ArcHead(encoder.width, 4, settings.hidden, settings.label_hidden, settings.dropout)
    return Network(encoder, {"arcs": head}, settings)


def task(
    settings: NeuralSettings, objective: TreeLoss | None = None, made: type[JointTask] = JointTask
) -> JointTask:
    torch.manual_seed(3)
    encoder = new_encoder(settings.encoder)
    sentences, trees = bank()
    prepared, lengths = [encoder.prepare(words) for words in sentences], list(map(len, sentences))
    part = ArcPart("arcs", objective, dict(enumerate(trees)), dict(enumerate(trees[:8])))
    network = arc_network(encoder, settings)
    return made(network, [part], prepared, lengths, prepared[:8], lengths[:8])


def trained(directory: Path, settings: NeuralSettings) -> Arrays:
    return train_network(task(settings), Run(directory, threads=1, seed=5, quiet=True), "arcs")


def test_batches_hold_every_sentence_once() -> None:
    lengths = [3, 9, 1, 14, 2, 2, 7, 30]
    for made in (batches(lengths, 20), shuffled_batches(lengths, 20, 0, 1)):
        assert sorted(i for batch in made for i in batch) == list(range(8))
        for batch in made:
            longest = max(lengths[i] for i in batch)
            assert len(batch) == 1 or longest * len(batch) <= 20
    assert shuffled_batches(lengths, 20, 0, 1) == shuffled_batches(lengths, 20, 0, 1)
    assert shuffled_batches(lengths, 20, 0, 1) != shuffled_batches(lengths, 20, 0, 2)


@pytest.mark.parametrize("name", ["hashed", "static", "pieces"])
@pytest.mark.parametrize("objective", ["local", "likelihood", "softmax-margin", "risk", "hinge"])
def test_it_learns(name: str, objective: str, tmp_path: Path) -> None:
    encoder = SETTINGS.encoder
    if name == "pieces":
        encoder = replace(encoder, name=str(write_encoder(tmp_path / "encoder")))
    if name == "static":
        (tmp_path / "vectors.txt").write_text("the 1 0 2\nreads 0 1 -1\n")
        encoder = replace(encoder, vectors=tmp_path / "vectors.txt")
    how = replace(SETTINGS, encoder=encoder, iterations=12, rate=1e-2, encoder_rate=1e-2)
    chosen = None if objective == "local" else TreeLoss(objective)  # type: ignore[arg-type]
    learner = task(how, chosen)
    weights = train_network(learner, Run(tmp_path / "run", threads=1, quiet=True), "arcs")
    texts = learner.network.encoder.texts()
    again = arc_network(kept_encoder(how.encoder, texts, weights), how)
    again.restore(weights)
    _, trees = bank()
    right = 0
    for numbers, vectors in encoded_batches(again, learner.sentences, learner.lengths):
        with torch.inference_mode():
            tables = again.scores("arcs", vectors).numpy()
        for table, number in zip(tables, numbers, strict=True):
            size = learner.lengths[number] + 1
            best = labelled_spanning_trees(table[:size, :size])[0]
            right += np.array_equal(best.heads, trees[number].heads)
    assert right >= 20


def test_the_same_seed_gives_the_same_bits(tmp_path: Path) -> None:
    first, second = trained(tmp_path / "a", SETTINGS), trained(tmp_path / "b", SETTINGS)
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)


class KilledError(Exception):
    pass


class Fragile(JointTask):
    """Is killed at a minibatch."""

    left = 0

    def loss(self, batch: Batch) -> torch.Tensor:
        self.left -= 1
        if not self.left:
            raise KilledError
        return super().loss(batch)


@pytest.mark.parametrize("minibatches", [2, 5, 9])
def test_a_run_that_is_continued_gives_the_same_bits(tmp_path: Path, minibatches: int) -> None:
    how = replace(SETTINGS, checkpoint_seconds=0.0)
    whole = trained(tmp_path / "whole", how)
    fragile = task(how, made=Fragile)
    fragile.left = minibatches  # type: ignore[attr-defined]
    with pytest.raises(KilledError):
        train_network(fragile, Run(tmp_path / "cut", threads=1, seed=5, quiet=True), "arcs")
    assert Run(tmp_path / "cut").load_checkpoint("arcs") is not None
    continued = trained(tmp_path / "cut", how)
    assert all(np.array_equal(whole[name], continued[name]) for name in whole)


def test_patience_ends_training(tmp_path: Path) -> None:
    class Stubborn(JointTask):
        def score(self) -> dict[str, float]:
            return {"score": 0.5}

    stubborn = task(replace(SETTINGS, patience=2, iterations=9), made=Stubborn)
    run = Run(tmp_path / "run", threads=1, quiet=True)
    train_network(stubborn, run, "arcs")
    records = (tmp_path / "run" / "records.jsonl").read_text().splitlines()
    assert len(records) == 3
    train_network(stubborn, run, "arcs")  # finished: nothing is done again
    assert (tmp_path / "run" / "records.jsonl").read_text().splitlines() == records


class Blundering(JointTask):
    """A task with a step whose gradient is not a number."""

    def loss(self, batch: Batch) -> torch.Tensor:
        value = super().loss(batch)
        return value * float("nan") if 0 in batch else value


def test_a_gradient_that_is_not_finite_harms_no_weight(tmp_path: Path) -> None:
    made = task(SETTINGS, made=Blundering)
    run = Run(tmp_path, threads=1, seed=5, quiet=True)
    weights = train_network(made, run, "arcs")
    assert all(np.isfinite(each).all() for each in weights.values())
    records = map(json.loads, (tmp_path / "records.jsonl").read_text().splitlines())
    values = [each["objective"] for each in records if "objective" in each]
    assert len(values) == SETTINGS.iterations
    assert np.isfinite(values).all()


def test_a_gpu_is_used_if_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the network is sent; no test machine has a GPU."""
    places: list[str] = []
    made = task(SETTINGS)
    monkeypatch.setattr(made.network, "to", places.append)
    for there in (False, True):
        monkeypatch.setattr("torch.cuda.is_available", lambda there=there: there)
        run = Run(tmp_path / str(there), threads=1, seed=5, quiet=True)
        train_network(made, run, "arcs")
    assert places == ["cpu", "cpu", "cuda", "cpu"]
