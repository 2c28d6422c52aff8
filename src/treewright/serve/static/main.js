// @ts-check
/** The page: form in, cards of sentences out. */

import * as api from "./api.js";
import { comparisonCard } from "./comparison.js";
import { named, say, told } from "./dom.js";
import { sentenceCard } from "./sentences.js";
import { chosenModels, fillModels, recall, remember } from "./state.js";

/** @type {api.Model[]} */
let models = [];

async function begin() {
  theme(localStorage.getItem("theme") || "");
  named("theme").addEventListener("click", switchTheme);
  named("form").addEventListener("submit", (/** @type {Event} */ event) => { event.preventDefault(); run(parseText); });
  named("compare").addEventListener("click", () => run(compareModels));
  for (const id of ["shaded", "beside"]) named(id).addEventListener("change", lookAgain);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run(named("comparing").open ? compareModels : parseText);
  });
  try {
    models = await api.models();
    fillModels(models);
  } catch (error) {
    say(told(error), true);
    return;
  }
  const wanted = recall();
  if (wanted) run(wanted === "compare" ? compareModels : parseText);
}

/** @param {string} name light, dark or nothing */
function theme(name) {
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
}

function switchTheme() {
  const dark = document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next = dark === "dark" ? "light" : "dark";
  localStorage.setItem("theme", next);
  theme(next);
}

/** Has every card draw itself anew, when what it should look like has changed. */
function lookAgain() {
  for (const card of document.querySelectorAll("article")) card.dispatchEvent(new Event("look"));
  if (document.querySelector("article")) remember();
}

/** @param {() => Promise<HTMLElement[]>} work */
async function run(work) {
  const button = named("parse");
  button.disabled = true;
  say("Working…");
  try {
    const cards = await work();
    named("results").replaceChildren(...cards);
    say(cards.length === 1 ? "1 sentence." : `${cards.length} sentences.`);
    remember();
  } catch (error) {
    say(told(error), true);
  } finally {
    button.disabled = false;
  }
}

/** @returns {Promise<HTMLElement[]>} */
async function parseText() {
  const text = named("text").value;
  const chosen = models.filter((model) => chosenModels().includes(model.name));
  if (!text.trim() || !chosen.length) throw new Error(chosen.length ? "There is no text to parse." : "Choose a model.");
  const byModel = await answers(text, chosen);
  const longest = Math.max(...byModel.map((found) => found.length));
  const decoder = named("decoder").value;
  const cards = [];
  for (let i = 0; i < longest; i++) {
    const all = chosen.flatMap((model, m) => (byModel[m][i] ? [{ model, analysis: byModel[m][i], decoder }] : []));
    const groups = Map.groupBy ? Map.groupBy(all, (shown) => shown.analysis.words.join(" ")) : new Map([["", all]]);
    for (const group of groups.values()) cards.push(sentenceCard(group));
  }
  return cards;
}

/**
 * The analyses of all models. A model without a tokeniser gets the words that another one found.
 * @param {string} text
 * @param {api.Model[]} chosen
 */
async function answers(text, chosen) {
  const input = named("input").value || null;
  const how = { k_best: Number(named("kbest").value) || 1, decoder: named("decoder").value || null, marginals: true };
  const cuts = chosen.find((model) => model.text.includes("raw"));
  const leading = cuts && input !== "tokens" ? await api.parse({ text, input, model: cuts.name, ...how }) : null;
  const sentences = leading?.filter((each) => each.words.length).map(({ words }) => ({ words }));
  return Promise.all(chosen.map((model) => {
    if (model === cuts && leading) return leading;
    const source = sentences && !model.text.includes("raw") ? { sentences } : { text, input };
    return api.parse({ ...source, model: model.name, ...how });
  }));
}

/** @returns {Promise<HTMLElement[]>} */
async function compareModels() {
  const sides = ["first", "second"].map((id) => ({
    model: models.find((model) => model.name === named(id).value) || models[0],
    decoder: named(`${id}-decoder`).value,
  }));
  const [a, b] = sides.map(({ model, decoder }) => ({ model: model.name, decoder: decoder || null }));
  const gold = named("gold").value;
  if (sides[0].model.kind !== sides[1].model.kind) throw new Error("Choose two models of the same kind.");
  if (!gold.trim() && !named("text").value.trim()) throw new Error("There is no text to parse.");
  const source = gold.trim() ? { treebank: { format: goldFormat(gold), content: gold } } : { text: named("text").value, input: named("input").value || null };
  return (await api.compare({ ...source, a, b })).map((found) => comparisonCard(found, sides));
}

/**
 * The format of gold analyses, by their looks.
 * @param {string} gold
 */
function goldFormat(gold) {
  if (/^ID=/m.test(gold) || /\(<[TL] /.test(gold)) return "auto";
  return /^\s*\(/.test(gold) ? "brackets" : "conllu";
}

begin();
