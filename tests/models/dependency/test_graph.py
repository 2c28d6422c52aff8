"""Graph-based parsers: training by every objective, augmented losses, saving and loading."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.checks import assert_close
from tests.models.dependency.test_parser import settings_for, train, treebank
from treewright.config import from_dict, parse_toml, to_toml
from treewright.data import conllu
from treewright.data.dependency import DependencyTree, top_down
from treewright.errors import ConfigError, ForestError, TreewrightError
from treewright.forests.build import MAX_EDGES
from treewright.forests.dependency.arcs import Arcs, complete_arcs
from treewright.grammar.reorder import read_rules
from treewright.inference import exact
from treewright.losses import objective_named
from treewright.models.dependency.analysis import plain_word
from treewright.models.dependency.graph.parser import (
    MAX_PROJECTIVE,
    MAX_SECOND_ORDER,
    GraphParser,
    Trees,
)
from treewright.models.dependency.graph.trainer import ForestTrainer, SumTrainer
from treewright.models.dependency.parser import DependencyParser
from treewright.models.dependency.settings import DependencySettings, GraphSettings
from treewright.models.dependency.training import encoded
from treewright.models.packing import PackSettings, packed
from treewright.scores.dependency.arcs import ArcLabels, LinearRows, all_arcs, columns
from treewright.scores.dependency.encoder import EncodedSentence, TreeEncoder
from treewright.storage.bundle import read_bundle, write_bundle
from treewright.train.online import Parse
from treewright.train.supervision import augmented_set, with_order

SMALL = {"bits": 16}
EIGHT = {"iterations": 8, "patience": 0}


def graph(
    folder: Path,
    algorithm: str,
    objective: str = "perceptron",
    loss: str = "hamming",
    tau: float = 1.0,
    passes: int = 8,
    **how: object,
) -> DependencyParser:
    return train(
        folder,
        algorithm=algorithm,
        tagger=False,
        graph=SMALL | how,
        objective={"name": objective, "loss": loss, "tau": tau},
        optimiser=EIGHT | {"iterations": passes},
    )


def right_words(parser: DependencyParser, file: Path) -> tuple[int, int]:
    """Right words and all words of the projective trees: not all parsers can have the others."""
    trees = [tree for tree in conllu.read(file) if tree.is_projective]
    found = list(parser.parse_many(trees))
    pairs = [
        (got, (word.head, word.deprel))
        for tree, each in zip(trees, found, strict=True)
        for got, word in zip(zip(each.heads, each.labels, strict=True), tree.words, strict=True)
    ]
    return sum(got == due for got, due in pairs), len(pairs)


@pytest.mark.parametrize(
    ("algorithm", "how"),
    [
        ("mst", {}),
        ("mst", {"features": "paper", "label_variants": True}),
        ("eisner", {}),
        ("eisner", {"second_order": False}),
        ("eisner", {"objective": "likelihood", "second_order": False}),
        ("eisner", {"objective": "softmax-margin", "loss": "hamming"}),
        ("eisner", {"objective": "softmax-margin", "loss": "f1", "labelled": False}),
        ("eisner", {"objective": "hinge"}),
        ("eisner", {"objective": "likelihood", "decoding": "min-risk"}),
        ("mst", {"objective": "likelihood", "decoding": "min-risk"}),
        ("mst", {"objective": "softmax-margin", "tau": 2.0}),
    ],
)
def test_parsers_learn_their_trees(algorithm: str, how: dict[str, object], tmp_path: Path) -> None:
    parser = graph(tmp_path, algorithm, **how)
    right, words = right_words(parser, tmp_path / "train.conllu")
    assert right == words


@pytest.mark.parametrize("decoding", ["viterbi", "min-risk"])
@pytest.mark.parametrize("second_order", [True, False])
def test_a_sentence_may_be_too_long_for_a_projective_forest(
    second_order: bool, decoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, most in (("PROJECTIVE", 7), ("SECOND_ORDER", 6), ("WORDS", 9)):
        monkeypatch.setattr(f"treewright.models.dependency.graph.parser.MAX_{name}", most)
    parser = graph(tmp_path, "eisner", second_order=second_order, decoding=decoding, passes=2)
    monkeypatch.setattr(
        "treewright.models.dependency.graph.parser.complete_arcs", no_longer_than(7)
    )
    monkeypatch.setattr("treewright.inference.trees.complete_arcs", no_longer_than(7))
    monkeypatch.setattr("treewright.inference.labelled_arcs.complete_arcs", no_longer_than(7))
    words = [plain_word(form)._replace(upos="NOUN") for form in "abcdefghijk"]
    found = list(parser.parse_many([DependencyTree(tuple(words[:n])) for n in (3, 9, 10, 11, 3)]))
    assert found[0].tree == found[4].tree
    for each in found:
        assert len(top_down(list(each.heads))) == len(each)
        assert each.heads.count(0) == 1
    assert found[2].heads == (0, *[1] * 9)


def no_longer_than(most: int) -> Callable[..., Arcs]:
    def make(words: int, *rest: bool, **named: bool) -> Arcs:
        assert words <= most
        return complete_arcs(words, *rest, **named)

    return make


@pytest.mark.parametrize(
    ("second_order", "most"), [(False, MAX_PROJECTIVE), (True, MAX_SECOND_ORDER)]
)
@pytest.mark.parametrize("single_root", [True, False])
def test_forests_of_the_longest_sentences_are_small_enough(
    second_order: bool, most: int, single_root: bool
) -> None:
    # The number of edges is a polynomial of degree 3 in that of words.
    lengths = np.array([5, 10, 15, 20])
    edges = [complete_arcs(n, single_root, second_order).forest.edges for n in lengths.tolist()]
    size = np.polynomial.Polynomial.fit(lengths, edges, 3)
    assert size(30) == pytest.approx(complete_arcs(30, single_root, second_order).forest.edges)
    assert size(most) < MAX_EDGES < size(most + 10)


def test_minimum_risk_has_a_list_of_the_best_trees(tmp_path: Path) -> None:
    parser = graph(tmp_path, "mst", objective="likelihood", decoding="min-risk", passes=1)
    words = (plain_word(form)._replace(upos="X") for form in ("Dogs", "sleep"))
    trees = [DependencyTree(tuple(words))]
    (found,) = parser.parse_many(trees)
    best, second = found.kbest(2)
    assert best.score >= max(found.score, second.score) - 1e-6
    assert found.expected_gain is not None
    assert best.expected_gain is None
    viterbi = parser.with_settings(decoder="viterbi").parse(trees[0])
    assert (viterbi.heads, viterbi.score) == (best.heads, best.score)


def test_models_are_the_same_on_disk_and_in_every_training(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    first = graph(tmp_path, "eisner", objective="likelihood")
    second = graph(tmp_path / "again", "eisner", objective="likelihood")
    write_bundle(first.bundle(), tmp_path / "model")
    loaded = DependencyParser.from_bundle(read_bundle(tmp_path / "model"))
    sentence = next(iter(conllu.read(tmp_path / "train.conllu")))
    for parser in (second, loaded):
        assert [each.score for each in parser.parse(sentence).kbest(5)] == [
            each.score for each in first.parse(sentence).kbest(5)
        ]
    a, b = first.bundle().arrays, second.bundle().arrays
    assert all(np.array_equal(a[name], b[name]) for name in a)


def test_packing_rounds_the_weights(tmp_path: Path) -> None:
    made = train(tmp_path, algorithm="eisner", graph={"bits": 14}, tagger=False, tokeniser=False)
    whole = made.bundle()
    small = packed(whole, PackSettings(bits=8, prune=10.0))
    assert small.bits == {"arcs.value": 8, "siblings.value": 8}
    for name in small.bits:
        left = small.arrays[name] != 0
        assert 0 < left.sum() < np.count_nonzero(whole.arrays[name])
        assert np.array_equal(small.arrays[name][left], whole.arrays[name][left])


def random_parser(
    decoder: Trees, second_order: bool = False
) -> tuple[GraphParser, EncodedSentence, Parse]:
    """A parser with random weights, and a sentence with its tree."""
    words = next(iter(conllu.read(io.StringIO(DOGS)))).words
    encoder = TreeEncoder.fit([words], (word.deprel for word in words), cutoff=0)
    (sentence,), (gold,) = encoded(encoder, [words])
    settings = GraphSettings(bits=12, features="paper", second_order=second_order)
    parser = GraphParser(len(encoder.relations), settings, decoder, "adagrad")
    parser.allowed = ArcLabels.of_trees([(sentence, gold.heads, gold.labels)], parser.labels)
    rng = np.random.default_rng(0)
    for model in filter(None, (parser.arcs, parser.siblings)):
        model.weights[:] = rng.normal(size=len(model.weights)).astype(np.float32)
    return parser, sentence, gold


def test_gradient_of_the_weights_against_differences() -> None:
    """The objective as a function of weights: features, forest and loss together."""
    parser, sentence, gold = random_parser("projective", second_order=True)
    rng, settings = np.random.default_rng(0), parser.settings
    trainer = ForestTrainer(parser, objective_named("softmax-margin", "hamming"))
    arcs, row = trainer.forest(sentence)
    counted = arcs.counted(gold.heads, gold.labels)

    def evaluate() -> tuple[float, np.ndarray]:
        return trainer.objective.value_and_gradient(
            counted.forest,
            trainer.part_scores(sentence, arcs, row),
            counted.gold(gold.heads, gold.labels),
        )

    table = np.zeros((len(all_arcs(3)), parser.labels), np.float32)
    table[row, arcs.label] = evaluate()[1][: len(arcs)]
    sums = LinearRows.new(parser.arcs.templates, parser.labels, settings.bits)
    sums.update(columns(sentence), all_arcs(3), table)
    used = np.flatnonzero(sums.weights)
    assert len(used) > 100
    for i in rng.choice(used, 20):
        values = []
        for step in (0.03125, -0.0625, 0.03125):  # exact in float32
            parser.arcs.weights[i] += np.float32(step)
            values.append(evaluate()[0])
        assert (values[0] - values[1]) / 0.0625 == pytest.approx(sums.weights[i], abs=2e-3)
    value = evaluate()[0]
    assert trainer.step(sentence, gold) == pytest.approx(value, abs=1e-3)
    assert evaluate()[0] < value


DOGS = (
    "1\tDogs\t_\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n"
    "2\tsee\t_\tVERB\tVBP\t_\t0\troot\t_\t_\n"
    "3\tcats\t_\tNOUN\tNNS\t_\t2\tobj\t_\t_\n\n"
)


def augmented_file(folder: Path) -> Path:
    """The treebank's sentences with their orders."""
    rules, path = read_rules(), folder / "orders.conllu"
    trees = conllu.read(treebank(folder / "train.conllu"))
    conllu.write([with_order(tree, rules) for tree in trees], path)
    return path


