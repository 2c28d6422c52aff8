"""The contract of all kinds of models: one test suite, inherited by each."""

import json
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from dataclasses import replace
from functools import cache
from io import StringIO
from math import inf
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import treewright
from tests.models.dependency.test_parser import train as train_dep
from tests.small_ccg import bank, small_parser
from tests.small_tokeniser import small_tokeniser
from treewright import Analysis, Parser
from treewright.config import from_dict
from treewright.data import conllu
from treewright.data.auto import write_auto
from treewright.data.records import Sentence
from treewright.data.surface import surface_of
from treewright.errors import ConfigError, FormatError, TreewrightError
from treewright.minibank.brackets import bracketed
from treewright.minibank.sentences import sample
from treewright.minibank.write import write_minibank
from treewright.models.ccg.parser import CcgParser
from treewright.models.evaluation import options_of
from treewright.models.kinds import kind_named
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.constituency import NeuralConstParser
from treewright.models.neural.dependency import NeuralDependencyParser
from treewright.models.packing import PackSettings, directory_bytes, pack, packed
from treewright.models.reading import Reading, bracket_words
from treewright.storage.atomic import sha256_of
from treewright.storage.bundle import Bundle, write_bundle
from treewright.train.run import Run

pytestmark = pytest.mark.filterwarnings("ignore:the grammar of the features has no tree")
Model = Parser[Analysis]
SMALL_CONST = {
    "folds": 2,
    "pruning": {"bits": 10, "passes": 2, "threshold": 1e-3},
    "optimiser": {"iterations": 8},
    "pos": {"local_passes": 2, "order": 0},
}


@cache
def _folder() -> Path:
    return Path(mkdtemp())


def _trained(kind: str, name: str, **settings: object) -> Model:
    found = kind_named(kind)
    how: Any = from_dict(found.settings, settings, name)
    return found.train(how, Run(_folder() / name, threads=1, quiet=True))


@cache
def _trees() -> Path:
    path = _folder() / "train.mrg"
    path.write_text("".join(bracketed(each) + "\n" for each in sample(80, 0)))
    return path


@cache
def _auto() -> Path:
    path = _folder() / "train.auto"
    write_auto(path, bank()[:60])
    return path


def _ccg(decoder: str) -> Model:
    """With charts that are wide enough for lists."""
    p = small_parser()
    chart = replace(p.chart, margin=20.0, cell_margin=20.0)
    wide = CcgParser(p.grammar, p.supertagger, p.scorer, chart, p.settings, p.inference)
    return wide.with_settings(decoder=decoder, beam="0.00001:0")


def _const(model: str) -> Model:
    return _trained("const", model, train=str(_trees()), model=model, **SMALL_CONST)


def _dep(algorithm: str) -> Model:
    place = _folder() / algorithm
    place.mkdir()
    how = {} if algorithm == "arc-eager" else {"objective": {"name": "likelihood"}}
    return train_dep(place, algorithm=algorithm, graph={"bits": 12}, **how)


def _tagger(kind: str) -> Model:
    chain = {"local_passes": 2, "chain": {"iterations": 3}}
    more = {"pos": chain} if kind == "super" else {}
    own = {"super": "tagger", "pos": "pos"}[kind]
    return _trained(kind, kind, train=str(_auto()), **{own: chain}, **more)


@cache
def _family() -> Path:
    for name in ("torch", "onnxruntime"):
        pytest.importorskip(name, reason="needs treewright[torch,neural]")
    from tests.small_family import small_family

    write_minibank(_folder() / "neural", 80, seed=3)
    return small_family(_folder() / "neural")


NETWORKS = (NeuralDependencyParser, NeuralCcgParser, NeuralConstParser)  # have seen little here


def _neural(part: str) -> Model:
    return treewright.load(_family() / part)


def _with_features(part: str) -> Model:
    """A neural parser with the scores of a log-linear one."""
    neural = _neural(part)
    from tests.small_family import log_linear_parser

    assert isinstance(neural, NeuralDependencyParser | NeuralConstParser)
    return neural.with_features(log_linear_parser(part, _folder() / "neural"), 0.5)  # type: ignore[arg-type]


