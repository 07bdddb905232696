import { commonWords, functionWords } from "../text/common-words.ts";
import type { Token } from "../text/tokenize.ts";
import { isContent } from "./weights.ts";

/**
 * Word that negates, weakens or limits the words after it, with the content words in its scope. The first is its head.
 */
export interface Reach {
  readonly cue: Token;
  readonly head: Token;
  readonly keys: ReadonlySet<string>;
}

/** Relations within a sentence: denied, weakened or conditional words, and units and bounds of numbers. */
export interface Frame {
  readonly denials: readonly Reach[];
  readonly hedges: readonly Reach[];
  /** Hedges that are modal verbs. */
  readonly modals: readonly Reach[];
  /** Words that state for certain what a hedge leaves open. */
  readonly strong: readonly Reach[];
  /** Words that deny without a negation. */
  readonly implied: ReadonlySet<string>;
  /** Words of each `if`, `unless`, `until` … up to the end of its clause. */
  readonly conditions: readonly Reach[];
  /** Unit of each number, if known: `#30` → `day`. */
  readonly units: ReadonlyMap<string, string>;
  /** Numbers that are a minimum or a maximum. */
  readonly bounds: ReadonlyMap<string, "least" | "most">;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const DENIALS = words(
  "not no never none neither nor cannot without nobody nothing hardly " +
    "fail fails failed failing lack lacks lacked unable",
);
const HEDGES = words(
  "may might could possibly perhaps maybe potentially likely probably " +
    "sometimes often usually generally typically rarely",
);
const MODALS = words("may might could");
/** Words that state for certain, or of all, what a hedge leaves open. */
const STRONG = words("will must always definitely certainly all every surely guaranteed guarantees shall");
/** Words that deny without a negation, so that "avoid paying" agrees with "do not have to pay". */
const IMPLIED = words(
  "avoid avoids avoided avoiding prevent prevents prevented preventing failure inability prohibit prohibits " +
    "prohibited prohibiting forbid forbids forbidden exempt exempts exempted illegal refuse refuses refused refusing " +
    "discourage discouraged deny denies denied denying rather instead except other",
);
const CONDITIONS = words("if unless until provided when only");
/** Words before an "if" that isn't a condition: "even if", "as if". */
const NOT_CONDITION = words("even as");
/** Past tenses: a "when" before them is a time, not a condition. The same is true for verbs in -ed. */
const PAST = words(
  "was were had did began came said went took got left made found saw told became broke fell felt gave held knew led " +
    "lost met ran sent shot spoke stood won wrote ate bent bit blew bought brought built caught chose crept dealt " +
    "drank drew drove dug fed flew fought froze grew heard hid hung kept laid lay lent meant paid rang rode rose " +
    "sang sank sat shook slept slid sold sought spent sprang struck stuck swam swept swore swung taught thought " +
    "threw tore wept woke wore",
);
/** Words before an -ed form that isn't a past tense: "when forms are filed". */
const PRESENT = words("is are be been being has have when not");
/** Words after which a cue isn't a denial: "not only", "not limited to", "no more than". */
const NOT_DENIAL = words("only limited necessarily just more less fewer later greater");
/** Words between a denial and the denied word. */
const SKIPPED = words("longer yet ever currently always to also able allowed permitted have has had need");
/** Words that begin a clause outside the scope of an earlier denial or hedge. */
const CLAUSE = words("but however although though because while whereas if unless when which who that so and or");

/** Returns a word as written, in lower case; `n't` is `not`. */
function wordOf({ key, text }: Token): string {
  return key === "not" ? key : text.toLowerCase();
}

/** Number of words after "when" that are searched for its verb. */
const PAST_REACH = 6;

/** Maximum number of content words in the scope of a cue. */
const REACH = 3;

/** Reads the relations within a sentence. `text` is the source of its tokens. */
export function frameOf(text: string, tokens: readonly Token[]): Frame {
  const frame: Record<"denials" | "hedges" | "modals" | "strong" | "conditions", Reach[]> = {
    denials: [],
    hedges: [],
    modals: [],
    strong: [],
    conditions: [],
  };
  const implied = new Set<string>();
  const units = new Map<string, string>();
  const bounds = new Map<string, "least" | "most">();
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "number") {
      const unit = unitAt(tokens, at);
      if (unit !== undefined) units.set(token.key, unit);
      const bound = boundAt(tokens, at);
      if (bound !== undefined) bounds.set(token.key, bound);
      continue;
    }
    const word = wordOf(token);
    if (
      IMPLIED.has(word) ||
      /^(?:un(?!i|de|less|til|to)|non|dis(?:a|c(?!u|o)|l|q)|inab|inel|imposs)\p{L}{3}/u.test(word)
    )
      implied.add(token.key);
    if (isDenial(text, tokens, at)) push(frame.denials, reachOf(text, tokens, at));
    else if (HEDGES.has(word)) {
      push(frame.hedges, reachOf(text, tokens, at));
      if (MODALS.has(word)) push(frame.modals, reachOf(text, tokens, at));
    } else if (STRONG.has(word)) push(frame.strong, reachOf(text, tokens, at));
    else if (isCondition(tokens, at)) push(frame.conditions, clauseOf(text, tokens, at));
  }
  return { ...frame, implied, units, bounds };
}

