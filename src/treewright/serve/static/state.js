// @ts-check
/** What the form says, and the permalink that says the same: all of it is in the address after `#`. */

import { make, named } from "./dom.js";

const TEXTS = ["text", "input", "kbest", "decoder", "first", "second", "first-decoder", "second-decoder", "gold"];
const CHECKS = ["shaded", "beside"];

/** @param {import("./api.js").Model[]} models */
export function fillModels(models) {
  const kinds = new Set(models.some(({ kind }) => kind !== "tok") ? ["tok"] : []); // which only cuts text, as the others do
  for (const { name, kind } of models) {
    const box = make("input", { type: "checkbox", name: "model", value: name, checked: !kinds.has(kind) });
    kinds.add(kind);
    named("models").append(make("label", {}, box, ` ${name} `, make("span", { class: "soft" }, kind)));
    for (const id of ["first", "second"]) named(id).append(make("option", { value: name }, `${name} (${kind})`));
  }
}

/** @returns {string[]} */
export function chosenModels() {
  return [...document.querySelectorAll("input[name=model]:checked")].map((box) => /** @type {any} */ (box).value);
}

/** Writes the form into the address. */
export function remember() {
  const values = new URLSearchParams();
  for (const id of TEXTS) if (named(id).value) values.set(id, named(id).value);
  for (const id of CHECKS) values.set(id, named(id).checked ? "1" : "0");
  for (const name of chosenModels()) values.append("model", name);
  values.set("do", named("comparing").open ? "compare" : "parse");
  history.replaceState(null, "", `#${values}`);
}

/**
 * Fills the form from the address.
 * @returns {string} "parse" or "compare", or nothing without a permalink
 */
export function recall() {
  const values = new URLSearchParams(location.hash.slice(1));
  for (const id of TEXTS) if (values.has(id)) named(id).value = values.get(id);
  for (const id of CHECKS) if (values.has(id)) named(id).checked = values.get(id) === "1";
  const wanted = values.getAll("model");
  if (wanted.length)
    for (const box of document.querySelectorAll("input[name=model]"))
      /** @type {any} */ (box).checked = wanted.includes(/** @type {any} */ (box).value);
  named("comparing").open = values.get("do") === "compare";
  return values.has("text") || values.has("gold") ? values.get("do") || "parse" : "";
}
