// @ts-check
/** Tables: the tags that a parser could have chosen, and the scores of two models. */

import { make } from "./dom.js";

const MOST = 8; // tags of a word

/**
 * The tags of each word with their probabilities, the chosen one in bold.
 * @param {import("./api.js").Analysis} analysis
 * @returns {HTMLElement}
 */
export function tagTable(analysis) {
  const name = analysis.supertags ? "supertags" : "xpos";
  const rows = analysis.marginals?.[name] || [];
  const body = make("tbody");
  analysis.words.forEach((word, i) => {
    const chosen = analysis[name]?.[i];
    const tags = Object.entries(rows[i] || {}).sort((a, b) => b[1] - a[1]).slice(0, MOST);
    const cells = tags.map(([tag, p]) =>
      make("td", { class: tag === chosen ? "chosen" : null }, `${tag} `,
        make("span", { class: "soft" }, `${p.toFixed(3)} `), make("meter", { value: p, "aria-hidden": "true" })));
    body.append(make("tr", {}, make("th", { scope: "row" }, word), ...cells));
  });
  return make("div", { class: "scroll" }, make("table", {}, body));
}

/**
 * Counts, loss and F1 of two analyses against gold.
 * @param {{a: import("./api.js").Scores, b: import("./api.js").Scores}} scores
 * @param {string[]} names
 * @returns {HTMLElement}
 */
export function scoreTable(scores, names) {
  const columns = /** @type {(keyof import("./api.js").Scores)[]} */ (["n", "d", "c", "precision", "recall", "f1", "loss"]);
  const titles = ["n correct", "d predicted", "c gold", "precision", "recall", "F1", "loss 1 - F1"];
  const head = make("tr", {}, make("th", {}, ""), ...titles.map((text) => make("th", { class: "figure", scope: "col" }, text)));
  const rows = [scores.a, scores.b].map((side, i) =>
    make("tr", {}, make("th", { scope: "row" }, names[i]),
      ...columns.map((key) => make("td", { class: "figure" }, figure(side[key])))));
  return make("div", { class: "scroll" }, make("table", { class: "scores" }, make("thead", {}, head), make("tbody", {}, ...rows)));
}

/** @param {number} value */
function figure(value) {
  return Number.isInteger(value) && value !== 1 && value !== 0 ? String(value) : String(Math.round(value * 10000) / 10000);
}
