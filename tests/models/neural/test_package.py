"""The package of neural models of English: found by name, run offline, without torch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packages import ENGLISH, site_of

for needed in ("onnxruntime", "tokenizers"):
    pytest.importorskip(needed, reason="needs ONNX Runtime: pip install treewright[neural]")

PACKAGE = ENGLISH.parent / "treewright-en-neural"
CODE = """
import sys, treewright
doc = treewright.load("en-neural")("The fox didn't jump over the dog's back. It won't.")
first = doc.sentences[0]
print(len(doc), [token.text for token in first.tokens][:4])
print(len(first.derivation.leaves), len(first.supertags))
print([arc.label for arc in first.dependencies][1])
print("torch" in sys.modules)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    site = site_of(PACKAGE, tmp_path_factory.mktemp("site"))
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "http_proxy": "http://127.0.0.1:9"}


def run(environment: dict[str, str], *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout


@pytest.mark.parametrize(
    ("part", "wanted"), [("dep", "nsubj"), ("ccg", "<T S"), ("const", "(S (NP (DT The)")]
)
def test_the_parts_parse_text(environment: dict[str, str], part: str, wanted: str) -> None:
    text = "The fox did not jump."
    out = run(environment, "-m", "treewright", "parse", text, "--model", f"en-neural-{part}")
    assert wanted in out


def test_the_whole_is_a_pipeline(environment: dict[str, str]) -> None:
    lines = run(environment, "-c", CODE).splitlines()
    assert lines[0] == "2 ['The', 'fox', 'did', \"n't\"]"
    assert lines[1] == "11 11"
    assert lines[2] == "nsubj"
    assert lines[3] == "False"


def test_it_is_small() -> None:
    files = [path for path in (PACKAGE / "treewright_en_neural").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 32e6
    assert all(Path(path).suffix not in (".pkl", ".pt", ".bin") for path in files)
