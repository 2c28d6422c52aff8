"""From raw text to CoNLL-U: our models, UDPipe 1 and spaCy on the same files, as CoNLL 2018 scores.

    pip install -e .[bench]
    python -m benchmarks.raw_text ../shared/data tokens ewt de fi            # tokens and sentences
    python -m benchmarks.raw_text ../shared/data all de --epochs 10          # all columns

For each treebank (DATA/dep-NAME) all train on train.conllu and get the text of dev.conllu: its
tokens with their blanks, and a blank line between paragraphs. Treewright chooses the bias of its
tokeniser for sentence ends by dev, UDPipe 1 the best of its epochs and iterations; its options are
its own defaults, but for the epochs and iterations given here, and for spaces in tokens where the
treebank has them. spaCy (`benchmarks.spacy_text`) chooses its best step by dev too, and needs `pip
install spacy[ja] pyvi` for Japanese and Vietnamese. Every system trains and runs in a process of
its own, with one thread; seconds are CPU time, words/s the best of three rounds. With `--models` a
folder keeps the models, and those in it are not trained again; `--installed en-dep` takes an
installed model for ours. Each row is printed when it is there.
"""

import argparse
import json
import multiprocessing as mp
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks import spacy_text
from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from treewright.config import from_dict
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.metrics.dependency import score
from treewright.models.dependency.parser import DependencyParser
from treewright.models.dependency.settings import DependencySettings
from treewright.models.dependency.training import train_dependency
from treewright.models.installed import model_directory
from treewright.models.tokenising import TokeniserModel
from treewright.storage.bundle import write_bundle
from treewright.text.raw import assemble
from treewright.text.settings import TokeniserSettings
from treewright.text.training import train_tokeniser
from treewright.text.trees import tree_of
from treewright.train.run import Run

TOKENS = ("Tokens", "Sentences", "Words")
ALL = (*TOKENS, "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")
BEAMS = (2, 8)
ROUNDS = 3
PROCESSES = mp.get_context("spawn")  # a fork would count our memory as theirs
Runner = Callable[[str], str]  # raw text to CoNLL-U


def train_treewright(task: str, data: Path, model: Path, options: argparse.Namespace) -> None:
    run = Run(model.with_suffix(".run"), threads=1, quiet=True)
    if task == "tokens":
        train, dev = (list(conllu.read(data / f"{part}.conllu")) for part in ("train", "dev"))
        made = TokeniserModel(train_tokeniser(train, TokeniserSettings(), run, dev)).bundle()
    else:
        settings = {name: str(data / f"{name}.conllu") for name in ("train", "dev")}
        more = {"pos_folds": options.folds}
        made = train_dependency(from_dict(DependencySettings, settings | more, "raw"), run).bundle()
    write_bundle(made, model)


def treewright_runners(task: str, model: Path) -> dict[str, Runner]:
    if task == "tokens":
        tokeniser = TokeniserModel.load(model).tokeniser
        return {
            "Treewright": lambda text: _formatted(map(tree_of, tokeniser.tokenise(text))),
        }
    parser = DependencyParser.load(model)
    return {f"Treewright, beam {beam}": partial(_parsed, parser, beam) for beam in BEAMS}


def _parsed(parser: DependencyParser, beam: int, text: str) -> str:
    assert parser.tokeniser is not None
    sentences = [tree_of(each) for each in parser.tokeniser.tokenise(text)]
    return _formatted(
        each.tree
        for each in (parser.with_settings(beam=beam) if beam else parser).parse_many(sentences)
    )


def _formatted(trees: Sequence[DependencyTree]) -> str:
    return "".join(map(conllu.format_sentence, trees))


def train_udpipe(task: str, data: Path, model: Path, options: argparse.Namespace) -> None:
    from ufal.udpipe import InputFormat, ProcessingError, Sentence, Sentences, Trainer

    def read(path: Path) -> Sentences:
        reader = InputFormat.newConlluInputFormat()
        reader.setText(path.read_text(encoding="utf-8"))
        found, error, sentence = Sentences(), ProcessingError(), Sentence()
        while reader.nextSentence(sentence, error):
            found.append(sentence)
            sentence = Sentence()
        return found

    train, dev = read(data / "train.conllu"), read(data / "dev.conllu")
    trees = conllu.read(data / "train.conllu")
    spaces = int(sum(" " in form for tree in trees for form in tree.forms) > 100)
    how = f"epochs={options.epochs};early_stopping=1;allow_spaces={spaces}"
    iterations = f"iterations={options.tagger}", f"iterations={options.parser}"
    rest = ("none", "none") if task == "tokens" else iterations
    error = ProcessingError()
    made = Trainer.train("morphodita_parsito", train, dev, how, *rest, error)
    if error.occurred():
        raise RuntimeError(error.message)
    model.write_bytes(made if isinstance(made, bytes) else made.encode("utf-8", "surrogateescape"))


