/** Parts of a JSON text: strings, marks, and the other tokens between spaces. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
/** Longer texts are compared as they are. */
const MAX_JSON = 200_000;

/**
 * Two texts that both contain a list or an object, laid out with one leaf per line, so that they can be compared by
 * meaning. Tokens don't change, only white space. Null if one isn't such a text, or if only white space differs.
 */
export function jsonTexts(before: string, after: string): readonly [string, string] | null {
  if (before.length + after.length > MAX_JSON || !isJson(before) || !isJson(after)) return null;
  const [left, right] = [laidOut(before), laidOut(after)];
  return left === right ? null : [left, right];
}

function isJson(text: string) {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Most texts aren't JSON: they are compared as texts.
    return false;
  }
}

function laidOut(text: string) {
  let depth = 0;
  let made = "";
  let last = "";
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    const isEmpty = closes && (last === "{" || last === "[");
    const breaks = (closes && !isEmpty) || (!closes && (last === "{" || last === "[" || last === ","));
    made += `${breaks ? line() : ""}${token}${token === ":" ? " " : ""}`;
    if (token === "{" || token === "[") depth += 1;
    last = token;
  }
  return made;
}
