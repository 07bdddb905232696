import type { SourceCode } from "./source-code.ts";

/** One entry of an object literal. */
export interface Property {
  /** Undefined for what is spread into it, and for a computed name. */
  readonly name: string | undefined;
  /** The index of the first token of its value; undefined where it is no `name: value`. */
  readonly value: number | undefined;
  /** The index after its last token. */
  readonly end: number;
}

/** The entries of the object literal whose opening brace stands at an index. */
export function objectProperties({ tokens, pairs }: SourceCode, open: number): Property[] {
  const close = pairs.get(open) ?? open;
  const properties: Property[] = [];
  let first = open + 1;
  for (let at = open + 1; at <= close; at += 1) {
    if (at === close || tokens[at]?.text === ",") {
      if (at > first) properties.push(propertyAt({ tokens, pairs }, first, at));
      first = at + 1;
    } else if ("([{".includes(tokens[at]?.text ?? "?")) at = pairs.get(at) ?? at;
  }
  return properties;
}

function propertyAt({ tokens }: Pick<SourceCode, "tokens" | "pairs">, start: number, end: number): Property {
  const token = tokens[start];
  const isNamed = token?.kind === "word" || token?.kind === "text";
  const name = token?.kind === "text" ? token.text.slice(1, -1) : token?.text;
  const value = isNamed && tokens[start + 1]?.text === ":" && start + 2 < end ? start + 2 : undefined;
  return { name: isNamed ? name : undefined, value, end };
}
