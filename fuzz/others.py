"""Further targets: checkpoints, raw text, treebanks in XML, vectors, tables, parts of networks."""

import gzip
import io
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fuzz import seeds
from treewright.arrays import Floats
from treewright.convert import arguments
from treewright.data import conllu
from treewright.data.lines import check_text
from treewright.data.vectors import read_vectors
from treewright.errors import TreewrightError
from treewright.grammar import relations, reorder, semantics
from treewright.report.calibration import bins, calibration_error, read_marginals
from treewright.scores.neural.graphs import Graph, as_bytes
from treewright.scores.neural.words import WordPieces
from treewright.text.read import read_blocks
from treewright.text.settings import TokeniserSettings
from treewright.text.tokeniser import Tokeniser
from treewright.text.training import train_tokeniser
from treewright.train.loop import prefixed
from treewright.train.minibatch import optimiser_for
from treewright.train.run import Run
from treewright.train.settings import OptimiserSettings

OPTIMISERS = {
    name: OptimiserSettings(name=name, iterations=6, prior=10.0)  # type: ignore[arg-type]
    for name in ("lbfgs", "adam")
}
# x + 1, of the operators Shape, ConstantOfShape and Add, as ONNX.
GRAPH = bytes.fromhex(
    "080812003a690a0d0a0178120173220553686170650a2f0a017312016f220f436f6e7374616e744f665368617065"
    "2a160a0576616c75652a0a080110014a040000803fa001040a0e0a01780a016f12017922034164641201675a090a"
    "017812040a02080162090a017912040a02080142040a001011"
)


class NotAnInputError(TreewrightError):
    """A mutation that is no input of the target any more."""


class Bowl:
    """(w - 3)^2 in four dimensions, of three examples."""

    features = 4

    def __len__(self) -> int:
        return 3

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        return float(((weights - 3) ** 2).sum()), 2 * (weights - 3)

    def value_and_gradient_on(self, examples: Any, weights: Floats) -> Any:
        value, gradient = self.value_and_gradient(weights)
        share = len(examples) / 3
        return share * value, np.arange(4, dtype=np.int32), share * gradient, np.ones(4)

    def uses(self) -> Any:
        return np.ones(4, np.int32)


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="treewright-others-", dir=seeds.memory())


def checkpoint(data: bytes) -> None:
    """A name of an optimiser, then arrays and values of its state, behind a right checksum."""
    name, _, text = data.partition(b"\n")
    try:
        how, plain = OPTIMISERS[name.decode()], json.loads(text)
        arrays = {key: np.array(rows, kind) for key, (kind, rows) in plain["arrays"].items()}
        run = Run(Path(_folder().name) / "run", threads=1, quiet=True)
        run.save_checkpoint("x", arrays, plain["values"])
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise NotAnInputError(str(error)) from error
    with np.errstate(all="ignore"):
        run.optimise("x", Bowl(), how)


def checkpoints() -> Sequence[bytes]:
    found = []
    for name, how in OPTIMISERS.items():
        learner: Any = optimiser_for(Bowl(), how, 0)
        for _ in range(3):
            learner.advance()
        arrays, values = learner.state()
        saved = {k: [a.dtype.str, a.tolist()] for k, a in prefixed({"learner": arrays}).items()}
        whole = {"learner": values, "watch": {"best": None, "waited": 0}}
        found += [f"{name}\n{json.dumps({'arrays': saved, 'values': whole})}".encode()]
        done = {"model.weights": ["<f8", [3.0] * 4]}
        found += [f"{name}\n{json.dumps({'arrays': done, 'values': {'finished': True}})}".encode()]
    return found


@cache
def _tokeniser() -> Tokeniser:
    trees = list(conllu.read(Path(seeds.folder().name) / "minibank" / "train.conllu"))
    run = Run(Path(_folder().name) / "tokeniser", threads=1, quiet=True)
    return train_tokeniser(trees, TokeniserSettings(), run)


def raw(data: bytes) -> None:
    """Text as it comes, cut into sentences and words."""
    file = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    for _, block in read_blocks(file):
        for sentence in _tokeniser().tokenise(check_text(block)):
            str(sentence)


