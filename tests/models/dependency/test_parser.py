"""Dependency models: training, saving and loading, sentences, files, k-best lists, bad input."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from treewright.config import from_dict
from treewright.data import conllu
from treewright.data.dependency import DependencyTree, Word
from treewright.errors import ConfigError, FormatError, StoreError, TreewrightError
from treewright.models.dependency.analysis import (
    LISTED,
    DependencyAnalysis,
    listed_marginals,
    parsed_tree,
    plain_word,
)
from treewright.models.dependency.parser import DependencyParser
from treewright.models.dependency.settings import DependencySettings
from treewright.models.dependency.training import train_dependency
from treewright.models.kinds import load
from treewright.models.parsing import ParseOptions, parse_file
from treewright.storage.bundle import read_bundle, write_bundle
from treewright.text.trees import restored
from treewright.train.history import History
from treewright.train.run import Run

SENTENCES = [
    ("The dog sees a cat", "DET NOUN VERB DET NOUN", (2, 3, 0, 5, 3), "det nsubj root det obj"),
    ("A cat sees the dog", "DET NOUN VERB DET NOUN", (2, 3, 0, 5, 3), "det nsubj root det obj"),
    ("Dogs sleep", "NOUN VERB", (2, 0), "nsubj root"),
    ("Cats see dogs", "NOUN VERB NOUN", (2, 0, 2), "nsubj root obj"),
    ("The cat sleeps in the house", "DET NOUN VERB ADP DET NOUN", (2, 3, 0, 6, 6, 3),
     "det nsubj root case det obl"),
    ("Who sees it now today", "PRON VERB PRON ADV ADV", (2, 0, 2, 2, 1),
     "nsubj root obj advmod advmod"),  # crossing arcs
]  # fmt: skip

DYNAMIC = {"oracle": "dynamic", "beam": 1}


def treebank(path: Path) -> Path:
    lines = []
    for words, tags, heads, labels in SENTENCES * 3:
        lines.append("# a comment")
        rows = zip(words.split(), tags.split(), heads, labels.split(), strict=True)
        for i, (word, tag, head, label) in enumerate(rows, start=1):
            lines.append(f"{i}\t{word}\t_\t{tag}\t{tag}\t_\t{head}\t{label}\t_\t_")
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def settings_for(folder: Path, **changes: object) -> DependencySettings:
    file = str(treebank(folder / "train.conllu"))
    small = {"local_passes": 2, "order": 0}
    values = {"train": file, "dev": file, "form_cutoff": 0, "pos": small, "tokeniser": False}
    values |= {
        "pos_folds": 0,
        "transition": {"threshold": 0.0},
        "optimiser": {"iterations": 4},
    } | changes
    return from_dict(DependencySettings, values, "test")


def train(folder: Path, **changes: object) -> DependencyParser:
    run = Run(folder / "run", threads=1, seed=3, quiet=True)
    return train_dependency(settings_for(folder, **changes), run)


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> DependencyParser:
    return train(tmp_path_factory.mktemp("dep"))


@pytest.mark.parametrize("algorithm", ["arc-eager", "arc-hybrid"])
def test_it_learns_its_treebank(tmp_path: Path, algorithm: str) -> None:
    made = train(tmp_path, algorithm=algorithm, tagger=False)
    trees = list(conllu.read(tmp_path / "train.conllu"))
    found = list(made.parse_many(trees))
    same = [a.heads == tuple(w.head for w in t.words) for a, t in zip(found, trees, strict=True)]
    assert all(ok or not tree.is_projective for ok, tree in zip(same, trees, strict=True))
    assert all(found[i].labels == trees[i].deprels for i in range(5))
    records = read_records(tmp_path / "run")
    assert any("dev_las" in each for each in records)


@pytest.mark.parametrize("algorithm", ["arc-eager", "arc-hybrid", "mst", "eisner"])
def test_the_root_has_the_relation_of_roots_in_the_treebank(tmp_path: Path, algorithm: str) -> None:
    """Whatever it is called, and no other word has it: not even a verb, which only ever was one."""
    file = treebank(tmp_path / "named.conllu")
    file.write_text(file.read_text(encoding="utf-8").replace("\troot\t", "\ttop\t"), "utf-8")
    made = train(tmp_path, train=str(file), dev=str(file), algorithm=algorithm, tagger=False)
    tags = ["VERB VERB VERB", "ADP VERB VERB DET", "X VERB X VERB", "ADV", "X"]
    words = [
        [plain_word("a")._replace(upos=tag, xpos=tag) for tag in each.split()] for each in tags
    ]
    trees = [DependencyTree(tuple(each)) for each in words]
    for each in made.parse_many(trees):
        assert [label == "top" for label in each.labels] == [head == 0 for head in each.heads]


def read_records(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("augmented", [False, True])
@pytest.mark.parametrize("algorithm", ["arc-hybrid", "mst"])
def test_runs_show_the_parser_and_not_its_tagger(
    tmp_path: Path, algorithm: str, augmented: bool
) -> None:
    data = {"data": str(treebank(tmp_path / "more.conllu")), "loss": "labelled"}
    how = {"graph": {"bits": 12}, "optimiser": {"iterations": 4, "patience": 0}}
    made = train(tmp_path, algorithm=algorithm, augment=[data] if augmented else [], **how)
    history = History(tmp_path / "run", {"kind": "dep"}, read_records(tmp_path / "run"))
    assert "tags-local" in history.curves
    scores = [
        each["dev_las"] for each in history.records if "iteration" in each and "score" in each
    ]
    summary = history.summary()
    assert summary["iterations"] == len(scores) >= 3
    assert summary["best_score"] == max(scores) / 100
    assert made.tagger is not None


def test_the_tagger_is_scored_on_dev(tmp_path: Path) -> None:
    chain = {"iterations": 4, "score_every": 1, "patience": 1}
    tagging = {"local_passes": 2, "cutoff": 1, "bigram_cutoff": 1, "chain": chain}
    train(tmp_path, pos_folds=2, pos=tagging, optimiser={"iterations": 1})
    history = History(tmp_path / "run", {"kind": "dep"}, read_records(tmp_path / "run"))
    for name in ("tags-chain", "tags-fold1-chain", "tags-fold2-chain"):
        assert "score" in history.curves[name][-1]


def test_without_dev_there_is_no_score(tmp_path: Path) -> None:
    file = str(treebank(tmp_path / "train.conllu"))
    settings = {"train": file, "tagger": False, "tokeniser": False}
    settings["optimiser"] = {"iterations": 2}
    run = Run(tmp_path / "run", threads=1, quiet=True)
    train_dependency(from_dict(DependencySettings, settings, "test"), run)
    records = read_records(tmp_path / "run")
    assert [each["iteration"] for each in records[:-1]] == [1, 2]
    assert not any({"dev_las", "score"} & each.keys() for each in records)


def test_a_model_comes_back_the_same(parser: DependencyParser, tmp_path: Path) -> None:
    write_bundle(parser.bundle(), tmp_path / "model")
    again = load(tmp_path / "model")
    assert isinstance(again, DependencyParser)
    texts = [words for words, *_ in SENTENCES] + ["an unknown thing sleeps", ""]
    for ours, theirs in zip(parser.parse_many(texts), again.parse_many(texts), strict=True):
        assert ours.to_json(k=2, marginals=True) == theirs.to_json(k=2, marginals=True)


def test_training_twice_gives_the_same_model(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        made = train(tmp_path / name, pos_folds=2).bundle()
        write_bundle(made, tmp_path / name / "model")
    files = [p.relative_to(tmp_path / "a") for p in (tmp_path / "a/model").rglob("*")]
    assert len(files) > 5
    for file in files:
        if (tmp_path / "a" / file).is_file():
            assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_sentences_and_their_k_best(parser: DependencyParser) -> None:
    found = parser.parse("The dog sees a cat")
    assert found.heads == parser.parse(["The", "dog", "sees", "a", "cat"]).heads
    assert found.heads == (2, 3, 0, 5, 3)
    assert found.labels == ("det", "nsubj", "root", "det", "obj")
    trees = found.kbest(3)
    scores = [each.score for each in trees]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == found.score
    assert len({(each.heads, each.labels) for each in trees}) == len(trees) == 3
    assert "nsubj" in str(found)
    assert str(found).splitlines()[-1].split() == ["The", "dog", "sees", "a", "cat"]


def test_a_temperature_flattens_probabilities(parser: DependencyParser, tmp_path: Path) -> None:
    text = "The dog sees a cat"
    best = parser.parse(text)
    listed = best.kbest(LISTED)
    for temperature in (0.5, 1.0, 20.0, 1e9):
        warm = parser.with_settings(temperature=temperature)
        write_bundle(warm.bundle(), tmp_path / "model")
        weights = [math.exp((each.score - best.score) / temperature) for each in listed]
        arc = best.heads[0], best.labels[0]
        with_arc = (
            w for w, x in zip(weights, listed, strict=True) if (x.heads[0], x.labels[0]) == arc
        )
        expected = pytest.approx(sum(with_arc) / sum(weights))
        for model in (warm, load(tmp_path / "model")):
            found = model.parse(text)
            assert isinstance(found, DependencyAnalysis)
            assert found.heads == best.heads
            assert found.marginals[0][arc] == expected
    with pytest.raises(ConfigError, match="temperature must be positive"):
        parser.with_settings(temperature=0.0)


def parse_text(parser: DependencyParser, file: Path, layout: str = "conllu", k: int = 1) -> str:
    return "".join(parse_file(parser, file, layout, ParseOptions(k_best=k)))


def test_files_keep_what_they_have(parser: DependencyParser, tmp_path: Path) -> None:
    rows = [
        "# sent_id = x",
        "1-2\tDogs\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
        "1\tDogs\tdog\tNOUN\tNOUN\t_\t_\t_\t_\tA=b",
        "2\tsleep\t_\tVERB\tVERB\t_\t_\t_\t9:x\t_",
        "2.1\tsleep\t_\t_\t_\t_\t_\t_\t0:root\t_",
    ]
    file = tmp_path / "in.conllu"
    file.write_text("\n".join(rows) + "\n\n", encoding="utf-8")
    out = parse_text(parser, file).splitlines()
    assert [out[0], out[1], out[4:]] == [rows[0], rows[1], [""]]  # no empty node without DEPS
    assert out[2] == rows[2].replace("_\t_\t_\tA=b", "2\tnsubj\t_\tA=b")
    assert out[3] == "2\tsleep\t_\tVERB\tVERB\t_\t0\troot\t_\t_"


def test_text_and_other_formats(parser: DependencyParser, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_text("The dog sees a cat\n\nDogs sleep\n", encoding="utf-8")
    out = tmp_path / "out.conllu"
    out.write_text(parse_text(parser, file), encoding="utf-8")
    first, second = conllu.read(out)
    assert (first.text, first.id) == ("The dog sees a cat", "1")
    assert second.id == "3", "the number of its line"
    assert second.upos == ("NOUN", "VERB")
    objects = [json.loads(line) for line in parse_text(parser, file, "json").splitlines()]
    assert [each["heads"] for each in objects] == [[2, 3, 0, 5, 3], [], [2, 0]]
    assert "▼" in parse_text(parser, file, "drawing")
    assert parse_text(parser, file, k=2).count("# score = ") == 4
    file.write_text("#1 Dogs sleep\n", encoding="utf-8")
    assert json.loads(parse_text(parser, file, "json"))["words"] == ["#1", "Dogs", "sleep"]


def test_raw_text(tmp_path: Path) -> None:
    made = train(tmp_path, tokeniser=True)
    write_bundle(made.bundle(), tmp_path / "model")
    parser = DependencyParser.load(tmp_path / "model")
    text = "\ufeffThe dog  sees a cat\r\n\r\nDogs sleep\n"
    analyses = parser.parse_text(text)
    assert [each.heads for each in analyses] == [(2, 3, 0, 5, 3), (2, 0)]
    assert restored(each.tree for each in analyses) == text
    file = tmp_path / "in.txt"
    file.write_bytes(text.encode())
    out = tmp_path / "out.conllu"
    out.write_text(parse_text(parser, file), encoding="utf-8")
    first, second = conllu.read(out)
    assert first.comments == ("# newpar", "# sent_id = 1", "# text = The dog sees a cat")
    assert second.id == "2"
    assert first.words[2].misc == "TokenRange=10:14"
    assert second.words[0].misc == "TokenRange=24:28"
    for how in ("sentences", "tokens"):
        options = ParseOptions(text=how)
        file.write_text("The dog sees a cat\nDogs sleep\n", encoding="utf-8")
        found = "".join(parse_file(parser, file, "json", options)).splitlines()
        assert [json.loads(line)["heads"] for line in found] == [[2, 3, 0, 5, 3], [2, 0]]


def test_what_is_refused(parser: DependencyParser, tmp_path: Path) -> None:
    file = tmp_path / "in.conllu"
    file.write_text("1\tDogs\n\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"in\.conllu:1"):
        parse_text(parser, file)
    with pytest.raises(ConfigError, match="no tokeniser"):
        list(parser.read(file, ParseOptions(text="sentences").reading))
    options = ParseOptions(beam="wide")
    file.write_text("Dogs sleep\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="beam"):
        list(parse_file(parser, file, "conllu", options))
    untagged = DependencyParser(parser.config, parser.encoder, parser.trees, None)
    with pytest.raises(TreewrightError, match="no tagger"):
        untagged.parse("Dogs sleep")
    with pytest.raises(ConfigError, match="features"):
        settings_for(tmp_path, transition={"features": "poor"})
    with pytest.raises(ConfigError, match="needs algorithm = arc-hybrid"):
        settings_for(tmp_path, transition={"oracle": "dynamic", "beam": 1})
    with pytest.raises(ConfigError, match="needs beam = 1"):
        settings_for(tmp_path, transition={"oracle": "dynamic"}, algorithm="arc-hybrid")
    with pytest.raises(ConfigError, match="pos_folds"):
        settings_for(tmp_path, pos_folds=1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"algorithm": "arc-hybrid", "transition": DYNAMIC | {"update": "early"}},
            "does not support update",
        ),
        (
            {"algorithm": "arc-hybrid", "transition": DYNAMIC | {"aggressiveness": 1.0}},
            "does not support update",
        ),
        ({"algorithm": "eisner", "graph": {"label_variants": True}}, "label_variants"),
        ({"transition": {"beam": 1001}}, "beam must be from 1 to 1000"),
        ({"form_cutoff": -1}, "form_cutoff"),
        ({"objective": {"name": "likelihood"}}, "arc-eager has no objective 'likelihood'"),
        ({"algorithm": "mst", "objective": {"name": "risk"}}, "mst has no objective 'risk'"),
        ({"algorithm": "mst", "objective": {"name": "softmax-margin", "loss": "f1"}}, "'f1'"),
        ({"optimiser": {"name": "lbfgs"}}, "one sentence at a time"),
        ({"optimiser": {"batch": 16}}, "one sentence at a time"),
        ({"pos": {"chain": {"patience": 1}}}, "patience needs a dev file"),
        ({"pos": {"local_rate": 0.0}}, "local_rate"),
        ({"pos": {"local_prior": -1.0}}, "local_prior"),
        ({"pos": {"dropout": 1.0}}, "dropout"),
    ],
)
def test_settings_that_do_not_go(given: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        from_dict(DependencySettings, given, "test")


@pytest.mark.parametrize("algorithm", ["mst", "eisner", "arc-eager"])
def test_trees_with_several_roots(tmp_path: Path, algorithm: str) -> None:
    rows = [("Go", 0, "root"), ("now", 1, "advmod"), ("stay", 0, "root")]
    lines = [f"{i}\t{w}\t_\tX\tX\t_\t{h}\t{r}\t_\t_\n" for i, (w, h, r) in enumerate(rows, 1)]
    file = tmp_path / "two.conllx"
    file.write_text(("".join(lines) + "\n") * 4, encoding="utf-8")
    changes = {"train": str(file), "dev": str(file), "algorithm": algorithm, "tagger": False}
    how = {"graph": {"single_root": False}, "optimiser": {"iterations": 2}}
    with pytest.raises(ConfigError, match="4 trees have several roots"):
        train(tmp_path, **changes | {"tagger": True})
    assert not any(tmp_path.rglob("stages"))  # an error before anything is trained
    if algorithm == "arc-eager":
        return
    made = train(tmp_path, **how, **changes)
    assert made.parse(next(iter(conllu.read(file)))).heads == (0, 1, 0)


def test_a_damaged_model_is_refused(parser: DependencyParser, tmp_path: Path) -> None:
    made = parser.bundle()
    arrays = {name: array for name, array in made.arrays.items() if name != "keys"}
    broken = type(made)(made.kind, made.config, arrays, made.texts, made.parts)
    write_bundle(broken, tmp_path / "model")
    with pytest.raises(StoreError, match="keys"):
        load(tmp_path / "model")
    assert read_bundle(tmp_path / "model").kind == "dep"


@pytest.mark.parametrize(("library", "call"), [("spacy", "to_spacy"), ("nltk", "to_nltk")])
def test_other_libraries_are_optional(
    parser: DependencyParser, monkeypatch: pytest.MonkeyPatch, library: str, call: str
) -> None:
    for name in (library, "spacy.tokens", "nltk.parse"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    analysis = parser.parse("Dogs sleep")
    arguments = (None,) if library == "spacy" else ()
    with pytest.raises(TreewrightError, match=f"pip install {library}"):
        getattr(analysis, call)(*arguments)


def analysis_of(text: str) -> DependencyAnalysis:
    rows = [line.split() for line in text.splitlines()]
    words = tuple(
        Word(form, lemma, upos, xpos, feats, int(head), label, "_", misc)
        for form, lemma, upos, xpos, feats, head, label, misc in rows
    )
    return DependencyAnalysis(DependencyTree(words), 0.0)


READ = """She she PRON PRP Number=Sing 2 nsubj _
reads read VERB VBZ _ 0 root _
books book NOUN NNS Number=Plur 2 obj SpaceAfter=No
. _ PUNCT _ _ 2 punct _"""


@pytest.mark.filterwarnings("ignore")  # of spaCy and what it imports
def test_a_spacy_doc_has_the_tree_and_the_text() -> None:
    spacy = pytest.importorskip("spacy")
    doc = analysis_of(READ).to_spacy(spacy.blank("en").vocab)
    assert doc.text == "She reads books. "
    assert [word.pos_ for word in doc] == ["PRON", "VERB", "NOUN", "PUNCT"]
    assert [word.tag_ for word in doc] == ["PRP", "VBZ", "NNS", ""]
    assert [word.lemma_ for word in doc] == ["she", "read", "book", ""]
    assert [str(word.morph) for word in doc] == ["Number=Sing", "", "Number=Plur", ""]
    assert [word.dep_ for word in doc] == ["nsubj", "ROOT", "obj", "punct"]
    assert [word.head.i for word in doc] == [1, 1, 1, 1]
    assert [sentence.root.text for sentence in doc.sents] == ["reads"]


@pytest.mark.filterwarnings("ignore")  # of NLTK and what it imports
def test_an_nltk_graph_has_the_tree() -> None:
    pytest.importorskip("nltk")
    graph = analysis_of(READ).to_nltk()
    assert graph.root["word"] == "reads"
    assert not graph.contains_cycle()
    triples = [(head[0], label, word[0]) for head, label, word in graph.triples()]
    assert triples == [
        ("reads", "nsubj", "She"),
        ("reads", "obj", "books"),
        ("reads", "punct", "."),
    ]


@pytest.mark.filterwarnings("ignore")
def test_an_nltk_graph_takes_words_with_blanks() -> None:
    pytest.importorskip("nltk")
    words = (plain_word("1 000")._replace(head=2, deprel="nummod"), plain_word("cats"))
    graph = DependencyAnalysis(DependencyTree((words[0], words[1]._replace(deprel="root"))), 0.0)
    assert graph.to_nltk().nodes[1]["word"] == "1 000"


def test_pseudo_projective_parsers_learn_crossing_arcs(tmp_path: Path) -> None:
    how = {"threshold": 0.0, "pseudo_projective": True}
    passes = {"iterations": 10, "patience": 0}
    parser = train(tmp_path, tagger=False, transition=how, optimiser=passes)
    trees = [t for t in conllu.read(tmp_path / "train.conllu") if not t.is_projective]
    assert trees
    assert any("^" in relation for relation in parser.encoder.relations)
    for tree in trees:
        found = parser.parse(tree)
        assert list(found.heads) == tree.heads.tolist()
        assert list(found.labels) == list(tree.deprels)
    with pytest.raises(ConfigError, match="pseudo_projective"):
        settings_for(tmp_path, transition=how, augment=[{"data": "x.conllu"}])


ALL = {"threshold": 0.0}
TRAININGS = {
    "arc-eager": {"transition": ALL},
    "dynamic oracle": {
        "algorithm": "arc-hybrid",
        "transition": {"beam": 1, "oracle": "dynamic", "exploration": 0.5} | ALL,
    },
    "augmented": {"augment": [{"loss": "labelled", "schedule": 0.4}], "transition": ALL},
    "mst": {"algorithm": "mst", "graph": {"bits": 12}},
    "eisner": {
        "algorithm": "eisner",
        "graph": {"bits": 12},
        "objective": {"name": "likelihood"},
    },
}


def same_model(a: DependencyParser, b: DependencyParser) -> bool:
    one, other = a.bundle(), b.bundle()
    assert one.arrays.keys() == other.arrays.keys()
    return all(one.arrays[name].tobytes() == other.arrays[name].tobytes() for name in one.arrays)


@pytest.mark.parametrize("with_dev", [True, False])
@pytest.mark.parametrize("chunk", [4, 100])
@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_continues_after_its_last_checkpoint(
    name: str, chunk: int, with_dev: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewright.train.online.CHUNK", chunk)
    given = {"train": str(treebank(tmp_path / "a.conllu")), "tagger": False, "tokeniser": False}
    given |= TRAININGS[name]
    given["optimiser"] = {"iterations": 5, "patience": 0, "checkpoint_seconds": 0.0}
    if "augment" in given:
        given["augment"] = [each | {"data": given["train"]} for each in given["augment"]]
    settings = from_dict(
        DependencySettings, given | ({"dev": given["train"]} if with_dev else {}), ""
    )

    def trained(folder: str) -> DependencyParser:
        return train_dependency(settings, Run(tmp_path / folder, threads=1, seed=3, quiet=True))

    def killed(self: Run, *state: Any) -> None:
        save(self, *state)
        values = state[2]
        learner = values.get("learner", {})
        if learner.get("passes") == 3 and (learner["place"] > 0) == (chunk == 4):
            raise KeyboardInterrupt

    whole, save = trained("whole"), Run.save_checkpoint
    with monkeypatch.context() as patch:
        patch.setattr(Run, "save_checkpoint", killed)
        with pytest.raises(KeyboardInterrupt):
            trained("killed")
    resumed = trained("killed")
    passes = [r["iteration"] for r in read_records(tmp_path / "killed") if "iteration" in r]
    assert passes == [1, 2, 3, 4, 5]
    assert same_model(resumed, whole)
    first, second = (
        [{k: v for k, v in r.items() if k not in ("seconds", "peak_rss_mb")} for r in records]
        for records in (read_records(tmp_path / "whole"), read_records(tmp_path / "killed"))
    )
    assert first == second
    assert same_model(trained("killed"), whole)  # at its end there is nothing more to learn
    again = [r["iteration"] for r in read_records(tmp_path / "killed") if "iteration" in r]
    assert again == passes


def test_a_training_that_patience_ended_is_not_taken_up_again(tmp_path: Path) -> None:
    how = {"transition": ALL, "optimiser": {"iterations": 9, "patience": 1}}
    first = train(tmp_path, tagger=False, **how)
    records = read_records(tmp_path / "run")
    assert 1 < max(each.get("iteration", 0) for each in records) < 9
    assert same_model(train(tmp_path, tagger=False, **how), first)
    assert len(read_records(tmp_path / "run")) == len(records) + 1


def test_a_long_sentence_of_a_treebank_is_named(parser: DependencyParser) -> None:
    long = DependencyTree(tuple(map(plain_word, ["dogs"] * 9)), ("# sent_id = s7",))
    with pytest.warns(UserWarning, match=r"^sentence s7 \(dogs dogs dogs \.\.\.\) has 9 words"):
        parser.with_max_words(8).parse(long)


def test_no_arc_has_a_probability_above_one() -> None:
    words = tuple(plain_word(form) for form in ("She", "slept"))
    trees = [
        DependencyAnalysis(parsed_tree(DependencyTree(words), (2, 0), (label, "root")), score)
        for score, label in ((-0.1 * n, f"label{n}") for n in range(LISTED))
    ]
    for temperature in range(1, 100):
        her, slept = listed_marginals(trees, temperature)
        assert slept == {(0, "root"): 1.0}
        assert sum(her.values()) == pytest.approx(1)
