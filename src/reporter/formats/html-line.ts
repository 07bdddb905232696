import { plainLine } from "../../explain/plain-lines.ts";

/** A text on one line as the content of an element of HTML. */
export function htmlLine(text: string): string {
  return plainLine(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
