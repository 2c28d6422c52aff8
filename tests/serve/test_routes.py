"""Requests and answers: the same analyses as in this process, and clear words for bad requests."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serving import TEXT, Running, model_sources, settings_with
from tests.small_ccg import small_parser
from tests.small_tokeniser import small_tokeniser
from treewright.errors import ConfigError
from treewright.models.kinds import load
from treewright.models.tokenising import TokeniserModel
from treewright.serve.app import application
from treewright.serve.links import LocalWorkers
from treewright.serve.models import Models
from treewright.serve.pieces import Content, Task
from treewright.serve.pool import Pool
from treewright.serve.reading import sentences_of
from treewright.serve.routes import _pairs
from treewright.serve.service import Service
from treewright.serve.wire import CompareRequest, How, Source

SENTENCES = [{"words": line.split(), "id": str(i)} for i, line in enumerate(TEXT.split("\n"), 1)]


def expected(model: str, **settings: str) -> list[dict[str, object]]:
    parser = load({each.name: each.directory for each in model_sources()}[model])
    parser = parser.with_settings(**settings) if settings else parser
    lines = [line.split() for line in TEXT.split("\n")]
    found = [json.loads(each.format("json")) for each in parser.parse_many(lines)]
    return [{**each, "id": str(i)} if "id" in each else each for i, each in enumerate(found, 1)]


def plain(values: dict[str, object]) -> dict[str, object]:
    """Without what says where the words come from."""
    return {k: v for k, v in values.items() if k not in ("id", "text", "offsets", "spaces")}


@pytest.mark.parametrize("model", ["ccg", "dep"])
@pytest.mark.parametrize(
    "body", [{"text": TEXT, "input": "tokens"}, {"sentences": SENTENCES}, {"text": TEXT}]
)
def test_analyses_are_those_of_the_model(server: Running, model: str, body: dict) -> None:  # type: ignore[type-arg]
    answer = server.post(model=model, **body)
    assert answer.status_code == 200, answer.text
    values = answer.json()
    assert (values["version"], values["model"]) == (1, model)
    assert list(map(plain, values["sentences"])) == list(map(plain, expected(model)))


def test_the_long_way_gives_the_same_answer(server: Running) -> None:
    """FastAPI's own way, which requests with another content type go, and the express way."""
    body = json.dumps({"text": TEXT, "model": "dep", "k_best": 2}).encode()
    found = [
        server.http.post("/v1/parse", content=body, headers={"Content-Type": kind})
        for kind in ("application/json", "application/json; charset=utf-8")
    ]
    assert found[0].status_code == 200
    assert found[0].content == found[1].content
    assert found[0].headers.keys() == found[1].headers.keys()
    plain_text = {"Content-Type": "text/plain"}
    assert server.http.post("/v1/parse", content=body, headers=plain_text).status_code == 422


def test_settings_formats_and_lists(server: Running) -> None:
    how = {"decoder": "viterbi", "k_best": 2, "marginals": True, "formats": ["svg", "auto"]}
    values = server.post(text=TEXT, model="ccg", **how).json()["sentences"]
    for found, wanted in zip(values, expected("ccg", decoder="viterbi"), strict=True):
        assert found["score"] == wanted["score"]
        assert found["expected_gain"] is None
        assert found["kbest"]
        assert found["marginals"]["supertags"]
        assert found["formats"]["auto"].startswith("ID=")
        assert found["formats"]["svg"].startswith("<svg")


def test_sentences_of_tokens_are_named_by_their_lines(server: Running) -> None:
    lines = "the man saw the dog " * 11 + "\n"  # ten of them are more than a block
    text = f"{lines * 10}\n{lines * 10}\nthe man saw the dog\n"
    found = server.post(text=text, model="ccg", formats=["auto"]).json()["sentences"]
    wanted = [str(i) for i in (*range(1, 11), *range(12, 22), 23)]
    assert [each["id"] for each in found] == wanted
    assert found[-1]["formats"]["auto"].startswith("ID=23 ")
    found = server.post(text=text, model="dep", formats=["conllu"]).json()["sentences"]
    assert [each["id"] for each in found] == wanted
    assert found[-1]["formats"]["conllu"].startswith("# sent_id = 23\n")


def test_sentences_of_raw_text_are_numbered_through() -> None:
    parser = small_parser().with_tokeniser(small_tokeniser())

    class Cutting:
        """A pool that parses nothing."""

        async def answers(self, _task: Task, contents: list[Content], _: float) -> Any:
            for content in contents:
                names = (each.id for each in sentences_of(parser, content))
                yield [
                    json.dumps({"id": name, "auto": f"ID={name} ..."}).encode() for name in names
                ]

    async def lines(text: str) -> list[bytes]:
        service = Service(settings_with(), Cutting())  # type: ignore[arg-type]
        return [each async for each in service.lines(Source(text=text, input="raw"), Task("ccg"))]

    blocks = "\n\n".join(["I ran. " * 300] * 3)
    found = [json.loads(line) for line in asyncio.run(lines(blocks))]
    assert len(found) >= 900
    numbers = [str(i) for i in range(1, len(found) + 1)]
    assert found == [{"id": i, "auto": f"ID={i} ..."} for i in numbers]


