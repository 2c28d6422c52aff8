"""The queue and the pool with workers that do as the test says."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest

from treewright.serve import pool as pool_module
from treewright.serve.frames import Frame, Kind, split_frames
from treewright.serve.links import WorkerDiedError
from treewright.serve.pieces import Content, Flow, Piece, Task
from treewright.serve.pool import Pool
from treewright.serve.problems import ProblemError
from treewright.serve.queue import PieceQueue
from treewright.serve.settings import Batching, Limits, ModelSource, ServerSettings

TASK = Task("m")
Behaviour = Callable[[Sequence[Piece]], Awaitable[None]]


async def at_once(batch: Sequence[Piece]) -> None:
    await asyncio.sleep(0)


class ScriptedWorkers:
    """Workers that answer each sentence with its words, after what the test wants to happen."""

    def __init__(self, before: Behaviour = at_once) -> None:
        self.before = before
        self.batches: list[list[str]] = []
        self.killed = 0

    async def begin(self) -> list[dict[str, Any]]:
        return [{"name": "m", "kind": "toy", "formats": ["json"], "text": ["tokens"]}]

    async def worker(self) -> "ScriptedWorkers":
        return self

    async def run(self, batch: Sequence[Piece]) -> AsyncIterator[Frame]:
        self.batches.append([" ".join(piece.content.words) for piece in batch])
        await self.before(batch)
        for number, piece in enumerate(batch):
            yield Frame(Kind.DONE, number, json.dumps(piece.content.words).encode())

    def kill(self) -> None:
        self.killed += 1

    async def end(self) -> None:
        pass


def settings(workers: int = 1, batching: Batching | None = None, **limits: Any) -> ServerSettings:
    sources = (ModelSource("m", __file__),)  # type: ignore[arg-type]
    how = {"limits": Limits(**limits), "batching": batching or Batching()}
    return ServerSettings(sources, workers=workers, **how)


def contents(*sentences: str) -> list[Content]:
    return [Content("words", words=tuple(each.split())) for each in sentences]


async def answers(pool: Pool, *sentences: str, seconds: float = 5) -> list[str]:
    found = [each async for each in pool.answers(TASK, contents(*sentences), seconds)]
    return [" ".join(json.loads(line)) for lines in found for line in lines]


def run(workers: ScriptedWorkers, how: ServerSettings, work: Callable[[Pool], Any]) -> Any:
    async def main() -> Any:
        pool = Pool(how, workers)
        await pool.begin()
        try:
            return await work(pool)
        finally:
            await pool.end()

    return asyncio.run(main())


def test_clients_share_batches() -> None:
    workers = ScriptedWorkers(lambda _: asyncio.sleep(0.05))

    async def work(pool: Pool) -> list[list[str]]:
        return await asyncio.gather(*(answers(pool, f"a{i}", f"b{i}") for i in range(8)))

    assert run(workers, settings(), work) == [[f"a{i}", f"b{i}"] for i in range(8)]
    assert max(map(len, workers.batches)) > 8
    assert len(workers.batches) < 8


def test_batches_have_few_words_and_long_sentences_go_alone() -> None:
    workers = ScriptedWorkers()
    how = settings(batching=Batching(pieces=3, words=4))
    sentences = ["a", "b", "c", "d", "e f g", "h i", "one two three four five"]
    assert run(workers, how, lambda pool: answers(pool, *sentences)) == sentences
    sizes = [sum(len(each.split()) for each in batch) for batch in workers.batches]
    assert all(
        size <= 4 or len(batch) == 1 for size, batch in zip(sizes, workers.batches, strict=True)
    )
    assert max(map(len, workers.batches)) == 3


def test_treebanks_go_alone() -> None:
    async def main() -> list[int]:
        queue = PieceQueue(Batching(), long_lanes=1)
        for kind in ("tokens", "conllu", "tokens", "conllu"):
            done: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
            await queue.put(Piece(TASK, Content(kind, "a"), 1e9, Flow(), done))
        return [len(await queue.take()) for _ in range(3)]

    assert asyncio.run(main()) == [2, 1, 1]


def test_messages_arrive_in_any_parts() -> None:
    sent = [Frame(Kind.ANSWER, 3, b"abc"), Frame(Kind.DONE, 4), Frame(Kind.READY)]
    arrived, found = bytearray(), []
    for byte in b"".join(frame.encoded() for frame in sent):
        arrived.append(byte)
        found += split_frames(arrived)
    assert found == sent
    assert not arrived


def test_a_short_request_overtakes_a_long_one() -> None:
    workers = ScriptedWorkers(lambda _: asyncio.sleep(0.01))
    order: list[str] = []

    async def request(pool: Pool, name: str, size: int) -> None:
        await answers(pool, *[f"{name} {i}" for i in range(size)])
        order.append(name)

    async def work(pool: Pool) -> None:
        long = asyncio.create_task(request(pool, "long", 40))
        await asyncio.sleep(0.02)
        await asyncio.gather(long, request(pool, "short", 2))

    run(workers, settings(batching=Batching(pieces=2, words=10)), work)
    assert order == ["short", "long"]


def test_new_requests_do_not_overtake_an_old_one_for_ever() -> None:
    async def work() -> list[str]:
        queue = PieceQueue(Batching(pieces=1), 1)
        old, done = Flow(), asyncio.get_running_loop().create_future()

        async def put(word: str, flow: Flow) -> None:
            await queue.put(Piece(TASK, *contents(word), 1e9, flow, done))

        for word in ("old", "old"):
            await put(word, old)
        await put("new", Flow())
        taken = []
        for _ in range(6):  # another request comes whenever one is taken
            taken += [piece.content.words[0] for piece in await queue.take()]
            await put("new", Flow())
        return taken

    assert asyncio.run(work()).count("old") == 2


def test_what_comes_back_goes_next() -> None:
    async def work() -> None:
        queue = PieceQueue(Batching(pieces=1), 1)
        loop = asyncio.get_running_loop()
        pieces = [Piece(TASK, each, 1e9, Flow(), loop.create_future()) for each in contents(*"abc")]
        for piece in pieces:
            await queue.put(piece)
        (first,) = await queue.take()
        first.attempts = 1
        await queue.put(first)
        assert [first] == await queue.take()

    asyncio.run(work())


def test_slow_sentences_leave_a_worker_free() -> None:
    slow = " ".join("x" * 20)

    async def before(batch: Sequence[Piece]) -> None:
        await asyncio.sleep(60 if len(batch[0].content.words) == 20 else 0)

    async def work(pool: Pool) -> list[str]:
        held = [asyncio.create_task(answers(pool, slow, seconds=60)) for _ in range(4)]
        await asyncio.sleep(0.05)
        found = await answers(pool, "a b", seconds=30)
        for each in held:
            each.cancel()
        return found

    how = settings(workers=2, batching=Batching(words=10))
    assert run(ScriptedWorkers(before), how, work) == ["a b"]


def test_what_a_dying_worker_had_is_done_again_alone() -> None:
    died: list[int] = []

    async def before(batch: Sequence[Piece]) -> None:
        if not died:
            died.append(len(batch))
            raise WorkerDiedError("killed")

    workers = ScriptedWorkers(before)
    sentences = ["a", "b", "c"]
    assert run(workers, settings(), lambda pool: answers(pool, *sentences)) == sentences
    assert workers.batches[1:] == [["a"], ["b"], ["c"]]
    assert workers.killed == 2  # the dead one, and the other at the end


def test_a_sentence_that_kills_twice_is_given_up() -> None:
    async def before(batch: Sequence[Piece]) -> None:
        if any("deadly" in piece.content.words for piece in batch):
            raise WorkerDiedError("killed")

    async def work(pool: Pool) -> list[Any]:
        both = (answers(pool, "deadly"), answers(pool, "harmless"))
        return await asyncio.gather(*both, return_exceptions=True)

    first, second = run(ScriptedWorkers(before), settings(), work)
    assert second == ["harmless"]
    assert isinstance(first, ProblemError)
    assert (first.problem.status, first.problem.code) == (500, "worker-died")


def test_a_worker_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "GRACE", 0.1)

    async def before(batch: Sequence[Piece]) -> None:
        await asyncio.sleep(60 if batch[0].content.words == ("hang",) else 0)

    async def work(pool: Pool) -> list[Any]:
        late = answers(pool, "hang", seconds=0.2)
        return [*await asyncio.gather(late, return_exceptions=True), await answers(pool, "next")]

    workers = ScriptedWorkers(before)
    late, after = run(workers, settings(), work)
    assert isinstance(late, ProblemError)
    assert late.problem.status == 504
    assert after == ["next"]
    assert workers.killed == 2


def test_a_full_queue_refuses() -> None:
    async def work(pool: Pool) -> Any:
        held = asyncio.create_task(answers(pool, *"abcdefgh"))
        await asyncio.sleep(0.01)
        with pytest.raises(ProblemError) as caught:
            await answers(pool, "late")
        held.cancel()
        return caught.value.problem

    how = settings(queue=3, batching=Batching(pieces=1))
    problem = run(ScriptedWorkers(lambda _: asyncio.sleep(1)), how, work)
    assert (problem.status, problem.retry_after) == (503, 1)


def test_few_pieces_of_a_request_wait_and_none_after_it_is_gone() -> None:
    async def work(pool: Pool) -> tuple[int, int]:
        held = asyncio.create_task(answers(pool, *"abcdefgh" * 100))
        await asyncio.sleep(0.02)
        waiting = len(pool.queue)
        held.cancel()
        await asyncio.sleep(0.2)
        return waiting, len(pool.queue)

    how = settings(batching=Batching(pieces=1, ahead=10))
    assert run(ScriptedWorkers(lambda _: asyncio.sleep(0.05)), how, work) == (9, 0)
