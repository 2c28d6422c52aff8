// @ts-check
/** One view of one analysis: a drawing that folds, or a table. */

import { draw } from "./api.js";
import { make, named, say, showDrawing, told } from "./dom.js";
import { exportMenu } from "./export.js";
import { tagTable } from "./tables.js";

/**
 * Views by kind; the first is shown at once.
 * @type {Record<string, string[]>}
 */
export const VIEWS = {
  ccg: ["derivation", "arcs", "supertags", "chart"],
  const: ["tree", "chart"],
  dep: ["arcs", "chart"],
  pos: ["tags", "table"],
  super: ["tags", "table"],
  tok: ["tags"],
};
/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
/** @type {Record<string, string>} */
const CHARTS = {
  dep: "Each cell is an arc, from the head of its row to the word of its column. The stronger its colour, the more probable it is.",
  ccg: "Each cell is a span, from the word of its row to that of its column. The stronger its colour, the more probable it is.",
};
const TABLES = { supertags: "supertags", table: "" };

/**
 * @typedef {Object} Shown
 * @property {import("./api.js").Model} model
 * @property {import("./api.js").Analysis} analysis
 * @property {import("./api.js").Analysis|null} [other]
 * @property {string[]} [marks]
 * @property {string} [decoder]
 * @property {number} [rank] among the best parses, from 0
 * @property {string} [label] what stands over the pane, if not the name of the model
 */

/**
 * A pane; it draws itself.
 * @param {Shown} shown
 * @param {string} view
 * @returns {HTMLElement}
 */
export function pane(shown, view) {
  const body = make("div", { class: "drawing", tabindex: 0, role: "group", "aria-label": `${shown.label || shown.model.name}, ${view}` });
  const title = make("h3", {}, make("span", {}, `${shown.label || shown.model.name}: ${view}`), exportMenu(shown, view));
  if (view in TABLES) body.replaceChildren(tagTable(shown.analysis));
  else requestAnimationFrame(() => fill(body, shown, view, new Set()));
  const note = view === "chart" ? make("p", { class: "note soft" }, CHARTS[shown.model.kind] || CHARTS.ccg) : null;
  return make("section", { class: "pane", "data-view": view }, title, body, note);
}

/**
 * @param {HTMLElement} body
 * @param {Shown} shown
 * @param {string} view
 * @param {Set<number>} folded
 */
async function fill(body, shown, view, folded) {
  const { analysis, other = null, marks } = shown;
  const sight = { view, other, marks, shaded: named("shaded").checked, folded: [...folded], width: room(body, view) };
  try {
    showDrawing(body, await draw(analysis, sight));
    if (body.scrollWidth > body.clientWidth) body.parentElement?.classList.add("wide");
  } catch (error) {
    body.replaceChildren(make("p", { class: "wrong" }, told(error)));
    return;
  }
  if (view === "derivation" || view === "tree") foldable(body, shown, view, folded);
}

/**
 * Arcs go on in another row where the page ends; trees scroll. Who needs more than a column gets the whole row.
 * @param {HTMLElement} body
 * @param {string} view
 */
function room(body, view) {
  const width = body.closest(".panes")?.clientWidth || window.innerWidth - 40;
  return view === "arcs" || view === "tags" ? Math.max(300, width - 26) : null;
}

/**
 * Nodes fold by click, Enter or space.
 * @param {HTMLElement} body
 * @param {Shown} shown
 * @param {string} view
 * @param {Set<number>} folded
 */
function foldable(body, shown, view, folded) {
  const all = () => [.../** @type {NodeListOf<SVGElement>} */ (body.querySelectorAll("[data-node]"))];
  for (const node of all()) {
    const number = Number(node.dataset.node);
    node.setAttribute("tabindex", "-1");
    node.addEventListener("click", () => toggle(number));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(number); }
      else move(event, node);
    });
  }
  of(Math.max(...all().map((node) => Number(node.dataset.node))))?.setAttribute("tabindex", "0");

  /** @param {number} number */
  function of(number) {
    return all().find((node) => Number(node.dataset.node) === number);
  }

  /** @param {number} number */
  async function toggle(number) {
    if (!folded.delete(number)) folded.add(number);
    await fill(body, shown, view, folded);
    of(number)?.focus();
    say(folded.size ? "Click a folded node or press Enter to open it." : "");
  }

  /**
   * @param {KeyboardEvent} event
   * @param {SVGElement} node
   */
  function move(event, node) {
    const nodes = all();
    const step = STEPS[event.key];
    const next = step && nodes[nodes.indexOf(node) + step];
    if (next) { event.preventDefault(); next.focus(); }
  }
}