function isDenial(text: string, tokens: readonly Token[], at: number): boolean {
  const [cue, next] = [tokens[at], tokens[at + 1]];
  if (cue === undefined || next === undefined) return false;
  const [word, after] = [wordOf(cue), wordOf(next)];
  if (!DENIALS.has(word) || NOT_DENIAL.has(after)) return false;
  // "No, it is open" answers a question.
  if (word === "no" && text.slice(cue.end, next.start).includes(",")) return false;
  return !word.startsWith("fail") || after === "to";
}

function isCondition(tokens: readonly Token[], at: number): boolean {
  const wordAt = (index: number): string => {
    const token = tokens[index];
    return token === undefined ? "" : wordOf(token);
  };
  const cue = wordAt(at);
  if (cue === "if") return !NOT_CONDITION.has(wordAt(at - 1));
  if (cue !== "when") return CONDITIONS.has(cue);
  for (let index = at + 1; index <= at + PAST_REACH; index += 1) {
    const word = wordAt(index);
    if (PAST.has(word) || (word.endsWith("ed") && !PRESENT.has(wordAt(index - 1)))) return false;
  }
  return true;
}

function push(list: Reach[], reach: Reach | undefined): void {
  if (reach !== undefined) list.push(reach);
}

function reachOf(text: string, tokens: readonly Token[], at: number): Reach | undefined {
  const cue = tokens[at];
  const keys: Token[] = [];
  let spare: Token | undefined;
  let end = cue?.end ?? 0;
  for (const token of tokens.slice(at + 1, at + 9)) {
    if (/[;:()—–]/.test(text.slice(end, token.start)) || (keys.length > 0 && CLAUSE.has(wordOf(token)))) break;
    end = token.end;
    if (isContent(token) && !SKIPPED.has(wordOf(token)) && !DENIALS.has(wordOf(token))) keys.push(token);
    else if (isContent(token)) spare ??= token;
    if (keys.length === REACH) break;
  }
  if (keys.length === 0 && spare !== undefined) keys.push(spare);
  const [head] = keys;
  return cue === undefined || head === undefined ? undefined : { cue, head, keys: new Set(keys.map(({ key }) => key)) };
}

function clauseOf(text: string, tokens: readonly Token[], at: number): Reach | undefined {
  const cue = tokens[at];
  if (cue === undefined) return undefined;
  const [word, next] = [wordOf(cue), tokens[at + 1]?.key];
  if ((word === "provided" && next !== "that") || (word === "only" && next !== "if" && next !== "when"))
    return undefined;
  const keys: Token[] = [];
  let end = cue.end;
  for (const token of tokens.slice(at + 1)) {
    if (/[,;:()—–]/.test(text.slice(end, token.start)) && keys.length > 0) break;
    end = token.end;
    if (isContent(token)) keys.push(token);
  }
  const [head] = keys;
  return head === undefined ? undefined : { cue, head, keys: new Set(keys.map(({ key }) => key)) };
}

