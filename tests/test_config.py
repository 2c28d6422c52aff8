"""Settings: what loads, what is refused and how the refusal reads, and the way back to TOML."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.config import dump, from_dict, load, parse_toml, setting, to_toml
from treewright.errors import ConfigError


@dataclass(frozen=True)
class Trainer:
    method: Literal["lbfgs", "sgd"] = setting("lbfgs", "How to optimise.")
    rate: float = setting(0.1, "Step size\nof the first epoch.")
    epochs: int = 10

    def __post_init__(self) -> None:
        if self.epochs < 1:
            raise ValueError("epochs must be at least 1")


@dataclass(frozen=True)
class Settings:
    treebank: Path
    trainer: Trainer = field(default_factory=Trainer)
    seed: int | None = None
    verbose: bool = False
    name: str = "run"
    betas: tuple[float, ...] = (0.075, 0.03)
    window: tuple[int, int] = (2, 2)
    labels: list[str] = setting(["NP"], "Labels to score.")
    weights: dict[str, float] = field(default_factory=dict)
    extra: list[Trainer] = field(default_factory=list)
    limit: int | Literal["none"] = "none"


def read(**values: object) -> Settings:
    return from_dict(Settings, {"treebank": "wsj"} | values, "run.toml")


def test_loads_nested_toml(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(
        'treebank = "wsj"\nbetas = [1, 0.5]\nlimit = 3\n[trainer]\nmethod = "sgd"\nrate = 1\n'
    )
    settings = load(Settings, path)
    assert settings.treebank == Path("wsj")
    assert settings.trainer == Trainer(method="sgd", rate=1.0)
    assert isinstance(settings.trainer.rate, float)
    assert settings.betas == (1.0, 0.5)
    assert settings.limit == 3


def test_absent_keys_take_their_defaults() -> None:
    settings = read()
    assert settings == Settings(Path("wsj"))
    assert settings.labels is not read().labels


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"verbos": True}, "run.toml: unknown key 'verbos'; did you mean 'verbose'?"),
        ({"rate": 1}, "run.toml: unknown key 'rate'; did you mean 'trainer.rate'?"),
        (
            {"trainer": {"xyz": 1}},
            "run.toml: unknown key 'trainer.xyz'; known keys: method, rate, epochs",
        ),
        ({"seed": "one"}, "run.toml: key 'seed' must be an integer, not 'one'"),
        ({"seed": True}, "run.toml: key 'seed' must be an integer, not True"),
        ({"verbose": 1}, "run.toml: key 'verbose' must be true or false, not 1"),
        ({"name": 3}, "run.toml: key 'name' must be a string, not 3"),
        ({"trainer": 3}, "run.toml: key 'trainer' must be a table, not 3"),
        ({"trainer": {"rate": "x"}}, "run.toml: key 'trainer.rate' must be a number, not 'x'"),
        (
            {"trainer": {"method": "sdg"}},
            "run.toml: key 'trainer.method' must be one of 'lbfgs', 'sgd', not 'sdg'"
            "; did you mean 'sgd'?",
        ),
        ({"trainer": {"epochs": 0}}, "run.toml: [trainer] epochs must be at least 1"),
        ({"betas": 0.1}, "run.toml: key 'betas' must be a list, not 0.1"),
        ({"betas": [0.1, "x"]}, "run.toml: key 'betas[1]' must be a number, not 'x'"),
        ({"window": [1]}, "run.toml: key 'window' must be a list of 2 values, not list"),
        ({"weights": {"a": []}}, "run.toml: key 'weights.a' must be a number, not list"),
        ({"extra": [{"rat": 1}]}, "run.toml: unknown key 'extra[0].rat'; did you mean 'rate'?"),
        ({"treebank": 1}, "run.toml: key 'treebank' must be a path (a string), not 1"),
    ],
)
def test_refuses(values: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(**values)
    assert str(caught.value) == message


def test_a_required_key_is_required() -> None:
    with pytest.raises(ConfigError, match=r"^run\.toml: missing key 'treebank'$"):
        from_dict(Settings, {}, "run.toml")


def test_a_union_names_its_members() -> None:
    with pytest.raises(ConfigError, match=r"key 'limit' must be int or .* not 'most'"):
        read(limit="most")


@pytest.mark.parametrize("content", [b"a = = 1\n", b"a = '\xff'\n"])
def test_broken_toml_names_the_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"run\.toml: not valid TOML: "):
        load(Settings, path)


def test_an_annotation_that_no_file_can_hold_is_a_bug() -> None:
    @dataclass(frozen=True)
    class Bad:
        value: complex = 0j

    with pytest.raises(TypeError, match="setting 'value'"):
        from_dict(Bad, {"value": 1}, "run.toml")


def test_defaults_print_with_their_comments() -> None:
    assert to_toml(Settings).splitlines() == [
        "# treebank = (required)",
        "# seed = (not set)",
        "verbose = false",
        'name = "run"',
        "betas = [0.075, 0.03]",
        "window = [2, 2]",
        "# Labels to score.",
        'labels = ["NP"]',
        "weights = {}",
        "extra = []",
        'limit = "none"',
        "",
        "[trainer]",
        "# How to optimise.",
        '# one of: "lbfgs", "sgd"',
        'method = "lbfgs"',
        "# Step size",
        "# of the first epoch.",
        "rate = 0.1",
        "epochs = 10",
    ]


@given(
    settings=st.builds(
        Settings,
        treebank=st.just(Path("a/b.mrg")),
        trainer=st.builds(Trainer, rate=st.floats(allow_nan=False), epochs=st.integers(1, 9)),
        seed=st.none() | st.integers(-(2**63), 2**63 - 1),
        name=st.text(st.characters(codec="utf-8")),
        betas=st.lists(st.floats(allow_nan=False)).map(tuple),
        weights=st.dictionaries(st.text(st.characters(codec="utf-8")), st.floats(0, 1)),
        extra=st.lists(st.builds(Trainer, method=st.sampled_from(["lbfgs", "sgd"])), max_size=2),
    )
)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> None:
    path = tmp_path_factory.mktemp("config") / "run.toml"
    dump(settings, path)
    assert load(Settings, path) == settings


@dataclass(frozen=True)
class _Beam:
    width: int = 1
    margin: float = 0.0


@dataclass(frozen=True)
class _Parser:
    beam: _Beam = _Beam(width=8, margin=2.0)


def test_what_a_nested_table_leaves_out_is_as_in_the_default_of_its_field() -> None:
    assert from_dict(_Parser, {"beam": {"margin": 5.0}}, "x").beam == _Beam(8, 5.0)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("x = " + "9" * 5000, "not valid TOML"),
        ("x = " + "[" * 3000, "not valid TOML"),
        ("x = 0x" + "f" * 5000, "a whole number of more than 64 bits"),
        ("x = [[{a = 9223372036854775808}]]", "a whole number of more than 64 bits"),
        ("[" + "a." * 5000 + "a]", "more than 100 deep"),
        ("a ." * 200_000 + "a = 1", "more than 100 deep"),  # took minutes
        ("k" * 100_000 + " = 1", r"unknown key 'k{200}\.\.\.'"),
        ("x = " + "{a=" * 3000, "not valid TOML"),
        ("beam.margin = 1" + "0" * 400, "a whole number of more than 64 bits"),
        ("beam.margin = nan", "must be a number, not nan"),
        ("beam.margin = '" + "x" * 5000 + "'", "must be a number, not 'x"),
    ],
)
def test_extreme_values_are_short_errors(toml: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        from_dict(_Parser, parse_toml(toml.encode(), "x"), "x")
    assert len(str(caught.value)) < 300
