"""Damaged and hostile input of training and of models: one clear error, whatever is wrong."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.models.test_contract import model_named
from treewright.errors import ConfigError, ForestError, FormatError, StoreError, TreewrightError
from treewright.forests.forest import Forest
from treewright.inference import exact
from treewright.metrics.count_files import read_counts
from treewright.models import kinds
from treewright.models.packing import pack
from treewright.models.tagging.supertagger import SuperSettings, Supertagger
from treewright.storage.bundle import Bundle, made, write_bundle
from treewright.train.history import read_history
from treewright.train.run import Run
from treewright.train.setup import Plan, check_continues, set_up

AUTO = """ID={id} PARSER=GOLD NUMPARSE=1
(<T S[dcl] 0 2> (<L NP NNP NNP Kim NP>) (<L {category} VBZ VBZ sleeps {category}>) )
"""


def test_a_bad_category_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "train.auto"
    path.write_text(AUTO.format(id=1, category="S[dcl]\\NP") + AUTO.format(id=2, category="S\\\\N"))
    with pytest.raises(FormatError, match=r"train.auto:4: sentence 2: word 'sleeps': a slash"):
        kinds.kind_named("super").train(SuperSettings(path), Run(tmp_path / "run", quiet=True))


@pytest.mark.parametrize("content", ["", "[]", "{", '{"format": 2, "data": 1}', "[" * 100_000])
def test_a_damaged_run_json(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(StoreError, match=r"run.json: damaged"):
        check_continues(tmp_path, Plan("toy", None))


def test_a_run_with_damaged_settings_or_endless_data(tmp_path: Path) -> None:
    plan = Plan("super", SuperSettings(tmp_path / "a.auto"))
    (tmp_path / "run.json").write_text('{"format": 2, "data": {"/dev/zero": ""}}')
    (tmp_path / "resolved.toml").write_bytes(b"x = \xff")
    with pytest.raises(ConfigError, match="the run has different settings"):
        check_continues(tmp_path, plan)
    (tmp_path / "resolved.toml").write_text(plan.resolved())
    with pytest.raises(TreewrightError, match="/dev/zero: changed"):
        check_continues(tmp_path, plan)


RECORD = {"seconds": 1.0, "peak_rss_mb": 2.0}


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        "1",
        "{}",
        json.dumps(RECORD | {"seconds": "x"}),
        json.dumps(RECORD | {"optimise": "a"}),
        json.dumps(RECORD | {"optimise": ["a"], "iteration": 1}),
        json.dumps(RECORD | {"optimise": "a", "iteration": 1, "score": None}),
    ],
)
def test_damaged_records(tmp_path: Path, line: str) -> None:
    (tmp_path / "resolved.toml").write_text('kind = "toy"\n')
    (tmp_path / "records.jsonl").write_text(f"{json.dumps(RECORD)}\n{line}\n")
    with pytest.raises(FormatError, match=r"records.jsonl:2: not a record"):
        read_history(tmp_path)


@pytest.mark.parametrize("config", ["", "kind = 1", 'kind = "toy"\nobjective = 3'])
def test_damaged_settings_of_a_run(tmp_path: Path, config: str) -> None:
    (tmp_path / "resolved.toml").write_text(config)
    with pytest.raises(ConfigError, match="not the configuration of a run"):
        read_history(tmp_path)


def test_training_data_is_a_file(tmp_path: Path) -> None:
    """A pipe is empty when it is read again; a device has no end."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ConfigError, match="not a file"):
            set_up(Run(tmp_path / "run", quiet=True), Plan("super", SuperSettings(path)))


def test_real_scores_that_do_not_fit() -> None:
    forest = Forest(*(np.array(each) for each in ([0, 1], [-1], [-1], [0])), parts=1)  # type: ignore[arg-type]
    with pytest.raises(ForestError, match="scaled reals need"):
        exact.inside(forest, np.array([1e19]), exact.Semiring.REAL)
    with pytest.raises(ForestError, match="no such semiring: 'real'"):
        exact.inside(forest, np.zeros(1), "real")  # type: ignore[arg-type]
    with pytest.raises(ForestError, match="no such semiring"):
        exact.outside(forest, np.zeros(1), None)  # type: ignore[arg-type]