const UNITS: ReadonlyMap<string, string> = new Map(
  [
    "second sec",
    "minut min",
    "hour hr h",
    "dai day",
    "week wk",
    "month",
    "year yr",
    "decad",
    "centuri",
    "millisecond ms",
    "meter m metr",
    "kilomet km",
    "centimet cm",
    "millimet mm",
    "mile mi",
    "feet foot ft",
    "inch",
    "yard",
    "acr",
    "hectar",
    "gram g",
    "kilogram kg",
    "milligram mg",
    "ton tonn",
    "pound lb",
    "ounc oz",
    "liter litr",
    "gallon",
    "byte",
    "kb kilobyt",
    "mb megabyt",
    "gb gigabyt",
    "tb terabyt",
    "percent",
    "dollar",
    "euro",
    "yen",
    "cent",
    "degre",
    "watt",
    "kilowatt kw",
    "megawatt mw",
    "mph",
    "kph",
    "hz hertz",
    "mhz",
    "ghz",
  ].flatMap((line) => line.split(" ").map((word): [string, string] => [word, line.split(" ")[0] ?? word])),
);

function unitAt(tokens: readonly Token[], at: number): string | undefined {
  const [before, after, third] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
  const known = (token: Token | undefined): string | undefined => UNITS.get(token?.key ?? "");
  if (before !== undefined && /^[$€£¥]$/.test(before.text)) return known(before) ?? before.key;
  // "7 business days", "40 square miles"
  return known(after) ?? (after?.kind === "word" ? known(third) : undefined);
}

function boundAt(tokens: readonly Token[], at: number): "least" | "most" | undefined {
  const near = tokens.slice(Math.max(0, at - 4), at).map(wordOf);
  const [last, second, third] = [near.at(-1), near.at(-2), near.at(-3)];
  const negated = near.includes("no") || near.includes("not");
  if (last === "least" && second === "at") return "least";
  if (last === "most" && second === "at") return "most";
  if (last === "to" && second === "up") return "most";
  if (last === "minimum" || (last === "of" && second === "minimum")) return "least";
  if (last === "maximum" || (last === "of" && second === "maximum")) return "most";
  if (last === "than" && (second === "more" || second === "greater" || second === "longer"))
    return negated || third === "no" ? "most" : "least";
  if (last === "than" && (second === "less" || second === "fewer" || second === "later"))
    return negated || third === "no" ? "least" : "most";
  if (last === "over" || last === "exceed") return negated ? "most" : "least";
  if (last === "under" || last === "below" || last === "within") return "most";
  return undefined;
}

/**
 * Returns the tokens of a sentence that are spelled like names: capitalised unlike a plain word, or all capitals. A
 * word at the start of the sentence, or after a colon or a quotation mark, counts only if a capitalised word follows,
 * because any word has a capital there.
 */
export function nameTokens(sentence: string, tokens: readonly Token[]): Token[] {
  return tokens.filter((token, index) => {
    const before = sentence.slice(Math.max(0, token.start - 4), token.start);
    // A single word in brackets is a short name of the words before them.
    const alone = /^[)\]]/.test(sentence.slice(token.end, token.end + 1));
    const opens = !alone && /(?:[:"“«([*–—]|(?:^|\s)-)[\s*_"“«(]*$/u.test(before);
    return token.kind === "word" && isName(token, tokens[index + 1], index === 0 || opens);
  });
}

function isName({ text }: Token, next: Token | undefined, first: boolean): boolean {
  if (/^\p{Lu}[\p{L}\p{M}]*\p{Lu}/u.test(text) || /^\p{Ll}+\p{Lu}/u.test(text)) return true;
  if (!/^\p{Lu}\p{L}/u.test(text) || isPlainWord(text)) return false;
  return !first || (next !== undefined && /^\p{Lu}/u.test(next.text) && !isPlainWord(next.text));
}

function isPlainWord(text: string): boolean {
  const lower = text.toLowerCase();
  return functionWords.has(lower) || commonWords.has(lower);
}