def raws() -> Sequence[bytes]:
    strange = "e\u0301\u200d\u202e\ufeff \U0001f3f4\U000e0067 \u2028 \u00a0 http://a.b/c?d a@b.c"
    return [b"The dog isn't here. It sleeps!\n\nNext one, e.g. this.\n", strange.encode() * 3]


def marginals(path: Path) -> None:
    rows = [(p, True) for each in read_marginals(path) for _, p in each["rows"]]
    if groups := bins(rows):
        calibration_error(groups)


def marginal_lines() -> Sequence[bytes]:
    arcs = [[{"head": 0, "label": "root", "probability": 0.9}], [], []]
    spans = [{"label": "NP", "begin": 0, "end": 2, "probability": 0.25}]
    both = [{"arcs": arcs}, {"constituents": spans}]
    return [json.dumps({"words": ["a", "b", "c"], "marginals": each}).encode() for each in both]


TABLES: dict[bytes, Callable[[Path], object]] = {
    b"reorder": reorder.read_rules,
    b"relations": relations.relation_table.__wrapped__,
    b"semantics": semantics.templates.__wrapped__,
    b"arguments": arguments.read_arguments,
}


def table(data: bytes) -> None:
    """The name of a reader, then a table in TOML."""
    name, _, text = data.partition(b"\n")
    if name not in TABLES:
        raise NotAnInputError(name)
    path = Path(_folder().name) / "table.toml"
    path.write_bytes(text)
    TABLES[name](path)


def tables() -> Sequence[bytes]:
    grammar, convert = (Path(each.__file__).parent for each in (relations, arguments))
    files = {
        b"reorder": grammar / "english-head-final.toml",
        b"relations": grammar / "relations.toml",
        b"semantics": grammar / "semantics.toml",
        b"arguments": convert / "arguments.toml",
    }
    return [name + b"\n" + path.read_bytes() for name, path in files.items()]


def genia_trees() -> Sequence[bytes]:
    sentence = (
        '<sentence id="s1"><cons cat="S"><cons cat="NP" role="SBJ" id="i1"><tok cat="PRP">It</tok>'
        '</cons> <cons cat="VP"><tok cat="VBD">was</tok> <cons cat="NP" null="NONE" ref="i1"/>'
        '</cons></cons></sentence>'
    )  # fmt: skip
    return [f'<?xml version="1.0"?>\n<a>{sentence * n}</a>\n'.encode() for n in (1, 3)]


def vectors(data: bytes) -> None:
    """The ending of a file's name, then its content."""
    ending, _, content = data.partition(b"\n")
    if ending not in (b".txt", b".bin", b".txt.gz", b".bin.gz"):
        raise NotAnInputError(ending)
    path = Path(_folder().name) / f"vectors{ending.decode()}"
    path.write_bytes(content)
    read_vectors(path, 1000)


def vector_files() -> Sequence[bytes]:
    text = b"2 3\nthe 1 2.5 -3\n. 0 1e-2 4\n"
    binary = b"2 3\nthe " + np.arange(3, dtype="<f4").tobytes() + b"\n. " + bytes(12)
    plain = [b".txt\n" + text, b".bin\n" + binary]
    return [*plain, b".txt.gz\n" + gzip.compress(text * 50), b".bin.gz\n" + gzip.compress(binary)]


def tokenizer(data: bytes) -> None:
    """`tokenizer.json`, with a `config.json` of its own inside."""
    try:
        config = json.dumps(json.loads(data)["config"])
    except (ValueError, KeyError, TypeError, RecursionError):
        config = '{"max_position_embeddings": 40}'
    WordPieces(config, data.decode(errors="replace")).prepare(["Ab", "a" * 300, "\ud800", ""])


def tokenizers() -> Sequence[bytes]:
    pieces = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4, "##a": 5, "##b": 6}
    plain = {
        "version": "1.0",
        "config": {"max_position_embeddings": 40, "pad_token_id": 0},
        "added_tokens": [{"id": 0, "special": True, "content": "[PAD]", "single_word": False,
                          "lstrip": False, "rstrip": False, "normalized": False}],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": pieces},
    }  # fmt: skip
    return [json.dumps(plain).encode()]


def graph(data: bytes) -> None:
    """A network's graph, which is run."""
    Graph(as_bytes(data))(np.ones((1, 4), np.float32))


def graphs() -> Sequence[bytes]:
    return [GRAPH]