def test_treebank_sentences(server: Running) -> None:
    rows = "".join(f"{i}\t{w}" + "\t_" * 8 + "\n" for i, w in enumerate(["A", "cat"], 1))
    treebank = {"format": "conllu", "content": rows + "\n"}
    found = server.post(model="dep", treebank=treebank).json()["sentences"]
    assert [each["words"] for each in found] == [["A", "cat"]]
    trees = {"format": "brackets", "content": "(S (NP (DT the) (NN man)) (VP (VBD saw)))"}
    found = server.post(model="ccg", treebank=trees).json()["sentences"]
    assert [each["words"] for each in found] == [["the", "man", "saw"]]
    bad = server.post(model="dep", treebank={"format": "conllu", "content": "no\n"})
    assert (bad.status_code, bad.json()["code"]) == (422, "unfit")


def test_a_stream_has_one_line_per_sentence(server: Running) -> None:
    answer = server.post("/v1/parse/stream", text=TEXT, model="ccg")
    assert answer.headers["content-type"] == "application/x-ndjson"
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert list(map(plain, found)) == list(map(plain, expected("ccg")))


def test_two_decoders_compared(server: Running) -> None:
    body = {"text": TEXT, "a": {"model": "dep"}, "b": {"model": "dep", "decoder": "viterbi"}}
    for each in server.post("/v1/compare", **body).json()["sentences"]:
        assert each["same"]
        assert each["shared"] == 5
    body = {"text": "The dog sees a cat", "a": {"model": "dep"}, "b": {"model": "ccg"}}
    (each,) = server.post("/v1/compare", **body).json()["sentences"]
    assert not each["same"]
    assert len(each["only_a"]) == 5


@pytest.mark.parametrize("names", [("cuts", "takes"), ("takes", "cuts")])
def test_two_models_get_the_same_words(names: tuple[str, str]) -> None:
    class Words:
        """A pool of a model that cuts text and one that cannot, which give words back."""

        models = (
            {"name": "cuts", "formats": [], "text": ["raw", "tokens"]},
            {"name": "takes", "formats": [], "text": ["tokens"]},
        )

        async def answers(self, task: Task, contents: list[Content], _: float) -> Any:
            for content in contents:
                text = content.text.replace(".", " .") if task.model == "cuts" else content.text
                yield [json.dumps({"words": content.words or text.split()}).encode()]

    service = Service(settings_with(), Words())  # type: ignore[arg-type]
    a, b = (How(model=name) for name in names)
    asked = CompareRequest(text="I ran.", a=a, b=b)
    ((one, other),) = asyncio.run(_pairs(service, asked))
    assert one["words"] == other["words"] == ["I", "ran", "."]
    asked = CompareRequest(text="I ran.", input="tokens", a=a, b=a)
    assert asyncio.run(_pairs(service, asked))


def test_nothing_to_parse(server: Running) -> None:
    for body in ({"text": ""}, {"text": " \n\n"}, {"sentences": []}):
        assert server.post(**body).json()["sentences"] == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "invalid"),
        ({"text": "a", "sentences": []}, 422, "invalid"),
        ({"text": "a", "unknown": 1}, 422, "invalid"),
        ({"text": "a\0b"}, 422, "invalid"),
        ({"text": "a", "model": "nowhere"}, 404, "model"),
        ({"text": "a", "model": "../../etc"}, 404, "model"),
        ({"text": "a", "formats": ["pdf"]}, 422, "format"),
        ({"text": "a", "decoder": "magic"}, 422, "unfit"),
        ({"text": "a", "beam": "wide"}, 422, "unfit"),
        ({"text": "a", "input": "raw", "model": "ccg"}, 422, "unfit"),
        ({"text": "a", "k_best": 10_000}, 422, "k-best"),
        ({"text": "a " * 61}, 422, "words"),
        ({"text": "a " * 61, "model": "dep"}, 422, "words"),
        ({"text": "a\n" * 51}, 422, "sentences"),
        ({"sentences": [{"words": ["a"]}] * 51}, 422, "sentences"),
        ({"sentences": [{"words": [" "]}]}, 422, "invalid"),
        ({"sentences": [{"words": ["a"], "pos": ["DT", "NN"]}]}, 422, "invalid"),
    ],
)
def test_bad_requests(server: Running, body: dict, status: int, code: str) -> None:  # type: ignore[type-arg]
    answer = server.post(**body)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_refusals_say_what_to_mend(server: Running) -> None:
    def detail(body: bytes, kind: str = "application/json") -> str:
        answer = server.http.post("/v1/parse", content=body, headers={"content-type": kind})
        return str(answer.json()["detail"])

    assert detail(b'{"txt": "a"}') == "txt: unknown key"
    assert detail(b'{"text": "a", "model": "cgc"}') == "there is no model 'cgc': one of ccg, dep"
    form = "application/x-www-form-urlencoded"
    assert "Content-Type application/json?" in detail(b'{"text": "a"}', form)
    unknown = server.http.post("/parse").json()["detail"]
    assert unknown == "there is no path '/parse': see /openapi.json"
    assert server.http.get("/v1/parse").json()["detail"] == "GET is not supported: use POST"


