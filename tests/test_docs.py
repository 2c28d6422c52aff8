"""The docs tell the truth: their code runs on tiny data, and their commands and settings exist.

Blocks marked `sh` and `python` run, in the order of the page, in a directory with `examples/` and a
small minibank. Commands in indented code may need real treebanks or hours: their options, settings
and the names of experiments are checked. Those of `WHOLE` pages, which need nothing but treebanks
and each other's files, run with the minibank in their place; tests/experiments run all experiments.
"""

import re
import shutil
import subprocess
import sys
from os import environ, pathsep
from pathlib import Path

import pytest
import typer

from tests.markdown import ROOT, Block, benchmarks, commands, fenced, indented, pages
from tests.packages import ENGLISH, site_of
from treewright.cli.main import app
from treewright.config import to_toml
from treewright.experiments import experiment_named
from treewright.experiments.files import settings_of
from treewright.losses.settings import ObjectiveSettings
from treewright.minibank.write import write_minibank
from treewright.models.kinds import kind_named
from treewright.models.training import read_plan
from treewright.train.settings import OptimiserSettings

TRAINING = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
SENTENCES = 60
WHOLE = ("docs/results/held-out.md",)
TREEBANKS = {"ccg-ewt": "auto", "ccg-craft": "auto", "dep-ewt": "conllu", "const-craft": "mrg"}
# Networks take minutes; tests/neural trains small ones.
NEURAL = ("neural", "finetune")
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
RUNNABLE = [page for page in pages() if any(b.language in ("sh", "python") for b in fenced(page))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def commands_of(example: Path) -> str:
    """The commands in the comments of an example."""
    lines = example.read_text(encoding="utf-8").splitlines()
    return "\n".join(each[6:] for each in lines if re.match(r"#     treewright .*[^)]$", each))


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a reader with a treebank of their own."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for room in ("benchmarks", "packages"):
        (tmp_path / room).symlink_to(ROOT / room)
    write_minibank(tmp_path, SENTENCES, 1)
    shutil.copy(tmp_path / "train.conllu", tmp_path / "questions.conllu")
    (tmp_path / "text.txt").write_text("the dog saw a cat\n")
    site = site_of(ENGLISH, tmp_path / "site")
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", pathsep.join([str(site), environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNABLE, ids=name_of)
def test_the_code_of_a_page_runs(page: Path, sandbox: Path) -> None:
    if "treewright.torch" in page.read_text(encoding="utf-8"):
        pytest.importorskip("torch", reason="needs torch: pip install treewright[torch]")
    names: dict[str, object] = {}
    for block in fenced(page):
        if match := re.match(r"# (\w+\.(?:py|toml))\n", block.code):
            (sandbox / match[1]).write_text(block.code)
        if block.language == "sh":
            run_shell(block, page)
        elif block.language == "python":
            source = "\n" * (block.line - 1) + block.code
            exec(compile(source, str(page), "exec"), names)


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_the_commands_of_a_whole_page_run(name: str, sandbox: Path) -> None:
    for treebank, form in TREEBANKS.items():
        place = sandbox / "data" / treebank
        place.mkdir(parents=True)
        for part in ("train", "dev"):
            shutil.copy(sandbox / f"{part}.{form}", place)
    run_shell(Block("sh", indented(ROOT / name), 1), ROOT / name)


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_an_example_is_a_configuration(example: Path) -> None:
    assert read_plan(example).settings


@pytest.mark.slow
@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.stem not in NEURAL], ids=name_of)
def test_the_commands_of_an_example_run(example: Path, sandbox: Path) -> None:
    run_shell(Block("sh", commands_of(example), 1), example)
    assert any(sandbox.glob("runs/*/model"))


def run_shell(block: Block, page: Path) -> None:
    code = block.code.replace("--out minibank", f"--out minibank --force --sentences {SENTENCES}")
    path = f"{Path(sys.executable).parent}{pathsep}{environ['PATH']}"
    command = ["bash", "-euo", "pipefail", "-c", code]
    done = subprocess.run(
        command, env=environ | {"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{page}, line {block.line}:\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", [p for p in pages() if commands(p)], ids=name_of)
def test_the_commands_of_a_page_exist(page: Path, sandbox: Path) -> None:
    for arguments in commands(page):
        check_command(arguments, sandbox)


def check_command(arguments: list[str], sandbox: Path) -> None:
    """Raises where a command has other options, settings or names than `arguments` say."""
    if not arguments or "--help" in arguments or "--version" in arguments:
        return
    group = typer.main.get_command(app)
    name, rest = arguments[0], arguments[1:]
    command = group.commands[name]  # type: ignore[attr-defined]
    if hasattr(command, "commands"):
        command, rest = command.commands[rest[0]], rest[1:]
    given = command.make_context(name, rest).params
    places = [place / given["config"] for place in (sandbox, ROOT)] if given.get("config") else []
    if name == "train" and (found := next((each for each in places if each.exists()), None)):
        read_plan(found, given["changes"] or [], given["seed"])
    elif name == "train" and given["defaults"]:
        assert given["defaults"] == "KIND" or kind_named(given["defaults"])
    elif name == "experiment" and given["name"]:
        settings_of(experiment_named(given["name"]), given["changes"] or [])


@pytest.mark.parametrize("page", [p for p in pages() if benchmarks(p)], ids=name_of)
def test_the_benchmarks_of_a_page_exist(page: Path) -> None:
    """`python -m benchmarks.NAME`: the module is there and has the options."""
    for name, *arguments in benchmarks(page):
        source = (ROOT / "benchmarks" / f"{name}.py").read_text(encoding="utf-8")
        for option in (each for each in arguments if each.startswith("--")):
            assert f'"{option}"' in source, f"{page}: benchmarks.{name} has no {option}"


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_the_files_of_a_page_exist(page: Path) -> None:
    """Names such as `cpp/core/sweep.hpp` or `inference/{terms,expsum}.py`."""
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:[a-z_]+/)+[\w{},*]+\.(?:py|[ch]pp))`", text):
        start, _, rest = name.partition("{")
        inner, _, end = rest.partition("}")
        for each in inner.split(","):
            roots = (ROOT, ROOT / "src/treewright", page.parent)
            assert any(any(root.glob(start + each + end)) for root in roots), f"{page}: {name}"


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_the_make_targets_of_a_page_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"(?:^    |`)make ([a-z-]+)", text, flags=re.MULTILINE)) <= targets


@pytest.mark.parametrize(
    ("name", "settings"), [("objective", ObjectiveSettings), ("optimiser", OptimiserSettings)]
)
def test_the_reference_shows_every_default(name: str, settings: type) -> None:
    (shown,) = re.findall(rf"<!-- {name} -->\n```toml\n(.*?)```\n", TRAINING, flags=re.DOTALL)
    assert shown == to_toml(settings)


def test_the_example_is_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(re.findall(r"```toml\n(.*?)```", TRAINING, re.DOTALL)[0])
    plan = read_plan(tmp_path / "x.toml")
    assert (plan.kind, plan.seed, plan.settings.objective.tau) == ("const", 1, 5.0)


def test_the_demo_runs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "treewright", "demo", "--sentences", "60"]
    shown = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "likelihood" in shown.stdout
    assert "softmax-margin, F1" in shown.stdout
    assert "risk, F1" in shown.stdout
