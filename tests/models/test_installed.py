"""Models that packages bring along."""

import json
import os
import pydoc
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import treewright
from tests.models.test_contract import model_named
from tests.packages import BIOMEDICAL, ENGLISH, NEURAL, site_of
from treewright.errors import ConfigError, StoreError
from treewright.models import installed
from treewright.models.installed import (
    default_model,
    model_directory,
    packages,
    tokeniser_directory,
)
from treewright.models.packing import directory_bytes

POINTS = '[project.entry-points."treewright.models"]\n'
MODELS = """
format = {format}
default = "a"
[parts.a]
kind = "toy"
directory = "models/one"
licence = "CC0-1.0"
scores = {{ F1 = 12.5 }}
[parts.b]
kind = "toy"
directory = "models/one/parts/b"
"""


def make(folder: Path, name: str = "xx", model_format: int = 3) -> Path:
    """The site of a package `treewright-NAME`."""
    package = folder / f"treewright-{name}"
    module = package / f"treewright_{name.replace('-', '_')}"
    (module / "models" / "one").mkdir(parents=True)
    (module / "__init__.py").touch()
    (module / "models.toml").write_text(MODELS.format(format=model_format))
    project = f'[project]\nname = "treewright-{name}"\nversion = "0.5"\n{POINTS}{name} = '
    (package / "pyproject.toml").write_text(f'{project}"{module.name}"\n')
    return site_of(package, folder / "site" / name)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No packages of models but those that the test installs."""
    ours = str(tmp_path)
    found = installed.entry_points

    def only(group: str) -> list[object]:
        points = found(group=group)
        return [p for p in points if ours in str(getattr(p.dist, "_path", ""))]

    monkeypatch.setattr(installed, "entry_points", only)
    return monkeypatch


def test_names_are_parts_of_packages(alone: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone.syspath_prepend(make(tmp_path))
    alone.syspath_prepend(make(tmp_path, "xx-neural"))
    assert [each.name for each in packages()] == ["xx", "xx-neural"]
    root = packages()[0].root
    assert model_directory("xx") == model_directory("xx-a") == root / "models" / "one"
    assert model_directory("xx-b") == root / "models" / "one" / "parts" / "b"
    other = MODELS.format(format=3) + '[parts.c]\nkind = "c"\ndirectory = "models/c"\n'
    (root / "models.toml").write_text(other)
    assert model_directory("xx", "c") == root / "models" / "c"
    assert model_directory("xx", "nothing") == root / "models" / "one"
    (root / "models.toml").write_text(MODELS.format(format=3))
    assert model_directory("xx-neural-a").parts[-3] == "treewright_xx_neural"
    assert default_model() == "xx-neural"
    alone.setattr(installed, "RUNS_NEURAL", ("no_such_runtime",))
    assert default_model() == "xx"
    assert packages()[0].parts["xx-a"].scores == {"F1": 12.5}
    assert model_directory(tmp_path) == tmp_path
    with pytest.raises(
        StoreError, match="treewright-xx has no model 'xx-c': it has xx, xx-a, xx-b"
    ):
        treewright.load("xx-c")


def test_a_package_without_tokeniser_has_that_of_the_one_it_extends(
    alone: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("xx", "xx-yy", "xx-yy-zz", "uu-vv"):
        alone.syspath_prepend(make(tmp_path, name))
    assert tokeniser_directory("xx-yy-zz-a") is None
    cuts = MODELS.replace("parts.b", "parts.tok").format(format=3)
    (tmp_path / "treewright-xx" / "treewright_xx" / "models.toml").write_text(cuts)
    wanted = tmp_path / "site" / "xx" / "treewright_xx" / "models" / "one" / "parts" / "b"
    for model in ("xx-a", "xx-yy", "xx-yy-zz-a"):
        assert tokeniser_directory(model) == wanted
    assert tokeniser_directory("uu-vv-a") is None


def test_a_missing_model_says_what_to_install(alone: pytest.MonkeyPatch) -> None:
    for name, package in {"en-dep": "en", "en-bio-ccg": "en-bio", "en-neural": "en-neural"}.items():
        with pytest.raises(
            StoreError,
            match=rf"none\. To install one: pip install treewright-{package}, or packages/",
        ):
            treewright.load(name)
    with pytest.raises(StoreError, match="pip install treewright-en"):
        default_model()
    with pytest.raises(StoreError, match="runs/model: No such file"):
        treewright.load("runs/model")
    assert alone is not None


def test_no_package_is_advised_that_does_not_exist(
    alone: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    alone.syspath_prepend(make(tmp_path))
    for name in ("zz-dep", "english"):
        wanted = rf"{name}: .*; installed: xx\. Give the path"
        with pytest.raises(StoreError, match=wanted) as found:
            treewright.load(name)
        assert "pip install" not in str(found.value)


def test_a_package_of_another_format_is_refused(alone: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone.syspath_prepend(make(tmp_path, "yy", 99))
    with pytest.raises(
        StoreError, match="models of format 99, but this version of Treewright reads 2 and 3"
    ):
        treewright.load("yy")


def test_a_package_that_is_not_whole_is_named(alone: pytest.MonkeyPatch, tmp_path: Path) -> None:
    site = make(tmp_path, "ww")
    (site / "treewright_ww" / "models.toml").write_text("format = 3")
    alone.syspath_prepend(site)
    with pytest.raises(
        StoreError, match=r"treewright-ww 0.5 does not fit: .*missing key 'default'"
    ):
        packages()


@pytest.mark.parametrize("place", ["/etc", "../other", "models/../../other", "a\\u0000b"])
def test_models_outside_their_package(
    place: str, alone: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    site = make(tmp_path, "vv")
    table = site / "treewright_vv" / "models.toml"
    table.write_text(table.read_text().replace("models/one/parts/b", place))
    alone.syspath_prepend(site)
    with pytest.raises(StoreError, match="part 'b' is outside the package"):
        model_directory("vv-b")


@pytest.mark.parametrize(
    "content",
    [b"\xff", b"x = " + b"[" * 9999, b"", b"format = 3\ndefault = 1", b"format = 1e400"],
)
def test_damaged_tables_of_packages(
    content: bytes, alone: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    site = make(tmp_path, "uu")
    (site / "treewright_uu" / "models.toml").write_bytes(content)
    alone.syspath_prepend(site)
    with pytest.raises(StoreError, match=r"treewright-uu 0\.5 does not fit"):
        treewright.load("uu")


@pytest.mark.parametrize("module", ["treewright_none", "treewright_none.inner", "os:path", "..x"])
def test_a_package_whose_module_is_missing(
    module: str, alone: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    site = make(tmp_path, "tt")
    for points in site.rglob("entry_points.txt"):
        points.write_text(points.read_text().replace("treewright_tt", module))
    alone.syspath_prepend(site)
    with pytest.raises(StoreError, match=r"treewright-tt 0\.5 is incomplete"):
        treewright.load("tt")


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that has the packages for English, and no network."""
    site = site_of(ENGLISH, tmp_path_factory.mktemp("site"))
    site_of(BIOMEDICAL, site)
    site_of(NEURAL, site)
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "http_proxy": "http://127.0.0.1:9", "COLUMNS": "160"}


