"""A peer for `benchmarks.serve`: a spaCy pipeline behind FastAPI, one uvicorn process per core.

    python -m benchmarks.spacy_server train train.conllu dev.conllu pipeline
    python -m benchmarks.spacy_server file pipeline text.txt 2
    python -m benchmarks.serve ... --peer pipeline

spaCy has no server of its own; this is how its users serve it. The pipeline has the outputs of our
dependency parsers (UPOS, XPOS, features, lemmas, heads, relations) in the sizes of spaCy's small
models. Its accuracy does not matter here, so it is trained on a few thousand sentences, once. Needs
spacy, fastapi and uvicorn, not treewright.
"""

import json
import os
import random
import resource
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import spacy
from fastapi import Body, FastAPI
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.converters import conllu_to_docs
from spacy.util import minibatch

PIPELINE = "SPACY_PIPELINE"  # the variable that names the pipeline of the server
COMPONENTS = ("tagger", "morphologizer", "trainable_lemmatizer", "parser")
TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "pretrained_vectors": None,
    "width": 96,
    "depth": 4,
    "embed_size": 2000,
    "window_size": 1,
    "maxout_pieces": 3,
    "subword_features": True,
}
SENTENCES = 4000  # to train on
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}

app = FastAPI()


@cache
def pipeline() -> Any:
    return spacy.load(os.environ[PIPELINE])


@app.post("/v1/parse")
def parse(text: str = Body(), input: str = Body()) -> dict[str, Any]:  # noqa: A002, ARG001
    """The analyses of tokens, one sentence per line; in a thread, as FastAPI does it."""
    docs = [Doc(pipeline().vocab, words=line.split()) for line in text.splitlines()]
    return {"sentences": [doc.to_json() for doc in pipeline().pipe(docs)]}


def train(source: str, dev: str, place: str) -> None:
    """One epoch over the first sentences of a treebank."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    for name in COMPONENTS:
        nlp.add_pipe(name, config={"model": {"tok2vec": LISTENER}})
    examples = read(nlp, source)[:SENTENCES]
    optimizer = nlp.initialize(lambda: examples)
    random.Random(1).shuffle(examples)
    for some in minibatch(examples, 64):
        nlp.update(some, sgd=optimizer)
    nlp.to_disk(place)
    found = nlp.evaluate(read(nlp, dev))
    print(json.dumps({name: found[name] for name in ("dep_las", "pos_acc")}))


def read(nlp: Any, source: str) -> list[Example]:
    docs = conllu_to_docs(Path(source).read_text(), n_sents=1, no_print=True)
    return [Example(Doc(nlp.vocab, words=[word.text for word in doc]), doc) for doc in docs]


def file(place: str, source: str, jobs: str) -> None:
    """Prints seconds and CPU seconds of a file by several processes, models loaded before."""
    nlp = spacy.load(place)
    lines = Path(source).read_text().splitlines()
    begin, before = time.perf_counter(), used()
    docs = (Doc(nlp.vocab, words=line.split()) for line in lines)
    written = [json.dumps(doc.to_json()) for doc in nlp.pipe(docs, n_process=int(jobs))]
    assert len(written) == len(lines)
    print(json.dumps([time.perf_counter() - begin, used() - before]))


def used() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    found = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in found)


if __name__ == "__main__":
    {"train": train, "file": file}[sys.argv[1]](*sys.argv[2:])
