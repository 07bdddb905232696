/** One token of JavaScript, TypeScript or JSON; comments and blanks are none. */
export interface Token {
  /** `text` is a string literal, `template` a whole template literal. */
  readonly kind: "word" | "text" | "template" | "number" | "pattern" | "mark";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** After these words a slash begins a pattern; after any other word or a closing bracket it divides. */
const BEFORE_PATTERN: ReadonlySet<string> = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "delete",
  "void",
  "throw",
  "new",
  "do",
  "else",
  "await",
  "yield",
]);

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const PATTERN = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const RULES: readonly (readonly [Token["kind"], RegExp])[] = [
  ["text", /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y],
  ["word", /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy],
  ["number", /(?:\d|\.\d)[\w.]*/y],
  ["mark", /\.\.\.|=>|[^\s\w"'`]/uy],
];

/**
 * Reads a source text into tokens, without understanding it: enough to tell code from comments and texts, and to find
 * the partner of a bracket. Undefined for what it cannot read: an open text, comment or template.
 */
export function tokenize(source: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let at = source.startsWith("#!") ? lineEnd(source) : 0;
  for (;;) {
    at = matchAt(SPACE, source, at) ?? at;
    if (at >= source.length) return tokens;
    const token = tokenAt(source, at, tokens.at(-1));
    if (token === undefined) return undefined;
    tokens.push(token);
    at = token.end;
  }
}

/** The index of each bracket's partner, both ways; undefined where brackets do not fit each other. */
export function partners(tokens: readonly Token[]): ReadonlyMap<number, number> | undefined {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== "mark") continue;
    if ("([{".includes(text)) open.push(index);
    if (!")]}".includes(text)) continue;
    const from = open.pop();
    if (from === undefined || `${tokens[from]?.text}${text}` !== { ")": "()", "]": "[]", "}": "{}" }[text])
      return undefined;
    pairs.set(from, index);
    pairs.set(index, from);
  }
  return open.length === 0 ? pairs : undefined;
}

function tokenAt(source: string, start: number, before: Token | undefined): Token | undefined {
  const made = (kind: Token["kind"], end: number): Token => ({ kind, text: source.slice(start, end), start, end });
  if (source[start] === "`") {
    const end = templateEnd(source, start + 1);
    return end === undefined ? undefined : made("template", end);
  }
  if (source.startsWith("/*", start)) return undefined;
  if (source[start] === "/" && mayBePattern(before)) {
    const end = matchAt(PATTERN, source, start);
    if (end !== undefined) return made("pattern", end);
  }
  for (const [kind, rule] of RULES) {
    const end = matchAt(rule, source, start);
    if (end !== undefined) return made(kind, end);
  }
  return undefined;
}

function mayBePattern(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === "word") return BEFORE_PATTERN.has(before.text);
  return before.kind === "mark" && !")]}".includes(before.text);
}

/** Where a template literal ends, given where its text begins: what its `${}` hold is code with texts of its own. */
function templateEnd(source: string, start: number): number | undefined {
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === "`") return at + 1;
    if (source[at] === "\\") at += 1;
    else if (source.startsWith("${", at)) {
      const end = substitutionEnd(source, at + 2);
      if (end === undefined) return undefined;
      at = end;
    }
  }
  return undefined;
}

/** Where the closing brace of a `${` stands. */
function substitutionEnd(source: string, start: number): number | undefined {
  let depth = 0;
  let before: Token | undefined;
  for (let at = matchAt(SPACE, source, start) ?? start; at < source.length; at = matchAt(SPACE, source, at) ?? at) {
    const token = tokenAt(source, at, before);
    if (token === undefined) return undefined;
    if (token.text === "}" && depth === 0) return at;
    if (token.text === "{") depth += 1;
    if (token.text === "}") depth -= 1;
    before = token;
    at = token.end;
  }
  return undefined;
}

function matchAt(rule: RegExp, source: string, at: number): number | undefined {
  rule.lastIndex = at;
  return rule.test(source) ? rule.lastIndex : undefined;
}

function lineEnd(source: string): number {
  const end = source.indexOf("\n");
  return end === -1 ? source.length : end;
}