def udpipe_runners(task: str, model: Path) -> dict[str, Runner]:
    from ufal.udpipe import Model, Pipeline

    loaded = Model.load(str(model))
    rest = Pipeline.NONE if task == "tokens" else Pipeline.DEFAULT
    pipeline = Pipeline(loaded, "tokenize", rest, rest, "conllu")
    # A pipeline does not keep its model alive; the function does.
    return {"UDPipe 1": lambda text, _model=loaded: pipeline.process(text)}


def train_spacy(task: str, data: Path, model: Path, options: argparse.Namespace) -> None:
    if task == "tokens":
        raise SystemExit("spaCy's tokeniser does not learn: compare it in the task `all`")
    spacy_text.train(data, model, options.steps)


TRAINERS = {"Treewright": train_treewright, "UDPipe 1": train_udpipe, "spaCy": train_spacy}
RUNNERS = {
    "Treewright": treewright_runners,
    "UDPipe 1": udpipe_runners,
    "spaCy": lambda _, model: {"spaCy": spacy_text.runner(model)},
}


def train(name: str, task: str, data: Path, model: Path, options: argparse.Namespace) -> None:
    """In a process of its own: trains, and leaves the time and memory beside the model."""
    began = time.process_time()
    TRAINERS[name](task, data, model, options)
    cost = {"seconds": time.process_time() - began, "mb": peak_mb()}
    model.with_suffix(".json").write_text(json.dumps(cost))


def answer(name: str, task: str, data: Path, model: Path, out: Path) -> None:
    """In a process of its own: the output of every runner, words/s and memory."""
    text = assemble(list(conllu.read(data / "dev.conllu"))).text
    found = {}
    for title, run in RUNNERS[name](task, model).items():
        seconds = []
        for _ in range(ROUNDS):
            began = time.process_time()
            output = run(text)
            seconds.append(time.process_time() - began)
        words = sum(line[:1].isdigit() and line.split("\t")[0].isdigit()
                    for line in output.split("\n"))  # fmt: skip
        found[title] = {"output": output, "speed": words / min(seconds), "mb": peak_mb()}
    out.write_text(json.dumps(found), encoding="utf-8")


def rows(name: str, treebank: str, folder: Path, options: argparse.Namespace) -> list[list[str]]:
    """One row for each runner of a system: scores in percent, then cost."""
    data, task = options.data / f"dep-{treebank}", options.task
    title = f"{treebank}-{task}-{name.split(maxsplit=1)[0].lower()}"
    model, out = folder / title, folder / f"{title}.out"
    cost = {"seconds": 0, "mb": 0}
    if name == "Treewright" and options.installed:
        model = model_directory(options.installed)
    else:
        if not model.with_suffix(".json").exists():  # written last
            _process(train, name, task, data, model, options)
        cost = json.loads(model.with_suffix(".json").read_text())
    _process(answer, name, task, data, model, out)
    found = []
    for runner, each in json.loads(out.read_text(encoding="utf-8")).items():
        parsed = folder / f"{title}.conllu"
        parsed.write_text(each["output"], encoding="utf-8")
        trees = list(conllu.read(parsed, heads="none" if task == "tokens" else "all"))
        scores = score(trees, list(conllu.read(data / "dev.conllu"))).words
        columns = TOKENS if task == "tokens" else ALL
        figures = [f"{100 * scores[column].score.f:.2f}" for column in columns]
        costs = f"{each['speed']:,.0f}", f"{cost['seconds']:,.0f}", f"{cost['mb']:,.0f}"
        found.append([treebank, runner, *figures, *costs])
    return found


def _process(work: Callable[..., None], *arguments: object) -> None:
    process = PROCESSES.Process(target=work, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{arguments[0]}: a process ended with {process.exitcode}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("task", choices=("tokens", "all"))
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--systems", nargs="+", choices=tuple(TRAINERS), default=list(TRAINERS))
    parser.add_argument("--epochs", type=int, default=100, help="UDPipe's tokenizer")
    parser.add_argument("--tagger", type=int, default=20, help="iterations of UDPipe's tagger")
    parser.add_argument("--parser", type=int, default=10, help="iterations of UDPipe's parser")
    parser.add_argument("--steps", type=int, default=2400, help="spaCy's, at most")
    parser.add_argument("--folds", type=int, default=5, help="jackknifed tags of our parser")
    parser.add_argument("--models", type=Path)
    parser.add_argument("--installed", help="name of our model, instead of training one")
    options = parser.parse_args()
    columns = TOKENS if options.task == "tokens" else ALL
    header = ["treebank", "system", *columns, "words/s", "training s", "MB"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.models or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        made = []
        for treebank in options.treebanks:
            for name in options.systems:
                for row in rows(name, treebank, folder, options):
                    print(*row, flush=True)
                    made.append(row)
    print(markdown(header, made))


if __name__ == "__main__":
    main()