MODELS: Mapping[str, Callable[[], Model]] = {
    "ccg": lambda: _ccg("min-risk"),
    "ccg bp": lambda: _ccg("bp"),
    "const rich": lambda: _const("rich"),
    "const rules": lambda: _const("rules"),
    "const pcfg": lambda: _const("pcfg"),
    "dep arc-eager": lambda: _dep("arc-eager"),
    "dep mst": lambda: _dep("mst"),
    "dep eisner": lambda: _dep("eisner"),
    "pos": lambda: _tagger("pos"),
    "super": lambda: _tagger("super"),
    "neural dep": lambda: _neural("dep"),
    "neural ccg": lambda: _neural("ccg"),
    "neural const": lambda: _neural("const"),
    "neural dep with features": lambda: _with_features("dep"),
    "neural const with features": lambda: _with_features("const"),
}


@cache
def model_named(name: str) -> Model:
    return MODELS[name]()


@cache
def sentences_for(kind: str) -> Sequence[Any]:
    if kind == "dep":
        trees = conllu.read(_folder() / "arc-eager" / "train.conllu")
        return ["The dog sees a cat", ["Dogs", "sleep"], *list(trees)[:5]]
    if kind == "const":
        return list(bracket_words(_trees()))[:6]
    words = bank()[60].sentence.words
    return [" ".join(words), words, *(derivation.sentence for derivation in bank()[61:66])]


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Model:
    model_named("dep arc-eager")  # its treebank has the sentences of all dep models
    return model_named(request.param)


def analyses(model: Model) -> list[Analysis]:
    return list(model.parse_many(sentences_for(model.kind)))


def choice(analysis: Analysis) -> Any:
    return plain(analysis.choice_values())


def plain(values: object) -> Any:
    return json.loads(json.dumps(values))


def test_one_by_one_or_together(model: Model) -> None:
    found = analyses(model)
    for sentence, analysis in zip(sentences_for(model.kind), found, strict=True):
        alone = model.parse(sentence)
        assert (choice(alone), alone.score) == (choice(analysis), analysis.score)
        assert len(alone.words) == len(analysis.words) > 0


def test_the_first_of_a_list_is_the_viterbi_parse(model: Model) -> None:
    for analysis in analyses(model.with_settings(decoder="viterbi")):
        (best,) = analysis.kbest(1)
        assert choice(best) == choice(analysis)
        assert best.score == pytest.approx(analysis.score)
        assert analysis.expected_gain is None


def test_scores_mean_the_same_for_every_decoder(model: Model) -> None:
    for analysis in analyses(model.with_settings(decoder="min-risk")):
        listed = {json.dumps(choice(each)): each.score for each in analysis.kbest(50)}
        assert analysis.expected_gain is not None
        if (name := json.dumps(choice(analysis))) in listed:
            assert listed[name] == pytest.approx(analysis.score)
        assert max(listed.values()) >= analysis.score - 1e-6


def test_lists_are_sorted_and_the_shorter_one_is_a_prefix(model: Model) -> None:
    several = 0
    for analysis in analyses(model):
        three, four = analysis.kbest(3), analysis.kbest(4)
        scores = [each.score for each in four]
        assert scores == sorted(scores, reverse=True)
        assert [choice(each) for each in three] == [choice(each) for each in four[:3]]
        several += len(four) > 1
        assert len({json.dumps(choice(each)) for each in four}) == len(four)
    assert several


def probabilities(values: object) -> Iterator[float]:
    """All numbers that `marginal_values` gives as probabilities."""
    match values:
        case {"probability": float(p)}:
            yield p
        case dict():
            for value in values.values():
                yield from probabilities(value)
        case list() | tuple():
            for value in values:
                yield from probabilities(value)
        case float():
            yield values


