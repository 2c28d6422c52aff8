"""A random sample of an AUTO file, sentences of 3 to WORDS words.

    python -m benchmarks.ccg_sample IN.auto OUT.auto SENTENCES WORDS

The same arguments give the same sample.
"""

import random
import sys

from treewright.data.auto import read_auto, write_auto

SEED = 2011


def main() -> None:
    source, out, sentences, words = sys.argv[1:]
    some = [each for each in read_auto(source) if 3 <= len(each.leaves) <= int(words)]
    random.Random(SEED).shuffle(some)
    write_auto(out, some[: int(sentences)])


if __name__ == "__main__":
    main()
