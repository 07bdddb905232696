import { formatPath } from "../../kernel/text.ts";

/** One token of JSON: a string, a bracket, or the text between; whitespace is skipped. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** An object or a list on the way: the name or the index that is being read in it. */
interface Level {
  readonly kind: "object" | "list";
  key: string | number;
  /** True if the next string of an object is a name. */
  named: boolean;
}

/**
 * Returns the path into a JSON text of a character: `calls[0].request.messages`, `(root)` outside of all values. For a
 * text that isn't JSON, as far as possible.
 */
export function jsonPathAt(text: string, index: number): string {
  const levels: Level[] = [];
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    if (at > index) break;
    take(token, levels);
  }
  return formatPath(levels.map(({ key }) => key).filter((key) => key !== ""));
}

function take(token: string, levels: Level[]): void {
  const level = levels.at(-1);
  if (token === "{") levels.push({ kind: "object", key: "", named: true });
  else if (token === "[") levels.push({ kind: "list", key: 0, named: false });
  else if (token === "}" || token === "]") levels.pop();
  else if (level === undefined || token === ":") return;
  else if (token === ",") next(level);
  else if (level.named) {
    level.key = nameIn(token);
    level.named = false;
  }
}

function next(level: Level): void {
  if (typeof level.key === "number") level.key += 1;
  else level.named = true;
}

function nameIn(token: string): string {
  try {
    const name: unknown = JSON.parse(token);
    return typeof name === "string" ? name : token;
  } catch {
    // For a text that isn't JSON, its own characters name it.
    return token;
  }
}