def test_counts_whose_sum_would_wrap(tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    count = 10**14
    rows = "".join(f"s{i}\t{count}\t{count}\t{count}\n" for i in range(3))
    path.write_text("sentence-id\tcorrect\tproduced\tdue\n" + rows)
    with pytest.raises(FormatError, match=r"counts.tsv:2"):
        read_counts(path)


def damaged(bundle: Bundle) -> list[Bundle]:
    """A bundle, each of its members gone, of another type, or with values from elsewhere."""
    found = [replace(bundle, kind="toy"), replace(bundle, config={"x": float("nan")})]
    found += [replace(bundle, config={**bundle.config, k: v}) for k in bundle.config for v in BAD]
    for name, array in bundle.arrays.items():
        whole = array.dtype.kind in "iu"
        extremes = np.iinfo(array.dtype) if whole else np.finfo(array.dtype)
        worse = [array[:-1], array.reshape(1, -1), np.zeros(array.shape, np.float16), array[:0]]
        worse += [np.full_like(array, each) for each in (extremes.min, extremes.max, 0, 1)]
        worse += [] if whole else [np.full_like(array, np.nan), np.full_like(array, np.inf)]
        found += [replace(bundle, arrays={**bundle.arrays, name: each}) for each in worse]
    for name, text in bundle.texts.items():
        worse_texts = ["", "\n", text[: len(text) // 2], "[" * 100_000, "\x00" + text, text * 2]
        found += [replace(bundle, texts={**bundle.texts, name: each}) for each in worse_texts]
    for name, part in bundle.parts.items():
        found += [replace(bundle, parts={**bundle.parts, name: Bundle("pos")})]
        found += [replace(bundle, parts={**bundle.parts, name: each}) for each in damaged(part)]
    return found


@pytest.mark.filterwarnings("ignore")
def test_damaged_models_cannot_be_packed(tmp_path: Path) -> None:
    sound = model_named("pos").bundle()
    others = [each for each in damaged(sound) if each.arrays is not sound.arrays]
    refused = 0
    for bundle in others[::2]:
        write_bundle(replace(bundle, bits=None), tmp_path / "model")
        try:
            pack(tmp_path / "model", tmp_path / "packed")
        except TreewrightError as error:
            refused += len(str(error)) < 1000
    assert refused > 4


def test_tags_that_are_no_categories() -> None:
    bundle = model_named("super").bundle()
    tags = bundle.texts["tags"].splitlines()
    for text in (f"{tags[0]}{end}" for end in "({[/"):
        worse = "\n".join((text, *tags[1:])) + "\n"
        other = replace(bundle, texts={**bundle.texts, "tags": worse})
        with pytest.raises(StoreError, match="not an annotated category"):
            made(Supertagger.from_bundle, other, "model")


@pytest.mark.parametrize("name", ["const rules", "const rich"])
def test_weights_of_another_constituency_parser(name: str) -> None:
    model = model_named(name)
    bundle, load = model.bundle(), kinds.kind_named(model.kind).load
    for weights in (np.zeros(0), bundle.arrays["weights"][:-1]):
        other = replace(bundle, arrays={**bundle.arrays, "weights": weights})
        with pytest.raises(StoreError, match=f"{len(weights)} weights for"):
            made(load, other, "model")


BAD = [None, [], {}, "", "x", -1, 1 << 62, float("nan"), [[]], {"a": {}}]


@pytest.mark.filterwarnings("ignore")  # of tags that the grammar does not know, of overflow
@pytest.mark.parametrize("name", ["ccg", "const pcfg", "dep mst"])
def test_damaged_models_stay_in_the_error_family(name: str) -> None:
    model = model_named(name)
    load = kinds.kind_named(model.kind).load
    refused = 0
    for bundle in damaged(model.bundle())[::20]:
        try:
            list(made(load, bundle, "model").parse_many(["The dog sees a cat", ""]))
        except TreewrightError as error:
            refused += len(str(error)) < 1000
    assert refused > 8
