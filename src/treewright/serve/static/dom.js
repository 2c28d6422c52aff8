// @ts-check
/** Elements of the page. */

/**
 * Makes an element with attributes and children; a string is text, never markup.
 * @param {string} name
 * @param {Record<string, string|number|boolean|null|undefined>} [attributes]
 * @param {...(Node|string|null|undefined)} children
 * @returns {HTMLElement}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * The text of a sentence, in its own direction.
 * @param {{text: string|null, words: string[]}} analysis
 */
export function heading({ text, words }) {
  return make("h2", { dir: "auto" }, text || words.join(" "));
}

/**
 * The element of an id.
 * @param {string} id
 * @returns {any}
 */
export function named(id) {
  return document.getElementById(id);
}

/**
 * Puts a drawing into an element; SVG is parsed as XML, so that nothing in it runs.
 * @param {HTMLElement} place
 * @param {string} svg
 */
export function showDrawing(place, svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  place.replaceChildren(document.importNode(parsed.documentElement, true));
}

/**
 * What an error says.
 * @param {unknown} error
 */
export function told(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {string} message
 * @param {boolean} [error]
 */
export function say(message, error = false) {
  const status = named("status");
  status.textContent = message;
  status.classList.toggle("error", error);
}
