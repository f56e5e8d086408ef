// Making and changing elements. Text goes in as text: nothing here, or anywhere in the page, parses markup.

const svgSpace = 'http://www.w3.org/2000/svg';

/** @typedef {Record<string, string | number | boolean | undefined>} Attributes */

/**
 * @template {Element} E
 * @param {E} element @param {Attributes} attributes @param {(Node | string)[]} children
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children);
  return element;
}

/** @template {keyof HTMLElementTagNameMap} T @param {T} tag @param {Attributes} [attributes] @param {...(Node | string)} children */
export const html = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

/** @template {keyof SVGElementTagNameMap} T @param {T} tag @param {Attributes} [attributes] @param {...(Node | string)} children */
export const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS(svgSpace, tag), attributes, children);

/**
 * Only what differs is touched: most of the page stays as it is from one second to the next.
 * @param {Element} element @param {string} name @param {string | number | boolean | undefined} value
 */
export function set(element, name, value) {
  const wanted = value === undefined || value === false ? null : value === true ? '' : String(value);
  if (element.getAttribute(name) === wanted) return;
  if (wanted === null) element.removeAttribute(name);
  else element.setAttribute(name, wanted);
}

/** @param {Node} element @param {string} text */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @template {Element} E @param {string} id @param {new () => E} kind @returns {E} */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

/**
 * Children of `parent`, one for each key, in order; those that stay are kept, with focus and selection.
 * @template T
 * @param {Element} parent @param {T[]} things @param {(thing: T) => string} key @param {(thing: T) => Element} make
 * @param {(element: any, thing: T) => void} update
 */
export function keep(parent, things, key, make, update) {
  /** @type {Map<string, Element>} */
  const before = new Map(Array.from(parent.children, (child) => [/** @type {any} */ (child).key ?? '', child]));
  const wanted = new Set(things.map(key));
  for (const [name, element] of before) if (!wanted.has(name)) element.remove();
  let next = parent.firstElementChild;
  for (const thing of things) {
    const name = key(thing);
    let element = before.get(name);
    if (!element) {
      element = make(thing);
      /** @type {any} */ (element).key = name;
    }
    update(element, thing);
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
  }
}

/**
 * A small line of values, with its doubt as a band behind it where there is one.
 * @param {SVGSVGElement} picture @param {{value?: number, low?: number, high?: number}[]} samples @param {(value: number) => number} height 0 to 1
 */
export function spark(picture, samples, height) {
  const [width, tall] = [picture.width.baseVal.value, picture.height.baseVal.value];
  const at = (/** @type {number} */ index, /** @type {number | undefined} */ value) => {
    const x = samples.length < 2 ? width : (index * width) / (samples.length - 1);
    return `${x.toFixed(1)} ${(tall - 1 - Math.min(1, Math.max(0, height(value ?? 0))) * (tall - 2)).toFixed(1)}`;
  };
  let [band, line] = [picture.querySelector('.band'), picture.querySelector('.line')];
  if (!band || !line) picture.append((band = svg('path', { class: 'band' })), (line = svg('path', { class: 'line' })));
  const wide = samples.length > 1 && samples.every((sample) => sample.low !== undefined && sample.high !== undefined);
  const upper = samples.map((sample, index) => at(index, sample.high));
  const lower = samples.map((sample, index) => at(index, sample.low)).reverse();
  set(band, 'd', wide ? `M${[...upper, ...lower].join('L')}Z` : undefined);
  set(line, 'd', samples.length > 1 ? 'M' + samples.map((sample, index) => at(index, sample.value)).join('L') : undefined);
}
