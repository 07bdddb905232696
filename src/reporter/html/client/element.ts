export type Children = { readonly length: number; readonly [index: number]: Child };
export type Child = Node | string | null | undefined | Children;
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Creates an element. Strings become text, never markup; an attribute that is false or undefined is left out. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

/** Creates a button. */
export function button(label: string | Node, press: (event: MouseEvent) => void, attributes: Attributes = {}) {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", press);
  return made;
}

/** A part of the page with a heading that names it. */
export function section({ title, id }: { title: Child; id: string }, ...children: readonly Child[]) {
  return el("section", { "aria-labelledby": id, class: "part" }, el("h2", { id }, title), ...children);
}

/** A dot of a colour, a picture or another sign without a meaning for screen readers. */
export function sign(text: string, style: string = "sign") {
  return el("span", { class: style, "aria-hidden": "true" }, text);
}

/** An element that the page has, by its id. */
export function byId(id: string) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element ${id}.`);
  return element;
}

/** Says something to those who listen instead of looking. */
export function announce(text: string) {
  byId("said").textContent = text;
}

function setAttributes(element: Element, attributes: Attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(parent: Element, children: readonly Child[]) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child instanceof Node || typeof child === "string") parent.append(child);
  }
}
