// @ts-check
/** Exports of what is shown: pictures, treebank formats, JSON. */

import { draw, parse } from "./api.js";
import { make, named, say, told } from "./dom.js";

/** @type {Record<string, string>} */
const FILES = { latex: "tex", auto: "auto", parg: "parg", conllu: "conllu", brackets: "mrg", deps: "deps" };
/** @type {Record<string, string>} */
const PLAIN = { svg: "SVG", png: "PNG", json: "JSON", latex: "LaTeX", auto: "AUTO", parg: "PARG", conllu: "CoNLL-U", brackets: "brackets" };

/**
 * The formats of an analysis. Those of treebanks, for which the server parses again, only the first parse has.
 * @param {import("./panes.js").Shown} shown
 * @param {string} view
 * @returns {HTMLElement}
 */
export function exportMenu(shown, view) {
  const drawn = !["supertags", "table"].includes(view);
  const texts = shown.rank ? [] : Object.keys(FILES).filter((name) => name in PLAIN && shown.model.formats.includes(name));
  const names = [...(drawn ? ["svg", "png"] : []), ...texts, "json"];
  const menu = /** @type {HTMLSelectElement} */ (make("select", { "aria-label": "Export" }, make("option", { value: "" }, "Export…"),
    ...names.map((name) => make("option", { value: name }, PLAIN[name]))));
  menu.addEventListener("change", async () => {
    const name = menu.value;
    menu.value = "";
    try { await save(name, shown, view); } catch (error) { say(told(error), true); }
  });
  return menu;
}

/**
 * @param {string} name of a format
 * @param {import("./panes.js").Shown} shown
 * @param {string} view
 */
async function save(name, shown, view) {
  const { analysis, other = null, marks } = shown;
  if (name === "json") return download("analysis.json", "application/json", JSON.stringify(analysis, null, 1));
  if (name === "svg" || name === "png") {
    const svg = await draw(analysis, { view, other, marks, shaded: named("shaded").checked, styled: true });
    return name === "svg" ? download("analysis.svg", "image/svg+xml", svg) : savePng(svg);
  }
  const sentence = { words: analysis.words };
  const request = { sentences: [sentence], model: shown.model.name, formats: [name], decoder: shown.decoder || null };
  const [found] = await parse(request);
  download(`analysis.${FILES[name]}`, "text/plain", found.formats?.[name] || "");
}

/** @param {string} svg */
async function savePng(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode();
  const scale = Math.min(2, 16000 / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(image.width * scale);
  canvas.height = Math.ceil(image.height * scale);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((blob) => blob && download("analysis.png", "image/png", blob));
}

/**
 * @param {string} file
 * @param {string} type
 * @param {string|Blob} content
 */
function download(file, type, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  make("a", { href: address, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