def wrong_root(heads: np.ndarray, _: np.ndarray, tree: object) -> float:
    """A loss of one's own."""
    return float(heads.tolist().index(0) != [word.head for word in tree.words].index(0))


AUGMENTS = [
    {"supervision": "order", "loss": "reordering"},
    {"supervision": "root", "loss": "root", "schedule": 0.5},
    {"supervision": "trees", "loss": "arc-length-labelled"},
    {"supervision": "partial", "loss": "unlabelled", "rate": 0.5},
    {"supervision": "none", "loss": f"{__name__}:wrong_root"},
]


@pytest.mark.parametrize("algorithm", ["arc-eager", "mst", "eisner"])
def test_known_roots_train_parsers_of_every_algorithm(algorithm: str, tmp_path: Path) -> None:
    entry = {"supervision": "root", "loss": "root", "search": "forced"}
    entry["data"] = str(augmented_file(tmp_path))
    settings = {"tagger": False, "graph": SMALL, "optimiser": EIGHT, "augment": [entry]}
    parser = train(tmp_path, algorithm=algorithm, **settings)
    right, words = right_words(parser, tmp_path / "train.conllu")
    assert right >= 0.9 * words


@pytest.mark.parametrize("algorithm", ["arc-eager", "mst", "eisner"])
def test_augmented_losses_train_parsers_of_every_algorithm(algorithm: str, tmp_path: Path) -> None:
    entries = [each | {"data": str(augmented_file(tmp_path))} for each in AUGMENTS[:4]]
    parser = train(
        tmp_path,
        algorithm=algorithm,
        tagger=False,
        graph=SMALL,
        optimiser=EIGHT,
        augment=entries,
    )
    right, words = right_words(parser, tmp_path / "train.conllu")
    assert right >= 0.8 * words  # the losses disagree about the one tree with crossing arcs
    write_bundle(parser.bundle(), tmp_path / "model")
    loaded = DependencyParser.load(tmp_path / "model")
    assert right_words(loaded, tmp_path / "train.conllu") == (right, words)


