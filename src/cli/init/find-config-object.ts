import type { SourceCode } from "./source-code.ts";

/** Functions that give back what they are given, or add to it. */
const WRAPPERS: ReadonlySet<string> = new Set(["defineConfig", "defineProject"]);

/**
 * Finds the object literal that a configuration file exports: the index of its opening brace. Follows
 * `defineConfig(…)`, the last argument of `mergeConfig(…)`, functions that return one, and a constant that is
 * exported by its name. Undefined for every other shape: nothing is guessed.
 */
export function findConfigObject(code: SourceCode): number | undefined {
  const start = exportStart(code);
  return start === undefined ? undefined : objectAt(code, start);
}

function exportStart(code: SourceCode): number | undefined {
  const { tokens } = code;
  const starts = tokens.flatMap((_token, index) => {
    if (isWords(code, index, ["export", "default"])) return [index + 2];
    return isWords(code, index, ["module", ".", "exports", "="]) ? [index + 4] : [];
  });
  const [start, ...others] = starts;
  return others.length === 0 ? start : undefined;
}

function isWords({ tokens }: SourceCode, from: number, words: readonly string[]): boolean {
  return words.every((word, index) => tokens[from + index]?.text === word && tokens[from + index]?.kind !== "text");
}

function objectAt(code: SourceCode, index: number): number | undefined {
  const { tokens, pairs } = code;
  const token = tokens[index];
  if (token?.text === "{") return index;
  if (token?.text === "(") return afterParameters(code, index) ?? objectAt(code, index + 1);
  if (token?.kind !== "word") return undefined;
  if (token.text === "async") return objectAt(code, index + 1);
  if (token.text === "function") return functionBody(code, index);
  const next = tokens[index + 1]?.text;
  if (next === "=>") return bodyAt(code, index + 2);
  if (next === "(" && WRAPPERS.has(token.text)) return onlyArgument(code, index + 1);
  if (next === "(" && token.text === "mergeConfig") return lastArgument(code, index + 1);
  const ends =
    next === undefined ||
    next === ";" ||
    next === ")" ||
    next === "satisfies" ||
    next === "as" ||
    isStatementStart(code, index + 1) ||
    isLast(pairs, index + 1);
  return ends ? constantAt(code, token.text) : undefined;
}

/** `(…) => body`, also with a type of what is returned; undefined where the bracket holds no parameters. */
function afterParameters(code: SourceCode, open: number): number | undefined {
  const { tokens, pairs } = code;
  const close = pairs.get(open) ?? open;
  let arrow = close + 1;
  if (tokens[arrow]?.text === ":")
    while (arrow < tokens.length && !["=>", ";", "{", ","].includes(tokens[arrow]?.text ?? "")) arrow += 1;
  return tokens[arrow]?.text === "=>" ? bodyAt(code, arrow + 1) : undefined;
}

function functionBody(code: SourceCode, index: number): number | undefined {
  const open = code.tokens.findIndex(({ text }, at) => at > index && text === "(");
  let body = (code.pairs.get(open) ?? open) + 1;
  while (body < code.tokens.length && code.tokens[body]?.text !== "{") body += 1;
  return open === -1 ? undefined : bodyAt(code, body);
}

/** An expression, or a block that returns exactly once. */
function bodyAt(code: SourceCode, index: number): number | undefined {
  const { tokens, pairs } = code;
  if (tokens[index]?.text !== "{")
    return tokens[index]?.text === "(" ? objectAt(code, index + 1) : objectAt(code, index);
  const close = pairs.get(index) ?? index;
  const returns = tokens.flatMap(({ kind, text }, at) =>
    at > index && at < close && kind === "word" && text === "return" ? [at] : [],
  );
  const [only, ...others] = returns;
  return only === undefined || others.length > 0 ? undefined : objectAt(code, only + 1);
}

function onlyArgument(code: SourceCode, open: number): number | undefined {
  const [only, ...others] = argumentsOf(code, open);
  return only === undefined || others.length > 0 ? undefined : objectAt(code, only);
}

function lastArgument(code: SourceCode, open: number): number | undefined {
  const last = argumentsOf(code, open).at(-1);
  return last === undefined ? undefined : objectAt(code, last);
}

/** Where each argument of a call begins. */
function argumentsOf({ tokens, pairs }: SourceCode, open: number): number[] {
  const close = pairs.get(open) ?? open;
  const starts: number[] = [];
  let begins = true;
  for (let at = open + 1; at < close; at += 1) {
    if (tokens[at]?.text === ",") begins = true;
    else if (begins) {
      starts.push(at);
      begins = false;
    }
    at = Math.max(at, "([{".includes(tokens[at]?.text ?? "?") ? (pairs.get(at) ?? at) : at);
  }
  return starts;
}

/**
 * The object that a constant of the file is made as. A second declaration of the name, or an assignment, tells nothing.
 */
function constantAt(code: SourceCode, name: string): number | undefined {
  const { tokens } = code;
  const declared = tokens.flatMap(({ kind, text }, at) =>
    kind === "word" && (text === "const" || text === "let" || text === "var") && tokens[at + 1]?.text === name
      ? [at + 2]
      : [],
  );
  const [from, ...others] = declared;
  if (from === undefined || others.length > 0 || isChanged(code, name)) return undefined;
  let equals = from;
  while (equals < tokens.length && !["=", ";"].includes(tokens[equals]?.text ?? "")) equals += 1;
  return tokens[equals]?.text === "=" ? objectAt(code, equals + 1) : undefined;
}

/** Whether something is assigned to it or into it later: `config.plugins = …`. */
function isChanged({ tokens }: SourceCode, name: string): boolean {
  return tokens.some(({ kind, text }, at) => {
    if (kind !== "word" || text !== name || ["const", "let", "var", "."].includes(tokens[at - 1]?.text ?? ""))
      return false;
    const next = tokens[at + 1]?.text ?? "";
    return next === "." || next === "[" || (next === "=" && tokens[at + 2]?.text !== "=");
  });
}

function isStatementStart({ tokens }: SourceCode, index: number): boolean {
  return ["export", "const", "let", "function", "import", "module"].includes(tokens[index]?.text ?? "");
}

function isLast(pairs: ReadonlyMap<number, number>, index: number): boolean {
  const partner = pairs.get(index);
  return partner !== undefined && partner < index;
}
