"""spaCy from raw text to CoNLL-U, for `benchmarks.raw_text`.

Its quickstart configuration for CPUs (tagger, morphologizer, trainable lemmatizer and parser over
one CNN without vectors), trained by its own loop, which keeps the best step by dev. Its tokeniser
is made of rules and does not learn. Multiword tokens stay whole, as its own converter can have
them, but for English, whose rules separate *did* and *n't*: there it learns from words.
"""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LANGUAGES = {"ewt": "en", "atis": "en", "ug": "xx"}  # by the name of the treebank
COMPONENTS = ["tagger", "morphologizer", "trainable_lemmatizer", "parser"]
BEST = "model-best"
SENTENCES = 10  # in a document to learn from


def train(data: Path, model: Path, steps: int) -> None:
    """Trains for at most this number of steps."""
    from spacy.tokens import DocBin
    from spacy.training.converters import conllu_to_docs
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train as train_nlp

    treebank = data.name.removeprefix("dep-")
    language = LANGUAGES.get(treebank, treebank)
    config, whole = _config(language), language != "en"
    model.mkdir(parents=True, exist_ok=True)
    for part in ("train", "dev"):
        text = (data / f"{part}.conllu").read_text(encoding="utf-8")
        docs = conllu_to_docs(text, n_sents=SENTENCES, merge_subtokens=whole, no_print=True)
        DocBin(docs=docs, store_user_data=True).to_disk(model / f"{part}.spacy")
        config["paths"][part] = str(model / f"{part}.spacy")
    config["training"]["max_steps"] = steps
    config["training"]["seed"] = config["system"]["seed"] = 1
    train_nlp(init_nlp(config), model, stdout=io.StringIO(), stderr=io.StringIO())


def _config(language: str) -> Any:
    """The quickstart configuration. Japanese has its own morphologizer, which that does not fit."""
    from spacy.cli.init_config import init_config

    config = init_config(
        lang="xx" if language == "ja" else language, pipeline=COMPONENTS, silent=True
    )
    config["components"]["tagger"]["neg_prefix"] = "¬"  # the default, "!", is a tag of Vietnamese
    if language == "ja":
        config["nlp"]["lang"] = language
        tokenizer = {"@tokenizers": "spacy.ja.JapaneseTokenizer", "split_mode": None}
        config["nlp"]["tokenizer"] = tokenizer
        del config["components"]["morphologizer"]["label_smoothing"]
    return config


def runner(model: Path) -> Callable[[str], str]:
    """Raw text, with blank lines between paragraphs, to CoNLL-U."""
    import spacy

    nlp = spacy.load(model / BEST)

    def run(text: str) -> str:
        documents = nlp.pipe(text.split("\n\n"), batch_size=64)
        return "".join("".join(_sentences(each)) for each in documents)

    return run


def _sentences(document: Any) -> Iterator[str]:
    for sentence in document.sents:
        words = [token for token in sentence if not token.is_space]
        if words:
            place = {token.i: number for number, token in enumerate(words, 1)}
            yield "".join(f"{_line(token, place)}\n" for token in words) + "\n"


def _line(token: Any, place: dict[int, int]) -> str:
    head = token.head
    while head.i not in place and head.head.i != head.i:
        head = head.head
    root = head.i == token.i or head.i not in place
    columns = [
        place[token.i],
        token.text,
        token.lemma_ or "_",
        token.pos_ or "_",
        token.tag_ or "_",
    ]
    columns += [str(token.morph) or "_", 0 if root else place[head.i]]
    columns += ["root" if root else token.dep_, "_", "_" if token.whitespace_ else "SpaceAfter=No"]
    return "\t".join(map(str, columns))