def run(english: dict[str, str], *arguments: str, given: str = "") -> tuple[str, str]:
    command = [sys.executable, "-m", "treewright", *arguments]
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, env=english, check=True
    )
    return done.stdout, done.stderr


def test_text_on_the_command_line_is_parsed(english: dict[str, str]) -> None:
    out, err = run(english, "parse", "The fox didn't jump. It won't.", "--model", "en-dep")
    assert err == ""
    rows = [line.split("\t") for line in out.splitlines() if line[:1].isdigit()]
    words = [row[1] for row in rows if row[0].isdigit()]
    assert words == ["The", "fox", "did", "n't", "jump", ".", "It", "wo", "n't", "."]
    assert [row[7] for row in rows if row[1] == "fox"] == ["nsubj"]


@pytest.mark.parametrize("model", ["en-dep", "en-neural-dep"])
def test_typographic_apostrophes_are_parsed_as_plain_ones(
    english: dict[str, str], model: str
) -> None:
    pytest.importorskip("onnxruntime")
    text = "They're sure that I'll see them. We've met."
    plain, _ = run(english, "parse", text, "--model", model)
    curled, _ = run(english, "parse", text.replace("'", "\u2019"), "--model", model)
    rows = [
        [line.split("\t")[2:9] for line in out.splitlines() if line[:1].isdigit()]
        for out in (plain, curled)
    ]
    assert rows[0] == rows[1]
    assert "\t\u2019ll\twill\tAUX\t" in curled


def test_the_installed_model_is_the_default_and_named(english: dict[str, str]) -> None:
    out, err = run(english, "parse", given="Dogs sleep.\n")
    assert "treewright: using model en-neural (choose another with --model)" in err
    assert "Dogs" in out


def test_models_are_listed(english: dict[str, str]) -> None:
    listed, _ = run(english, "models")
    parts = ("en-dep", "en-tok", "en-ccg", "en-const")
    for wanted in (*parts, "LAS", "LF", "F1", "CC-BY-SA-4.0", "CC-BY-3.0"):
        assert wanted in listed
    values = json.loads(run(english, "models", "--json")[0])
    (package,) = [each for each in values if each["name"] == "en"]
    assert package["bytes"] < 30e6
    for model in package["models"]:
        assert Path(model["directory"]).is_dir()
        assert (ENGLISH / "treewright_en" / model["card"]).is_file()
        assert set(model["licence"].split(" AND ")) <= {"CC-BY-SA-4.0", "CC-BY-3.0"}
        assert all(len(digest) == 64 for digest in model["data"].values())


