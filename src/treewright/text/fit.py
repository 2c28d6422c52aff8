"""From a treebank to a trained tokeniser, in a run."""

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.data.dependency import DependencyTree
from treewright.errors import TreewrightError
from treewright.metrics.counts import Score
from treewright.text.characters import Bools, CharacterTable
from treewright.text.corpus import Part, read_part
from treewright.text.settings import TokeniserSettings
from treewright.text.tags import ENDS_SENTENCE, ENDS_TOKEN
from treewright.text.tokeniser import Tokeniser
from treewright.text.training import TokeniserTraining
from treewright.train.minibatch import Shifted
from treewright.train.run import Run


def train_tokeniser(
    trees: Sequence[DependencyTree],
    settings: TokeniserSettings,
    run: Run,
    dev: Sequence[DependencyTree] = (),
    name: str = "tok",
) -> Tokeniser:
    """A tokeniser for the raw text of the treebank; `dev` is scored after training."""
    if not trees:
        raise TreewrightError("there are no sentences to learn tokens from")
    training = TokeniserTraining(trees, settings, run.seed)
    tokeniser = training.tokeniser(_weights(training, run, name))
    if dev:
        tokens, sentences = scores(tokeniser, read_part(dev, CharacterTable()))
        run.record(tokeniser=name, tokens=tokens.f, sentences=sentences.f)
    return tokeniser


def _weights(training: TokeniserTraining, run: Run, name: str) -> Floats:
    s = training.settings
    with run.progress(f"{name}-local", s.passes) as bar:

        def on_pass(number: int, value: float) -> None:
            run.record(optimise=f"{name}-local", iteration=number, objective=value)
            bar.advance(1, objective=value)

        local = training.local().fit(s.passes, s.rate, s.prior, s.dropout, run.seed, on_pass)
    if not s.second_stage:
        return local
    examples = training.examples(training.tokeniser(local))
    objective = run.objective_over(f"{name}-segments", s.objective, examples, len(local))
    change = run.optimise(f"{name}-segments", Shifted(objective, local), s.optimiser)
    return local + change


def scores(tokeniser: Tokeniser, part: Part) -> tuple[Score, Score]:
    """Precision, recall and F1 of tokens and sentences."""
    tags = tokeniser.tags(part.characters)
    return _score(tags, part.gold, ENDS_TOKEN), _score(tags, part.gold, ENDS_SENTENCE)


def _score(pred: Indices, gold: Indices, ends: Bools) -> Score:
    produced, due = ends[pred], ends[gold]
    both = np.flatnonzero(produced & due)
    # A segment is right if it begins right and nothing else ends in it.
    begins = np.concatenate(([-1], both[:-1]))
    wrong = np.concatenate(([0], np.cumsum(produced != due)))
    right = int((wrong[both] == wrong[begins + 1]).sum())
    return Score.of_totals(right, int(produced.sum()), int(due.sum()))
