// @ts-check
/** Two models on one sentence: what differs is coloured; with gold, what each has wrong, and scores. */

import { heading, make, named } from "./dom.js";
import { VIEWS, pane } from "./panes.js";
import { scoreTable } from "./tables.js";

const DRAWN = ["arcs", "derivation", "tree", "tags"];

/**
 * @param {import("./api.js").Comparison} found
 * @param {{model: import("./api.js").Model, decoder: string}[]} sides
 * @returns {HTMLElement}
 */
export function comparisonCard(found, sides) {
  const names = sides.map(({ model, decoder }, i) => `${"AB"[i]}: ${model.name}${decoder ? `, ${decoder}` : ""}`);
  const marks = found.gold ? ["wrong", "missed"] : ["differs", "missed"];
  const shown = [found.a, found.b].map((analysis, i) => ({
    model: sides[i].model,
    label: names[i],
    analysis,
    other: found.gold || (i ? found.a : found.b),
    marks,
    decoder: sides[i].decoder,
  }));
  const summary = found.same
    ? `Both have the same ${found.shared} items.`
    : `${found.shared} items are the same; ${found.only_a.length} only in A, ${found.only_b.length} only in B.`;
  const panes = make("div", { class: "panes" });
  const views = VIEWS[found.a.kind].filter((name) => DRAWN.includes(name)).reverse();
  const render = () => {
    panes.classList.toggle("beside", named("beside").checked);
    panes.replaceChildren(...views.flatMap((view) => shown.map((each) => pane(each, view))));
  };
  render();
  const card = make("article", {}, heading(found.a), make("p", {}, summary, " ", found.same && !found.gold ? "" : legend(Boolean(found.gold))),
    found.scores ? scoreTable(found.scores, names) : null, panes);
  card.addEventListener("look", render);
  return card;
}

/** @param {boolean} gold */
function legend(gold) {
  if (!gold) return make("span", { class: "soft" }, "Items that the other parse lacks are coloured; items that only the other parse has are below the words.");
  return make("span", {}, make("span", { class: "wrong" }, "dashed: wrong"), ", ", make("span", { class: "missed" }, "dotted, below: missed"));
}
