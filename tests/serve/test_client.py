"""The clients, and the server against its own description."""

import asyncio
import subprocess
import sys

import httpx
import pytest

from tests.serving import TEXT, Running
from treewright.client import AsyncClient, Client, ServerError


def test_the_client(server: Running) -> None:
    with Client(server.url) as client:
        assert [model.name for model in client.models()] == ["ccg", "dep"]
        parsed = client.parse(TEXT, model="ccg")
        assert parsed.model == "ccg"
        assert list(client.stream(TEXT, model="ccg")) == parsed.sentences
        by_words = client.parse(sentences=[line.split() for line in TEXT.split("\n")])
        assert [each["score"] for each in by_words.sentences] == [
            each["score"] for each in parsed.sentences
        ]
        (first, _) = client.compare(TEXT, {"decoder": "viterbi"}, {"decoder": "min-risk"})
        assert first["a"]["words"] == TEXT.split("\n")[0].split()


def test_the_client_for_asyncio(server: Running) -> None:
    async def main() -> None:
        async with AsyncClient(server.url) as client:
            assert [model.name for model in await client.models()] == ["ccg", "dep"]
            parsed = await client.parse(TEXT)
            assert [each async for each in client.stream(TEXT)] == parsed.sentences
            assert len(await client.compare(TEXT, {}, {"model": "dep"})) == 2
            with pytest.raises(ServerError, match="there is no model 'nowhere'"):
                await client.parse(TEXT, model="nowhere")
            with pytest.raises(ServerError):
                _ = [each async for each in client.stream(TEXT, model="nowhere")]

    asyncio.run(main())


def test_errors_of_the_client(server: Running) -> None:
    with Client(server.url) as client, pytest.raises(ServerError, match="status 422"):
        client.parse(TEXT, decoder="magic")
    with Client(server.url) as client, pytest.raises(ServerError) as caught:
        list(client.stream("a\n" * 51, input="tokens"))
    assert caught.value.code == "sentences"


def test_busy_servers_are_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [httpx.Response(503, headers={"Retry-After": "0"}), httpx.Response(429)]
    answers.append(httpx.Response(200, json={"model": "m", "sentences": []}))
    pauses: list[float] = []
    monkeypatch.setattr("treewright.client.time.sleep", pauses.append)
    transport = httpx.MockTransport(lambda _: answers.pop(0))
    client = Client("http://localhost", attempts=3)
    client._http = httpx.Client(base_url="http://localhost", transport=transport)
    assert client.parse("a").model == "m"
    assert pauses == [0.0, 1.0]


def test_the_description_holds(server: Running) -> None:
    """What schemathesis makes of the OpenAPI description never gets a 500 or an unlisted answer."""
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"]
    checks = ["not_a_server_error", "status_code_conformance", "response_schema_conformance"]
    how = ["--max-examples", "5", "--phases", "examples,coverage,fuzzing", "--seed", "1"]
    made = [*command, "--checks", ",".join(checks), *how]
    done = subprocess.run(made, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
