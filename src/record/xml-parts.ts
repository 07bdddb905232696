/** Handling of the elements of an XML text, by their names from the root on, without namespaces. */
export interface XmlHandling {
  /** Returns true if an element is removed. */
  readonly isRemoved: (names: readonly string[]) => boolean;
  /** Returns the new text of an element, of the part before, between or after its children. */
  readonly textOf: (text: string, names: readonly string[]) => string;
}

/** Comments, CDATA, instructions, and tags: the slash of a closing one, its name, and the slash of an empty one. */
const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[?!][^>]*>|<(\/?)([^\s<>/"'=]+)(?:"[^"]*"|'[^']*'|[^"'<>])*?(\/?)>/g;

/** Returns an XML text without some elements. The rest stays as it is written; a text that isn't XML stays the same. */
export function withoutXmlParts(text: string, { isRemoved, textOf }: XmlHandling): string {
  const names: string[] = [];
  let kept = "";
  let start = 0;
  /** Number of open elements above the removed one. */
  let removedFrom: number | undefined;
  const keep = (part: string): void => {
    if (removedFrom === undefined) kept += part;
  };
  for (const { 0: token, 1: close, 2: name, 3: empty, index } of text.matchAll(TOKEN)) {
    const before = text.slice(start, index);
    keep(names.length === 0 ? before : textOf(before, names));
    start = index + token.length;
    if (name === undefined) {
      keep(token);
      continue;
    }
    if (close !== "/") names.push(name.slice(name.indexOf(":") + 1));
    if (removedFrom === undefined && close !== "/" && isRemoved(names)) removedFrom = names.length - 1;
    keep(token);
    if (close === "/" || empty === "/") names.pop();
    if (removedFrom === names.length) removedFrom = undefined;
  }
  return names.length === 0 && start > 0 ? kept + text.slice(start) : text;
}