@pytest.mark.parametrize("body", [b"{", b'{"text": "\xff"}', b"[" * 5000, b"", b"null"])
def test_bodies_that_are_no_json(server: Running, body: bytes) -> None:
    kind = {"content-type": "application/json"}
    assert server.http.post("/v1/parse", content=body, headers=kind).status_code in (400, 422)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"text": "caf\xe9"}', "the body is not JSON in UTF-8; it must not be compressed"),
        (b'{"sentences": [["a"]]}', "sentences.0: expected a JSON object"),
        (b"{}", "give exactly one of text, sentences and treebank"),
    ],
)
def test_bad_bodies_are_explained(server: Running, body: bytes, detail: str) -> None:
    kind = {"Content-Type": "application/json"}
    assert server.http.post("/v1/parse", content=body, headers=kind).json()["detail"] == detail


@pytest.mark.parametrize("path", ["/", "/healthz", "/v1/models"])
def test_head_has_the_headers_of_get(server: Running, path: str) -> None:
    head, get = server.http.head(path), server.http.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == get.headers["content-length"] == str(len(get.content))


def test_lone_surrogates(server: Running) -> None:
    kind = {"content-type": "application/json"}
    body = b'{"text": "a \\ud800 b", "input": "tokens"}'
    assert server.http.post("/v1/parse", content=body, headers=kind).status_code == 422


def test_state(server: Running) -> None:
    assert server.http.get("/healthz").json() == {"status": "ok"}
    assert server.http.get("/readyz").json() == {"status": "ready"}
    names = [each["name"] for each in server.http.get("/v1/models").json()["models"]]
    assert names == ["ccg", "dep"]
    text = server.http.get("/metrics").text
    assert "treewright_workers 2" in text
    assert 'treewright_requests_total{route="/healthz",status="200"}' in text


def test_headers(server: Running) -> None:
    answer = server.http.get("/healthz")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "server" not in answer.headers
    asked = {"origin": "http://elsewhere.example", "access-control-request-method": "POST"}
    answer = server.http.options("/v1/parse", headers=asked)
    assert "access-control-allow-origin" not in answer.headers


def test_no_path_reaches_the_file_system(server: Running) -> None:
    for path in (
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/etc/passwd",
    ):
        assert server.http.get(path).status_code == 404


def test_other_hosts_are_refused(server: Running) -> None:
    answer = server.http.get("/healthz", headers={"host": "evil.example"})
    assert answer.status_code == 421


def test_pages_of_other_origins_ask_if_they_are_named() -> None:
    def answers(*origins: str) -> list[httpx.Response]:
        settings = replace(settings_with(), origins=origins)
        app = application(settings, Pool(settings, LocalWorkers(settings)))

        async def main() -> list[httpx.Response]:
            transport = httpx.ASGITransport(app)
            headers = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
                asked = await http.options("/v1/parse", headers=headers)
                return [asked, await http.get("/healthz", headers=headers)]

        return asyncio.run(main())

    allowed = "access-control-allow-origin"
    assert [each.headers.get(allowed) for each in answers()] == [None, None]
    assert [each.headers.get(allowed) for each in answers("https://other.org")] == [None, None]
    named = answers("https://example.org")
    assert [each.headers.get(allowed) for each in named] == ["https://example.org"] * 2
    assert [each.status_code for each in named] == [200, 200]
    with pytest.raises(ConfigError, match="not an origin"):
        answers("*")


def test_models_of_a_package_share_its_tokeniser(tmp_path: Path) -> None:
    TokeniserModel(small_tokeniser()).save(tmp_path / "tok")
    ccg, dep = model_sources()
    models = Models.load([replace(ccg, tokeniser=tmp_path / "tok"), dep])
    assert [each["text"] for each in models.described()] == [
        ["raw", "sentences", "tokens"],
        ["tokens"],
    ]


def test_openapi_has_examples(server: Running) -> None:
    schema = server.http.get("/openapi.json").json()
    assert schema["components"]["schemas"]["ParseRequest"]["examples"]
    assert set(schema["paths"]["/v1/parse"]["post"]["responses"]) >= {"200", "413", "429", "504"}


def test_examples_are_answered(server: Running) -> None:
    schemas = server.http.get("/openapi.json").json()["components"]["schemas"]
    for path, name in (("/v1/parse", "ParseRequest"), ("/v1/compare", "CompareRequest")):
        for example in schemas[name]["examples"]:
            answer: httpx.Response = server.post(path, **example)
            assert answer.status_code == 200, answer.text