def test_marginals_are_probabilities(model: Model) -> None:
    for analysis in analyses(model):
        found = list(probabilities(plain(analysis.marginal_values())))
        assert found
        assert all(-1e-9 <= p <= 1 + 1e-9 for p in found)
        assert max(found) > (0.03 if isinstance(model, NETWORKS) else 0.3)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (None, TypeError, "a sentence is a str or a list of words, not NoneType: None"),
        (b"dogs", TypeError, "a sentence is a str or a list of words, not bytes: b'dogs'"),
        ([("dogs", "NNS")], TypeError, "word 1 of a sentence is a str, not tuple"),
        (["dogs", ""], TreewrightError, "word 2 of a sentence is empty"),
        (["dogs\tbark"], TreewrightError, r"word 1 of a sentence has a tab or a line end: 'dogs"),
        (["dogs", "a\0"], TreewrightError, "word 2 of a sentence has a NUL at character 1"),
        (["\ud800"], TreewrightError, "word 1 of a sentence has a lone surrogate"),
        ("dogs a\0", TreewrightError, "the text has a NUL at character 6"),
        ("dogs \ud800", TreewrightError, "the text has a lone surrogate at character 5"),
    ],
)
def test_what_is_no_sentence_is_refused(
    model: Model, given: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        model.parse(given)


def test_letters_are_no_sentences(model: Model) -> None:
    text: Any = "dogs bark"
    with pytest.raises(TypeError, match="takes several sentences; for one, call parse"):
        list(model.parse_many(text))


def test_analyses_say_that_they_cannot_be_pickled(model: Model) -> None:
    with pytest.raises(TypeError, match="give other processes its to_json"):
        pickle.dumps(analyses(model)[0])


def test_models_say_that_they_cannot_be_pickled(model: Model) -> None:
    with pytest.raises(TypeError, match="give other processes its name or directory"):
        pickle.dumps(model)


def test_copies_of_models_share_what_never_changes(model: Model) -> None:
    given = sentences_for(model.kind)[0]
    expected = model.parse(given).to_json()
    for again in (copy(model), deepcopy(model), model.with_tokeniser(None)):
        assert again.parse(given).to_json() == expected
        assert type(again) is type(model)
    assert repr(model) == f"<{type(model).__name__} of kind {model.kind!r}>"


def test_json_holds_the_analysis(model: Model) -> None:
    for analysis in analyses(model):
        line = analysis.format("json", k=2, marginals=True)
        assert line.endswith("}\n")
        assert line.count("\n") == 1
        values = json.loads(line)
        assert values == plain(analysis.to_json(k=2, marginals=True))
        assert tuple(values["words"]) == analysis.words
        assert values["score"] == pytest.approx(analysis.score)
        assert 1 <= len(values["kbest"]) <= 2
        assert values["marginals"]


def test_json_has_the_same_keys_for_every_kind(model: Model) -> None:
    first, *others = analyses(model)
    values = plain(first.to_json())
    assert (values["format"], values["kind"]) == (1, model.kind)
    assert values["parsed"] is first.parsed is True
    for column in ("lemmas", "upos", "xpos", "feats", "offsets", "spaces"):
        assert values[column] is None or len(values[column]) == len(first.words)
    shared = {"id", "text", "multiword", "score", "probability", "expected_gain"}
    assert shared <= values.keys()
    if model.kind != "const":  # its sentences come from trees
        assert [values["text"][a:b] for a, b in values["offsets"]] == list(first.words)
    assert all(plain(each.to_json()).keys() == values.keys() for each in others)


def test_probabilities_of_analyses(model: Model) -> None:
    for analysis in analyses(model):
        listed = [each["probability"] for each in plain(analysis.analysis_values(k=50))["kbest"]]
        if analysis.log_z is None:
            assert analysis.kind in ("dep", "ccg")  # a beam and a joint model have no sums
            assert listed == [None] * len(listed)
            continue
        assert analysis.probability is not None
        assert 0 < analysis.probability <= 1
        assert sum(listed) < 1 + 1e-6
        assert listed == sorted(listed, reverse=True)


def test_every_format_is_written(model: Model) -> None:
    analysis = model.parse(sentences_for(model.kind)[0])
    assert analysis.formats == model.formats
    for name in analysis.formats:
        assert analysis.format(name).endswith("\n")
        assert len(analysis.format(name, k=3)) >= len(analysis.format(name))
    assert str(analysis)
    with pytest.raises(ConfigError, match="unknown format 'nosuch'"):
        analysis.format("nosuch")
    with pytest.raises(ConfigError, match="has no marginals"):
        analysis.format(analysis.formats[0], marginals=True)


def test_words_with_spaces_are_written_in_every_format(model: Model) -> None:
    """Lists of words, such as the server's, may have what separates words in files."""
    words = ["a b", "# x", "c\vd\fe", "(", "\x85", "<>"]
    analysis = model.parse(words)
    assert list(analysis.words) == words
    for name in analysis.formats:
        assert analysis.format(name, k=2) or not analysis.parsed


def test_pictures_show_the_words_and_doubt(model: Model) -> None:
    analysis = model.parse(sentences_for(model.kind)[0])
    for words in (analysis.format("svg", marginals=True), analysis.drawn("svg")):
        assert words.count("\n") == 1
        root = ET.fromstring(words)
        shown = {"".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")}
        assert shown >= set(analysis.words)
    assert "<svg" in analysis._repr_html_()
    assert model.frames["html"][0].startswith("<!doctype html>")


def test_pages_show_the_text_as_it_reads() -> None:
    cut = model_named("dep mst").with_tokeniser(small_tokeniser())
    page = cut.parse_text("don't go.")[0].drawn("html")
    assert '<figcaption dir="auto">don&#x27;t go.</figcaption>' in page


def test_a_saved_model_parses_the_same(model: Model, tmp_path: Path) -> None:
    chosen = model.with_settings(decoder="min-risk")
    chosen.save(tmp_path / "model")
    again = treewright.load(tmp_path / "model")
    assert type(again) is type(model)
    for ours, theirs in zip(analyses(chosen), analyses(again), strict=True):
        assert ours.to_json(2) == theirs.to_json(2)


def test_a_packed_model_parses_nearly_the_same(model: Model, tmp_path: Path) -> None:
    write_bundle(model.bundle(), tmp_path / "model")
    how = PackSettings(bits=16, prune=0.0)
    for name in ("packed", "again"):
        pack(tmp_path / "model", tmp_path / name, how)
    assert sha256_of(tmp_path / "packed") == sha256_of(tmp_path / "again")
    assert directory_bytes(tmp_path / "packed") < directory_bytes(tmp_path / "model")
    packed = treewright.load(tmp_path / "packed")
    for ours, theirs in zip(analyses(model), analyses(packed), strict=True):
        one, other = (choice(each) | {"probabilities": None} for each in (ours, theirs))
        assert one == other
        assert theirs.score == pytest.approx(ours.score, rel=0.01, abs=0.05)


def test_parts_of_a_packed_model_can_be_pruned_more() -> None:
    tagger = model_named("pos").bundle()
    whole = Bundle("none", parts={"one": tagger, "other": tagger})
    found = packed(whole, PackSettings(parts={"other": 10.0})).parts
    assert len(found["other"].arrays["keys"]) < len(found["one"].arrays["keys"])
    with pytest.raises(ConfigError, match="prune must be from 0 to 10, not 11"):
        PackSettings(parts={"other": 11})


def test_a_sentence_that_is_too_long_has_a_clear_answer_and_the_rest_goes_on(model: Model) -> None:
    if model.kind in ("pos", "super"):
        with pytest.raises(ConfigError, match="no limit on sentence length"):
            model.with_max_words(3)
        return
    with pytest.raises(ConfigError, match="positive"):
        model.with_max_words(0)
    short = sentences_for(model.kind)[-1]
    size = len(_words(short))
    long = Sentence.of(["dogs"] * (size + 1))
    limited = model.with_max_words(size)
    with pytest.warns(
        UserWarning, match=rf"\(dogs dogs dogs \.\.\.\) has {size + 1} words"
    ) as seen:
        first, unparsed, last = limited.parse_many([short, long, short])
    assert len(seen) == 1
    assert choice(first) == choice(last) == choice(model.parse(short))
    assert (unparsed.parsed, unparsed.words) == (False, tuple(long.words))
    for name in unparsed.formats:
        unparsed.format(name, k=2)
    values = json.loads(unparsed.format("json", 2, True))
    assert (values["parsed"], values["score"]) == (False, None)
    again = limited.with_settings(decoder="viterbi")
    assert again.max_words == size


def test_a_stream_is_not_read_far_ahead(model: Model) -> None:
    """So that a file of any length takes the same memory."""
    taken = 0

    def stream() -> Iterator[Any]:
        nonlocal taken
        while True:
            taken += 1
            yield ["Dogs", "sleep"] if model.kind != "const" else sentences_for("const")[0]

    found = model.parse_many(stream())
    next(found)
    assert taken <= 256


def test_threads_share_a_model(model: Model) -> None:
    sentences = sentences_for(model.kind)
    alone = [choice(each) for each in analyses(model)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(model.parse, list(sentences) * 4))
    assert [choice(each) for each in found] == alone * 4


def test_no_words_at_all(model: Model) -> None:
    for nothing in ("", [], Sentence("1", ())):
        analysis = model.parse(nothing)
        assert analysis.words == ()
        assert len(analysis.kbest(2)) == 1
        for name in analysis.formats:
            analysis.format(name)
        assert json.loads(analysis.format("json", 2, True))["words"] == []


RAW = "  don't go.\r\n\r\ndon't  go."


def test_raw_text_keeps_its_offsets(model: Model, tmp_path: Path) -> None:
    cut = model.with_tokeniser(small_tokeniser())
    found = [plain(each.to_json()) for each in cut.with_settings(decoder="viterbi").parse_text(RAW)]
    assert [each["words"] for each in found] == [["do", "n't", "go", "."]] * 2
    for each in found:
        assert [RAW[a:b] for a, b in each["offsets"]] == each["words"]
        assert each["spaces"] == [False, True, False, each is not found[-1]]
        assert each["multiword"][0]["text"] == "don't"
        assert each["text"] == "don't go."
    assert cut.parse("don't go.").words == ("do", "n't", "go", ".")
    file = tmp_path / "in.txt"
    file.write_bytes(RAW.encode())
    assert [len(each) for each in map(_words, cut.read(file))] == [4, 4]
    assert len(list(cut.read(file, Reading(text="sentences")))) == 2
    tokens = [words for words in map(_words, cut.read(file, Reading(text="tokens"))) if words]
    assert tokens == [("don't", "go."), ("don't", "go.")]


def test_conllu_of_raw_text_has_the_text_and_its_tokens(model: Model) -> None:
    if "conllu" not in model.formats:
        pytest.skip("writes no CoNLL-U")
    cut = model.with_tokeniser(small_tokeniser()).with_settings(decoder="viterbi")
    for analysis in cut.parse_text(RAW):
        (tree,) = conllu.read(StringIO(analysis.format("conllu")))
        known, values = surface_of(tree), plain(analysis.to_json())
        assert tree.text == values["text"] == "don't go."
        assert [list(place) for place in known.offsets] == values["offsets"]
        assert list(known.spaces) == values["spaces"]
        assert [token.form for token in tree.tokens] == ["don't"]


def _words(sentence: Any) -> tuple[str, ...]:
    return tuple(sentence.forms if hasattr(sentence, "forms") else sentence.words)


def test_raw_text_needs_a_tokeniser(model: Model, tmp_path: Path) -> None:
    model = model.with_tokeniser(None)
    with pytest.raises(ConfigError, match="has no tokeniser, which raw text needs"):
        model.parse_text("a b")
    file = tmp_path / "in.txt"
    file.write_text("Dogs sleep, don't they\n")
    with pytest.raises(ConfigError, match="has no tokeniser, which --raw needs"):
        list(model.read(file, Reading(text="raw")))
    with pytest.warns(UserWarning, match="'sleep,' does not look tokenised"):
        list(model.read(file))


BLANK = "\t_" * 5
TREEBANKS = {
    "CoNLL-U": f"# sent_id = x\n1\t(\t_\t_\t-LRB-{BLANK}\n2\tdog\t_\t_\tNN{BLANK}\n\n",
    "bracket": "( (NP (-LRB- -LRB-) (NN dog) (-NONE- *)))\n",
    "AUTO": "ID=x PARSER=GOLD NUMPARSE=1\n"
    "(<T NP 0 2> (<L NP/NP -LRB- -LRB- -LRB- NP/NP>) (<L NP NN NN dog NP>) )\n",
    "PARG": '<s id="x"> 1\n<\\s>\n',
}


@pytest.mark.filterwarnings("ignore:the grammar does not know the tags")
@pytest.mark.parametrize("form", TREEBANKS)
def test_treebanks_of_other_kinds(model: Model, form: str, tmp_path: Path) -> None:
    """Parsers take the words and tags of each treebank; taggers take text."""
    if form in model.treebanks:
        pytest.skip("its own")
    file = tmp_path / "in.txt"
    file.write_text(TREEBANKS[form], encoding="utf-8")
    if form == "PARG" or not model.treebanks:
        with pytest.raises(FormatError, match=f"a model of kind '{model.kind}' reads .*text"):
            list(model.read(file))
    else:
        (found,) = model.read(file)
        tags = [word.xpos for word in found.words] if model.kind == "dep" else list(found.tags)
        assert tags == ["-LRB-", "NN"]
        assert found.id == ("1" if form == "bracket" else "x")
        assert model.parse(found).words == ("(", "dog")
        assert model.parse(model.untagged(found)).words == ("(", "dog")
    assert list(model.read(file, Reading(text="tokens")))


def test_unknown_settings_are_named(model: Model) -> None:
    with pytest.raises(ConfigError, match="nosuch"):
        model.with_settings(nosuch=1)
    with pytest.raises(ConfigError, match="foo"):
        model.with_settings(decoder="foo")


def test_tags_are_predicted_again(model: Model) -> None:
    """`--retag`: a sentence with wrong tags is parsed as one without."""
    sentence = sentences_for(model.kind)[-1]
    for name in ("xpos", "upos") if model.kind == "dep" else ("pos",):
        part = "words" if model.kind == "dep" else "tokens"
        wrong = [_changed(each, name, "X") for each in getattr(sentence, part)]
        sentence = replace(sentence, **{part: tuple(wrong)})
    found = model.parse(model.untagged(sentence))
    assert choice(found) == choice(model.parse(list(found.words)))


def _changed(item: Any, name: str, value: str) -> Any:
    return (
        item._replace(**{name: value})
        if hasattr(item, "_replace")
        else replace(item, **{name: value})
    )


def gold_file(kind: str) -> Path:
    return {"const": _trees, "dep": lambda: _folder() / "arc-eager" / "train.conllu"}.get(
        kind, _auto
    )()


def test_the_oracle_has_the_best_and_the_worst(model: Model) -> None:
    kind = kind_named(model.kind)
    # With a margin, a wider beam can lose what a narrow one has.
    wide = {"margin": inf} if isinstance(model, NeuralCcgParser) else {}
    options = options_of(model.kind, kind.oracle.options, {"sentences": 6, **wide})
    if isinstance(model, NeuralConstParser):
        with pytest.raises(ConfigError, match="does not prune charts"):
            kind.oracle.report(model, gold_file(model.kind), options)
        return
    report = kind.oracle.report(model, gold_file(model.kind), options)
    rows: Any = plain(report.values)
    assert len(rows) == len(report.tables[0].rows) > 0
    for row in rows:
        assert 0 <= row["worst"]["f"] <= row["best"]["f"] <= 1
    bests = [row["best"]["f"] for row in rows]
    assert bests == sorted(bests)
    assert bests[-1] > (0.2 if isinstance(model, NETWORKS) else 0.5)


def test_gold_scores_full_marks_against_itself(model: Model) -> None:
    evaluation, gold = kind_named(model.kind).evaluation, gold_file(model.kind)
    options = evaluation.options()
    assert all(
        each.exact().score().f == 1 for each in evaluation.counts(gold, gold, options).values()
    )
    assert evaluation.report(gold, gold, options).tables
