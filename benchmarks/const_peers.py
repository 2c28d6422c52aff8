"""The chunking parser of Apache OpenNLP, trained on the same trees: time, memory and parses.

    apt-get download libapache-opennlp-java
    dpkg-deb -x libapache-opennlp-java_*.deb opennlp
    python -m benchmarks.const_peers data/const-craft --sentences 2000 --max-words 15 --cutoff 2 \
        --out peers --jar opennlp/usr/share/java/opennlp-tools.jar

`--out` gets the trees to train on (train.mrg, sampled at even intervals; 0: all), those to parse
(dev.mrg) and OpenNLP's parses of their words (opennlp.mrg), for `treewright train`, `parse` and
`compare`. Sentences have at most `--max-words` words, no traces and no function tags. OpenNLP
predicts tags itself. Seconds are CPU time; memory is the peak of the Java process.
"""

import argparse
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.table import markdown
from treewright.data import ptb
from treewright.data.brackets import Bracketed, Phrase, Tagged, escape, fold, tagged_words
from treewright.grammar.binarise import Binariser
from treewright.metrics.brackets import bracket_counts, match_trees
from treewright.models.constituency.data import Item, read_items

# Labels in the order in which they are tried, and whether from the left. NP and NX: OpenNLP's own.
VERBS = "VBD VBN MD VBZ VB VBG VBP TO VP ADJP NN NNS NP"
NOUNS = "NN NNS NNP NNPS NML NP JJ CD"
HEADS = {
    "S": (True, "VP S SBAR ADJP UCP NP"),
    "SINV": (True, "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": (True, "VBZ VBD VBP VB MD VP SQ"),
    "SBAR": (True, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": (True, "SQ S SINV SBARQ FRAG"),
    "VP": (True, VERBS),
    "PP": (False, "IN TO VBG VBN RP FW"),
    "ADJP": (False, "JJ VBN VBG JJR JJS ADJP NN RB"),
    "ADVP": (False, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "NML": (False, NOUNS),
    "QP": (True, "CD NN NNS JJ RB DT QP"),
    "PRN": (True, "S NP VP PP SBAR"),
    "FRAG": (False, "NP VP S PP ADJP"),
    "UCP": (False, "NP VP S PP ADJP"),
    "WHNP": (True, "WDT WP WP$ WHADJP WHPP WHNP NN NNS"),
    "WHPP": (False, "IN TO FW"),
    "WHADVP": (False, "WRB WHADVP RB"),
    "CONJP": (False, "CC RB IN"),
}
TOOL = "opennlp.tools.cmdline.CLI"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--jar", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=0)
    parser.add_argument("--max-words", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--cutoff", type=int, default=5, help="rarer features are left out")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    train, dev = (
        read_items(options.data / f"{part}.mrg", Binariser(), options.max_words)
        for part in ("train", "dev")
    )
    train = train[:: max(1, len(train) // options.sentences)] if options.sentences else train
    write_inputs(options, train, dev)
    learning = run_java(options, "ParserTrainer", training_options())
    parsing = run_java(options, "Parser", ["model.bin"], "dev.txt", "parsed.txt")
    found = [tree for _, tree in ptb.read_parses(options.out / "parsed.txt")]
    trees = [with_words(tree, item) for tree, item in zip(found, dev, strict=True)]
    ptb.write(trees, options.out / "opennlp.mrg")
    counts = bracket_counts(match_trees(trees, [item.tree for item in dev]))
    score = counts.score()
    row = (
        "OpenNLP", *(round(100 * x, 2) for x in (score.p, score.r, score.f)),
        sum(tree is None for tree in trees), *(round(x) for x in (*learning, *parsing)),
    )  # fmt: skip
    print(f"{len(train)} training and {len(dev)} dev sentences\n")
    header = ("parser", "P", "R", "F1", "no parse", "training s", "MB", "parsing s", "MB, parsing")
    print(markdown(header, [row]))


def write_inputs(options: argparse.Namespace, train: Sequence[Item], dev: Sequence[Item]) -> None:
    """The files of OpenNLP, and the trees for other parsers."""
    out = options.out
    for name, items in (("train", train), ("dev", dev)):
        ptb.write((item.tree for item in items), out / f"{name}.mrg")
    write(out / "train.txt", [f"(TOP {ptb.format_tree(item.tree)})" for item in train])
    write(out / "dev.txt", [" ".join(map(escape, item.words)) for item in dev])
    rules = [(label, first, tags.split()) for label, (first, tags) in HEADS.items()]
    write(out / "rules.txt", [f"{len(t) + 2} {n} {int(f)} {' '.join(t)}" for n, f, t in rules])
    parts = ("build", "check", "attach", "tagger", "chunker")
    lines = ["Algorithm=MAXENT", "Threads=1"]
    lines += [f"Iterations={options.iterations}", f"Cutoff={options.cutoff}"]
    write(out / "params.txt", [f"{part}.{line}" for part in parts for line in lines])


def write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def training_options() -> list[str]:
    files = {"headRules": "rules.txt", "params": "params.txt", "data": "train.txt"}
    named = [text for name, file in files.items() for text in (f"-{name}", file)]
    return [*named, "-model", "model.bin", "-lang", "en", "-encoding", "UTF-8"]


def run_java(
    options: argparse.Namespace,
    tool: str,
    arguments: Sequence[str],
    given: str = "",
    made: str = "",
) -> tuple[float, float]:
    """Runs a tool of OpenNLP, from a file and into one; CPU seconds and peak MB."""
    jar = options.jar.resolve()
    java = ["java", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-cp", str(jar), TOOL]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with (
        (options.out / given if given else Path("/dev/null")).open() as source,
        (options.out / made if made else Path("/dev/null")).open("w") as target,
    ):
        command = [*java, tool, *arguments]
        subprocess.run(command, cwd=options.out, stdin=source, stdout=target, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, after.ru_maxrss / 1024


def with_words(tree: Bracketed | None, item: Item) -> Bracketed | None:
    """A parse with the treebank's words; None if it is not one of this sentence."""
    if tree is None or sum(1 for _ in tagged_words(tree)) != len(item.words):
        return None
    words = iter(item.words)
    return fold(
        tree,
        lambda leaf: Tagged(leaf.label, next(words)),
        lambda phrase, below: Phrase(phrase.label, tuple(below)),
    )


if __name__ == "__main__":
    main()
