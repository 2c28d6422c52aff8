// @ts-check
/** A sentence with its analyses by several models: views to choose, a list of the best parses. */

import { heading, make, named } from "./dom.js";
import { VIEWS, pane } from "./panes.js";

/**
 * The card of a sentence.
 * @param {import("./panes.js").Shown[]} all one analysis per model
 * @returns {HTMLElement}
 */
export function sentenceCard(all) {
  const panes = make("div", { class: "panes" });
  const bar = make("div", { class: "bar", role: "group", "aria-label": "Views" });
  const lists = make("div", { class: "lists" });
  const chosen = new Set(all.map((shown) => key(shown, VIEWS[shown.model.kind][0])));
  /** @type {Map<string, HTMLElement>} */
  const buttons = new Map();
  const current = new Map(all.map((shown) => [shown.model.name, shown]));

  function render() {
    panes.classList.toggle("beside", named("beside").checked);
    const wanted = all.flatMap((shown) =>
      VIEWS[shown.model.kind].filter((view) => chosen.has(key(shown, view))).map((view) => pane(current.get(shown.model.name) || shown, view)));
    panes.replaceChildren(...wanted);
    for (const [own, button] of buttons) button.setAttribute("aria-pressed", String(chosen.has(own)));
  }

  for (const shown of all) {
    for (const view of VIEWS[shown.model.kind]) {
      const own = key(shown, view);
      const button = make("button", { type: "button", "data-key": own }, `${shown.model.name}: ${view}`);
      buttons.set(own, button);
      button.addEventListener("click", () => {
        if (!named("beside").checked) { chosen.clear(); chosen.add(own); }
        else if (!chosen.delete(own)) chosen.add(own);
        render();
      });
      bar.append(button);
    }
    if ((shown.analysis.kbest?.length || 0) > 1) lists.append(kbestList(shown, (choice) => { current.set(shown.model.name, choice); render(); }));
  }
  render();
  const card = make("article", {}, heading(all[0].analysis), bar, lists, panes);
  card.addEventListener("look", render);
  return card;
}

/** @param {import("./panes.js").Shown} shown @param {string} view */
function key(shown, view) {
  return `${shown.model.name}/${view}`;
}

/**
 * The best parses with scores and the number of items that differ from the first.
 * @param {import("./panes.js").Shown} shown
 * @param {(choice: import("./panes.js").Shown) => void} choose
 */
function kbestList(shown, choose) {
  const { kbest = [], ...rest } = shown.analysis;
  const first = { ...rest, ...kbest[0] };
  const list = make("ol", { class: "kbest", "aria-label": `Best parses of ${shown.model.name}` });
  kbest.forEach((choice, rank) => {
    const analysis = { ...rest, ...choice };
    const differing = lacking(analysis, first) + lacking(first, analysis);
    const share = choice.probability == null ? "" : `, probability ${choice.probability.toFixed(4)}`;
    const about = rank ? `, ${difference(differing)}` : "";
    const button = make("button", { type: "button" }, `score ${choice.score?.toFixed(4)}${share}${about}`);
    const row = make("li", { "aria-current": rank ? null : "true" }, button);
    button.addEventListener("click", () => {
      for (const each of list.children) each.removeAttribute("aria-current");
      row.setAttribute("aria-current", "true");
      choose({ ...shown, analysis, rank, other: rank ? first : null, marks: ["differs", "missed"] });
    });
    list.append(row);
  });
  return make("details", { open: true }, make("summary", {}, `${kbest.length} best parses by ${shown.model.name}`), list);
}

/** @param {number} items that one of two parses has and the other has not */
function difference(items) {
  if (!items) return "the same items with another derivation";
  return items === 1 ? "1 item differs from the first" : `${items} items differ from the first`;
}

/**
 * How many items of one analysis another one lacks.
 * @param {import("./api.js").Analysis} analysis
 * @param {import("./api.js").Analysis} other
 */
function lacking(analysis, other) {
  const there = new Set(items(other));
  return items(analysis).filter((item) => !there.has(item)).length;
}

/**
 * What a metric counts of an analysis, as strings.
 * @param {import("./api.js").Analysis} analysis
 * @returns {string[]}
 */
function items(analysis) {
  if (analysis.heads) return analysis.heads.map((head, i) => `${i} ${head} ${analysis.labels?.[i]}`);
  const found = analysis.dependencies || analysis.constituents;
  if (found) return found.map((item) => JSON.stringify(item));
  return (analysis.supertags || analysis.xpos || []).map((tag, i) => `${i} ${tag}`);
}