def test_constituents_of_everyday_text_have_the_right_tags(english: dict[str, str]) -> None:
    """CRAFT has hardly any contractions and pronouns; its tagger also learns from EWT."""
    tree, _ = run(english, "parse", "--model", "en-const", "I didn't see what she'll do")
    tags = ("PRP I", "VBD did", "RB n't", "VB see", "WP what", "PRP she", "MD 'll", "VB do")
    assert all(f"({tag})" in tree for tag in tags), tree


def test_sizes_of_neural_models_have_the_network_that_they_share(english: dict[str, str]) -> None:
    values = json.loads(run(english, "models", "--json")[0])
    (package,) = [each for each in values if each["name"] == "en-neural"]
    network = NEURAL / "treewright_en_neural" / "model" / "parts" / "network"
    for model in package["models"]:
        shares = model["kind"] != "tok"
        assert (directory_bytes(network) < model["bytes"]) == shares
        assert 1e6 < model["bytes"] < package["bytes"]


def test_the_biomedical_model_is_listed(english: dict[str, str]) -> None:
    values = json.loads(run(english, "models", "--json")[0])
    (package,) = [each for each in values if each["name"] == "en-bio"]
    assert package["bytes"] < 15e6
    (model,) = package["models"]
    assert (model["name"], model["kind"], model["licence"]) == ("en-bio-ccg", "ccg", "CC-BY-3.0")
    assert (BIOMEDICAL / "treewright_en_bio" / model["card"]).is_file()
    assert model["scores"].keys() == {"LF", "UF", "supertags"}


BIO = """
import treewright
doc = treewright.load("en-bio")("It works. The mutation didn't alter expression of the gene.")
print(len(doc), [token.text for token in doc.sentences[0].tokens])
print(*(leaf.category for leaf in doc.sentences[1].derivation.leaves))
"""


def test_the_biomedical_package_cuts_text_as_english(english: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BIO], capture_output=True, text=True, env=english, check=True
    )
    length, categories = done.stdout.splitlines()
    assert length == "2 ['It', 'works', '.']"
    assert categories.split()[:2] == ["NP[nb]/N", "N"]
    out, err = run(english, "parse", "It works.", "--model", "en-bio-ccg")
    assert (err, out.count("<L")) == ("", 3)
    assert "S[dcl]" in out


PIPELINE = """
import treewright
doc = treewright.load("en")("It works. It didn't.")
last = doc.sentences[1]
print(len(doc), [token.text for token in last.tokens])
print(len(last.derivation.leaves), last.constituents[-1].label, last.dependencies[0].label)
"""


def test_a_package_is_a_pipeline(english: dict[str, str]) -> None:
    command = [sys.executable, "-c", PIPELINE]
    done = subprocess.run(command, capture_output=True, text=True, env=english, check=True)
    assert done.stdout.splitlines() == ["2 ['It', 'did', \"n't\", '.']", "4 S nsubj"]


LIGHT = """
import sys
import treewright
for part in ("en-dep", "en-ccg", "en-const"):
    treewright.load(part).parse("Dogs sleep.").marginals
print(*sorted({"scipy", "typer", "torch", "rich.console"} & sys.modules.keys()))
"""


def test_parsing_imports_no_library_that_it_does_not_need(english: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIGHT], capture_output=True, text=True, env=english, check=True
    )
    assert done.stdout == "\n"


APART = """
import sys
import treewright
treewright.load("en-neural-dep").parse("Dogs sleep.")
print(*sorted(name for name in sys.modules if name.startswith("treewright.models.")))
"""


def test_loading_a_neural_parser_imports_neither_others_nor_training(
    english: dict[str, str],
) -> None:
    pytest.importorskip("onnxruntime")
    done = subprocess.run(
        [sys.executable, "-c", APART], capture_output=True, text=True, env=english, check=True
    )
    modules = done.stdout.split()
    assert "treewright.models.neural.dependency" in modules
    others = (".ccg.", ".constituency.", ".dependency.training ", ".neural.training ", ".kind ")
    assert [name for name in modules if any(each in f"{name} " for each in others)] == []


@pytest.mark.parametrize(
    ("part", "wanted"), [("ccg", "(<T S 1 2> (<L NP PRP PRP It"), ("const", "(S (NP (PRP It)) (VP")]
)
def test_parts_parse_raw_text_with_the_tokeniser_of_their_package(
    english: dict[str, str], part: str, wanted: str
) -> None:
    text = "Dogs sleep. It didn't jump."
    out, err = run(english, "parse", text, "--model", f"en-{part}")
    assert wanted in out
    assert "n't" in out
    assert err == ""


