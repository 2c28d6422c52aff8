"""The page in a real browser: Debian's Chromium, driven by Playwright."""

from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from tests.serving import TEXT, Running

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt install chromium")
    with driver.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Any, server: Running) -> Iterator[Any]:
    """The page; anything on its console fails the test."""
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(30_000)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(server.url)
    page.wait_for_selector("input[name=model]")
    yield page
    context.close()
    assert complaints == []


def parse(page: Any, text: str = TEXT) -> None:
    page.fill("#text", text)
    page.select_option("#input", "tokens")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".pane svg")


def test_titles_are_the_text_as_it_reads(page: Any) -> None:
    page.fill("#text", "Mary slept .")
    page.select_option("#input", "tokens")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".pane svg")
    assert page.inner_text("article h2") == "Mary slept ."
    assert page.get_attribute("article h2", "dir") == "auto"


def test_a_text_is_drawn_by_every_model_and_has_a_permalink(page: Any, browser: Any) -> None:
    parse(page)
    page.wait_for_selector(":nth-match(.pane svg, 4)")
    assert page.inner_text("#status") == "2 sentences."
    assert page.locator("article").count() == 2
    assert {"derivation", "arcs"} == set(page.locator(".pane").evaluate_all(VIEWS))
    again = browser.new_page()
    again.goto(page.url)
    again.wait_for_selector(".pane svg")
    assert again.input_value("#text") == TEXT
    again.close()


VIEWS = "panes => panes.map(pane => pane.dataset.view)"


def test_nodes_fold_by_keyboard(page: Any) -> None:
    parse(page, "the man saw the dog")
    nodes = page.locator("[data-view=derivation] [data-node]")
    before = nodes.count()
    nodes.last.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-view=derivation] .stub")
    assert nodes.count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-view=derivation] .stub", state="detached")
    assert nodes.count() == before


def test_lists_tables_charts_and_doubt(page: Any) -> None:
    page.fill("#kbest", "2")
    page.check("#shaded")
    parse(page, "the man saw the dog")
    for view in ("supertags", "chart"):
        page.locator(f"button[data-key$='/{view}']").first.click()
    page.wait_for_selector("[data-view=chart] .heat")
    assert page.locator("[data-view=supertags] tr").count() == 5
    assert page.locator("ol.kbest li").count() >= 2
    menu = page.locator("[data-view=arcs] select")
    assert "CoNLL-U" in menu.inner_text()
    second = page.locator("ol[aria-label='Best parses of dep'] button").nth(1)
    second.click()  # which the server would not parse again
    assert "CoNLL-U" not in menu.inner_text()
    assert "JSON" in menu.inner_text()


@pytest.mark.parametrize(
    ("name", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("latex", b"\\docu"), ("json", b"{")]
)
def test_exports(page: Any, name: str, start: bytes) -> None:
    parse(page, "the man saw the dog")
    menu = page.locator("[data-view=derivation] select")
    with page.expect_download() as download:
        menu.select_option(name)
    assert Path(download.value.path()).read_bytes().startswith(start)


def test_two_models_against_gold(page: Any) -> None:
    rows = [("the", 2, "det"), ("man", 3, "nsubj"), ("saw", 0, "root"), ("Ann", 3, "obj")]
    lines = (f"{i}\t{w}\t_\t_\t_\t_\t{h}\t{r}\t_\t_" for i, (w, h, r) in enumerate(rows, 1))
    page.click("#comparing summary")
    for side in ("first", "second"):
        page.select_option(f"#{side}", "dep")
    page.fill("#gold", "\n".join(lines) + "\n\n")
    page.click("#compare")
    page.wait_for_selector("table.scores")
    figures = page.locator("table.scores tbody tr").first.inner_text().split("\t")
    assert figures[2:4] == ["4", "4"]
    page.wait_for_selector(".pane svg")


def test_errors_are_said(page: Any) -> None:
    page.click("#parse")
    page.wait_for_selector("#status.error")
    assert page.inner_text("#status") == "There is no text to parse."


def test_drawings_of_what_is_no_analysis_are_refused(server: Running) -> None:
    answer = server.post("/v1/draw", analysis={"kind": "dep", "words": ["a"]})
    assert answer.status_code == 422
    assert answer.json()["code"] == "unfit"
    long = {"kind": "pos", "words": ["a"] * 100, "xpos": ["b"] * 100}
    assert server.post("/v1/draw", analysis=long).status_code == 422
    shown = server.post("/v1/draw", analysis={"kind": "pos", "words": ["a"], "xpos": ["b"]})
    assert shown.headers["content-type"] == "image/svg+xml"
