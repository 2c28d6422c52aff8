"""The type stub of the core is up to date; `make stubs` writes it."""

from pathlib import Path

from nanobind.stubgen import StubGen

from treewright import _core

STUB = Path(__file__).parents[1] / "src" / "treewright" / "_core.pyi"


def test_the_stub_is_what_the_core_generates() -> None:
    generator = StubGen(module=_core, quiet=True)
    generator.put(_core)
    assert STUB.read_text() == generator.get(), "run `make stubs`"
