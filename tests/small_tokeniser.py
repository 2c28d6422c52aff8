"""A tokeniser that knows a handful of sentences, trained in a moment."""

from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp

from treewright.data import conllu
from treewright.text.settings import TokeniserSettings
from treewright.text.tokeniser import Tokeniser
from treewright.text.training import train_tokeniser
from treewright.train.run import Run

ROWS = [
    "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_",
    "1\tdo\tdo\tAUX\t_\t_\t3\taux\t_\t_",
    "2\tn't\tnot\tPART\t_\t_\t3\tadvmod\t_\t_",
    "3\tgo\tgo\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No",
    "4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_",
]
MORE = [
    *(
        f"{i}\t{word}\t{word}\tX\t_\t_\t{i - 1}\tdep\t_\t_"
        for i, word in enumerate(["the", "dog", "saw", "a"], start=1)
    ),
    "5\tcat\tcat\tX\t_\t_\t1\tdep\t_\tSpaceAfter=No",
    "6\t.\t.\tX\t_\t_\t1\tdep\t_\t_",
]


@cache
def small_tokeniser() -> Tokeniser:
    """Cuts don't into two words, and full stops off."""
    trees = list(conllu.read(StringIO("\n".join([*ROWS, "", *MORE, "", ""]) * 20)))
    return train_tokeniser(trees, TokeniserSettings(), Run(Path(mkdtemp()), threads=1, quiet=True))