@pytest.mark.slow
def test_the_wheel_has_all_that_is_needed(english: dict[str, str], tmp_path: Path) -> None:
    """Built, installed elsewhere without an index, and used offline."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    source = tmp_path / ENGLISH.name
    shutil.copytree(ENGLISH, source, ignore=shutil.ignore_patterns("__pycache__"))
    how = ["--no-deps", "--no-index"]
    wheels = ["--no-build-isolation", "--wheel-dir", str(tmp_path)]
    subprocess.run([*pip, "wheel", *how, *wheels, str(source)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([*pip, "install", *how, "--target", str(tmp_path / "site"), wheel], check=True)
    shutil.rmtree(source)
    # Without site: links of an editable install would come first.
    code = Path(treewright.__file__).parents[1]
    others = [ENGLISH.with_name("treewright-en-neural"), BIOMEDICAL]
    places = [tmp_path / "site", code, *others, sysconfig.get_path("platlib")]
    there = {**english, "PYTHONPATH": os.pathsep.join(map(str, places))}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-S", "-m", "treewright", *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=there, check=True).stdout

    values = json.loads(run("models", "--json"))
    (package,) = [each for each in values if each["name"] == "en"]
    for model in package["models"]:
        assert Path(model["directory"]).is_relative_to(tmp_path)
    assert "(<L NP PRP PRP It" in run("parse", "It didn't jump.", "--model", "en-ccg")


def test_an_installed_model_is_packed_by_its_name(english: dict[str, str], tmp_path: Path) -> None:
    out, _ = run(english, "pack", "en-tok", "--out", str(tmp_path / "tok"), "--bits", "4")
    assert "(was " in out
    assert (tmp_path / "tok" / "manifest.json").is_file()


def test_a_file_name_that_is_wrong_is_not_text(english: dict[str, str]) -> None:
    command = [sys.executable, "-m", "treewright", "parse", "nosuch.txt", "--model", "en-dep"]
    done = subprocess.run(command, capture_output=True, text=True, env=english, check=False)
    assert done.returncode == 2
    assert "nosuch.txt: No such file" in done.stderr


def test_a_model_without_tokeniser_takes_the_installed_one(
    english: dict[str, str], tmp_path: Path
) -> None:
    model_named("pos").save(tmp_path / "pos")
    own = ("--model", str(tmp_path / "pos"))
    out, err = run(english, "parse", "Dogs didn't sleep. It rains.", *own, "--raw")
    assert [len(line.split()) for line in out.splitlines()] == [5, 3]
    assert err == (
        "treewright: warning: this model of kind 'pos' has no tokeniser: using that of en-neural"
        " (choose another with --tokeniser)\n"
    )
    out, _ = run(english, "parse", "Dogs sleep .", *own)
    assert len(out.split()) == 3


def test_columns_that_a_file_lacks_are_predicted(english: dict[str, str]) -> None:
    words = ["Dogs", "sleep"]
    rows = (f"{n}\t{each}\t_\tX\t_\t_\t_\t_\t_\t_\n" for n, each in enumerate(words, 1))
    out, err = run(english, "parse", "--model", "en-dep", given="".join(rows) + "\n")
    found = [line.split("\t") for line in out.splitlines() if line[:1].isdigit()]
    assert found[0][2:5] == ["dog", "X", "NNS"]
    assert found[1][3] == "X"
    assert found[1][4] != "_"
    assert "no XPOS, FEATS, LEMMA: predicted by the model" in err
    assert err.count("\n") == 1


TYPED = """
import treewright
reveal_type(treewright.load("en-neural"))
reveal_type(treewright.load("en-dep").parse("It works."))
reveal_type(treewright.load("runs/a/model", "ccg"))
reveal_type(treewright.load("runs/a/model"))
"""


def test_type_checkers_know_installed_models(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--no-incremental", "script.py"]
    source = str(Path(treewright.__file__).parents[1])
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": source},
        check=False,
    )
    shown = [line.split('"')[1].replace("treewright.", "") for line in done.stdout.splitlines()[:4]]
    assert shown == [
        "pipeline.pipeline.Pipeline",
        "models.dependency.analysis.DependencyAnalysis",
        "models.contract.Parser[models.ccg.analysis.CcgAnalysis]",
        "models.contract.Parser[models.analysis.Analysis]",
    ]


def test_help_lists_the_public_names() -> None:
    shown = pydoc.render_doc(treewright, renderer=pydoc.plaintext)
    public = [name for name in treewright.__all__ if name != "__version__"]
    assert [name for name in public if name not in shown] == []
    with pytest.raises(ConfigError, match="no installed model package has the name 'nothing'"):
        treewright.Pipeline.installed("nothing")
