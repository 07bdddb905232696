/** @typedef {{ readonly length: number, readonly [index: number]: Child }} Children */
/** @typedef {Node | string | null | undefined | Children} Child */
/** @typedef {Readonly<Record<string, string | number | boolean | undefined>>} Attributes */

/**
 * Makes an element. Strings become text, never markup; an attribute that is false or undefined is left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {readonly Child[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

/**
 * Makes a button.
 * @param {string | Node} label
 * @param {(event: MouseEvent) => void} press
 * @param {Attributes} [attributes]
 */
export function button(label, press, attributes = {}) {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", press);
  return made;
}

/**
 * A part of the page with a heading that names it.
 * @param {{ title: Child, id: string }} head
 * @param {readonly Child[]} children
 */
export function section({ title, id }, ...children) {
  return el("section", { "aria-labelledby": id, class: "part" }, el("h2", { id }, title), ...children);
}

/**
 * A dot of a colour, a picture or anything else that says nothing to those who listen.
 * @param {string} text
 * @param {string} [style]
 */
export function sign(text, style = "sign") {
  return el("span", { class: style, "aria-hidden": "true" }, text);
}

/**
 * An element that the page has, by its id.
 * @param {string} id
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element ${id}.`);
  return found;
}

/**
 * Says something to those who listen instead of looking.
 * @param {string} text
 */
export function announce(text) {
  byId("said").textContent = text;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Element} parent
 * @param {readonly Child[]} children
 */
function append(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child instanceof Node || typeof child === "string") parent.append(child);
  }
}