def tags_of_examples(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """A list that fills with the tags of the sentences of augmented data sets."""
    seen: list[tuple[str, ...]] = []

    def watched(settings: object, trees: list[DependencyTree], encoder: TreeEncoder) -> object:
        seen.extend(tree.upos for tree in trees)
        return augmented_set(settings, trees, encoder)  # type: ignore[arg-type]

    monkeypatch.setattr("treewright.models.dependency.training.augmented_set", watched)
    return seen


@pytest.mark.parametrize("folds", [0, 2])
def test_augmented_sentences_have_tags(
    folds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = tags_of_examples(monkeypatch), tmp_path / "more.conllu"
    bare = DOGS.replace("NOUN\tNNS", "_\t_").replace("VERB\tVBP", "_\t_")
    file.write_text(DOGS.replace("NOUN", "ADJ") + bare)
    entry = {"data": str(file), "loss": "labelled"}
    own = ("ADJ", "VERB", "ADJ")
    how = {"algorithm": "mst", "graph": SMALL, "optimiser": {"iterations": 1}, "augment": [entry]}
    parser = train(tmp_path, pos_folds=folds, **how)
    assert parser.tagger is not None
    words = next(iter(conllu.read(io.StringIO(DOGS)))).words
    automatic = tuple(word.upos for word in parser.tagger.tag([words])[0])
    assert seen == [automatic if folds else own, automatic]
    assert not {"ADJ", "_"} & set(automatic)
    (tmp_path / "none").mkdir()
    with pytest.raises(TreewrightError, match=r"more\.conllu have no tags"):
        train(tmp_path / "none", tagger=False, **how)


def test_settings_with_augments_survive_toml(tmp_path: Path) -> None:
    entries = [each | {"data": "x.conllu"} for each in AUGMENTS]
    settings = settings_for(tmp_path, augment=entries)
    text = to_toml(settings).encode()
    assert from_dict(DependencySettings, parse_toml(text, "x"), "x") == settings


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"loss": "bleu"}, "unknown loss"),
        ({"loss": "reordering"}, "needs supervision = order"),
        ({"supervision": "none", "loss": "root"}, "custom loss"),
        ({"k": 1}, "at least 2"),
        ({"search": "forced"}, "loss = root"),
        ({"schedule": 0.0}, "positive"),
        ({"loss": "nowhere:loss"}, "no loss"),
    ],
)
def test_bad_augments_are_errors(entry: dict[str, object], message: str, tmp_path: Path) -> None:
    entry = {"data": str(augmented_file(tmp_path))} | entry
    with pytest.raises((ConfigError, ForestError), match=message):
        train(tmp_path, algorithm="mst", tagger=False, graph=SMALL, augment=[entry])


