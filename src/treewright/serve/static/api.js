// @ts-check
/** Calls of the server's API, version 1. */

/**
 * @typedef {{name: string, kind: string, formats: string[], text: string[]}} Model
 * @typedef {{begin: number, end: number, label: string, probability: number}} Constituent
 * @typedef {Object} Analysis An object of `parse --format json`, see docs/formats.md.
 * @property {string} kind
 * @property {string|null} text
 * @property {string[]} words
 * @property {(string|null)[]|null} xpos
 * @property {string[]} [supertags]
 * @property {number[]} [heads]
 * @property {string[]} [labels]
 * @property {object[]} [dependencies]
 * @property {object[]} [constituents]
 * @property {number|null} score
 * @property {number|null} [probability]
 * @property {boolean} [parsed]
 * @property {Partial<Analysis>[]} [kbest]
 * @property {{supertags?: Record<string, number>[], xpos?: Record<string, number>[]}} [marginals]
 * @property {Record<string, string>} [formats]
 * @typedef {{n: number, d: number, c: number, precision: number, recall: number, f1: number, loss: number}} Scores
 * @typedef {{a: Analysis, b: Analysis, same: boolean, shared: number, only_a: object[], only_b: object[],
 *   gold?: Analysis|null, scores?: {a: Scores, b: Scores}|null}} Comparison
 * @typedef {Object} Sight
 * @property {string} [view]
 * @property {Analysis|null} [other]
 * @property {string[]} [marks]
 * @property {boolean} [shaded]
 * @property {number[]} [folded]
 * @property {number|null} [width]
 * @property {boolean} [styled]
 */

const FAINT = 0.002; // probabilities that no drawing shows

/**
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<Response>}
 */
async function call(path, body) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, options || {});
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Error(problem.detail || `The server answered ${response.status}.`);
  }
  return response;
}

/** @returns {Promise<Model[]>} */
export async function models() {
  return (await (await call("/v1/models")).json()).models;
}

/**
 * @param {object} request
 * @returns {Promise<Analysis[]>}
 */
export async function parse(request) {
  return (await (await call("/v1/parse", request)).json()).sentences;
}

/**
 * @param {object} request
 * @returns {Promise<Comparison[]>}
 */
export async function compare(request) {
  return (await (await call("/v1/compare", request)).json()).sentences;
}

/**
 * A drawing as SVG text.
 * @param {Analysis} analysis
 * @param {Sight} sight
 * @returns {Promise<string>}
 */
export async function draw(analysis, sight) {
  const shown = lean(analysis, Boolean(sight.shaded) || sight.view === "chart");
  const other = sight.other ? lean(sight.other, false) : null;
  return (await call("/v1/draw", { ...sight, analysis: shown, other })).text();
}

/**
 * An analysis without what its drawing does not need: requests have a limit.
 * @param {Analysis} analysis
 * @param {boolean} marginals
 * @returns {any}
 */
function lean(analysis, marginals) {
  const { kbest, formats, marginals: all, ...rest } = analysis;
  if (!marginals || !all) return rest;
  /** @type {(row: any) => any} */
  const likely = (row) => (Array.isArray(row) ? row.map(likely).filter((each) => each !== null) : row.probability < FAINT ? null : row);
  const kept = Object.entries(all).map(([name, rows]) => [name, likely(rows)]);
  return { ...rest, marginals: Object.fromEntries(kept) };
}