def test_orders_must_be_there(tmp_path: Path) -> None:
    entry = {"data": str(treebank(tmp_path / "x.conllu")), **AUGMENTS[0]}
    with pytest.raises(Exception, match="# order = "):
        train(tmp_path, algorithm="mst", tagger=False, graph=SMALL, augment=[entry])


@pytest.mark.parametrize("how", [{"objective": "magic"}, {"features": "none"}, {"bits": 4}])
def test_bad_settings_are_errors(how: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        graph(tmp_path, "mst", **how)


@pytest.mark.parametrize(
    "how", [{"objective": "hinge"}, {"objective": "softmax-margin", "loss": "f1"}]
)
def test_forest_objectives_need_the_projective_parser(
    how: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="eisner"):
        graph(tmp_path, "mst", **how)


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize(("tau", "second_order"), [(0.0, False), (1.5, False), (1.5, True)])
def test_folded_labels_change_nothing(tau: float, second_order: bool, labelled: bool) -> None:
    parser, sentence, gold = random_parser("projective", second_order)
    objective = objective_named("softmax-margin", "hamming", tau)
    slow = ForestTrainer(parser, objective, labelled)
    arcs, row = slow.forest(sentence)
    counted = arcs.counted(gold.heads, gold.labels if labelled else None)
    value, gradient = objective.value_and_gradient(
        counted.forest,
        slow.part_scores(sentence, arcs, row),
        counted.gold(gold.heads, gold.labels),
    )
    found, table, pairs = SumTrainer(parser, tau, labelled).value_and_gradient(sentence, gold)
    assert found == pytest.approx(value, abs=1e-5)
    assert_close(table[row, arcs.label], gradient[: len(arcs)], 1e-5)
    assert np.count_nonzero(table) <= len(row)
    wanted = dict(zip(map(tuple, arcs.siblings.tolist()), gradient[len(arcs) : -1], strict=True))
    every = parser.sibling_forest(len(sentence)).siblings.tolist() if second_order else []
    assert_close(pairs, np.array([wanted[tuple(row)] for row in every]), 1e-5)


def test_gradient_over_all_trees_against_differences() -> None:
    parser, sentence, gold = random_parser("spanning")
    trainer = SumTrainer(parser, tau=2.0)
    scores = parser.scores(sentence).astype(np.float64)
    parser.scores = lambda _: scores
    rows = all_arcs(3)
    _, gradient, _ = trainer.value_and_gradient(sentence, gold)
    for i, label in np.argwhere(np.isfinite(scores[rows.head, rows.word])).tolist():
        place = rows.head[i], rows.word[i], label
        values = []
        for step in (1e-4, -2e-4):
            scores[place] += step
            values.append(trainer.value_and_gradient(sentence, gold)[0])
        scores[place] += 1e-4
        assert (values[0] - values[1]) / 2e-4 == pytest.approx(gradient[i, label], abs=1e-5)


@pytest.mark.parametrize("second_order", [False, True])
def test_minimum_risk_uses_the_marginals_of_the_forest(second_order: bool) -> None:
    parser, sentence, _ = random_parser("projective", second_order)
    trainer = ForestTrainer(parser, objective_named("likelihood"))
    arcs, row = trainer.forest(sentence)
    scores = trainer.part_scores(sentence, arcs, row)
    gains = exact.marginals(arcs.forest, scores).parts.copy()
    gains[len(arcs) :] = 0.0  # pairs of siblings are not counted
    wanted = exact.viterbi(arcs.forest, gains)
    found, gain = parser.min_risk(sentence)
    assert gain == pytest.approx(wanted.score, abs=1e-5)
    listed = {(*p.heads.tolist(), *p.labels.tolist()): p.score for p in parser.kbest(sentence, 99)}
    key = (*found.heads.tolist(), *found.labels.tolist())
    assert found.score == pytest.approx(listed.get(key, found.score), abs=1e-5)
    assert found.heads.tolist() == arcs.heads_of(wanted.edges).tolist()
    assert found.labels.tolist() == arcs.label[arcs.arcs_of(wanted.edges)].tolist()


@pytest.mark.parametrize(
    ("decoder", "second_order"), [("spanning", False), ("projective", False), ("projective", True)]
)
def test_the_best_parse_with_a_root(decoder: Trees, second_order: bool) -> None:
    parser, sentence, _ = random_parser(decoder, second_order)
    every = parser.kbest(sentence, 100)
    for root in (1, 2, 3):
        wanted = next(each for each in every if each.heads[root - 1] == 0)
        found = parser.best_with_root(sentence, root)
        assert found.heads.tolist() == wanted.heads.tolist()
        assert found.score == pytest.approx(wanted.score)
