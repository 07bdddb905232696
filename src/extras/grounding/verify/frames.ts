import { commonWords, functionWords } from "../text/common-words.ts";
import { MAY, type Token } from "../text/tokenize.ts";
import { isContent } from "./weights.ts";

/**
 * Word that negates, weakens or limits the words after it, with the content words in its scope. The first is its head.
 */
export interface Reach {
  readonly cue: Token;
  readonly head: Token;
  readonly keys: ReadonlySet<string>;
  /** Offsets of the words in its scope. */
  readonly starts: ReadonlySet<number>;
  /** Content words of the sentence around the cue, up to the next conjunction. Empty for a condition. */
  readonly around: ReadonlySet<string>;
}

/** Relations within a sentence: denied, weakened or conditional words, and bounds of numbers. */
export interface Frame {
  readonly denials: readonly Reach[];
  readonly hedges: readonly Reach[];
  /** Words that deny without a negation. */
  readonly implied: ReadonlySet<string>;
  /** Words of each `if`, `unless`, `until` … up to the end of its clause. */
  readonly conditions: readonly Reach[];
  /** Numbers that are a minimum or a maximum. */
  readonly bounds: ReadonlyMap<string, "least" | "most">;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const DENIALS = words(
  "not no never none neither nor cannot without nobody nothing hardly non nowhere " +
    "fail fails failed failing lack lacks lacked unable excluding",
);
const HEDGES = words(
  "may might could possibly perhaps maybe potentially likely probably " +
    "sometimes often usually generally typically rarely",
);
/** Words that deny without a negation, so that "avoid paying" agrees with "do not have to pay". */
const IMPLIED = words(
  "avoid avoids avoided avoiding prevent prevents prevented preventing failure inability prohibit prohibits " +
    "prohibited prohibiting forbid forbids forbidden exempt exempts exempted illegal refuse refuses refused refusing " +
    "discourage discouraged deny denies denied denying rather instead except other waive waives waived waiving free " +
    "exclude excludes excluded ban bans banned bar bars barred",
);
const CONDITIONS = words("if unless until provided only");
/** Words before an "if" that isn't a condition: "even if", "as if". */
const NOT_CONDITION = words("even as");
/** Words after which a cue isn't a denial: "not only", "not limited to", "no more than". */
const NOT_DENIAL = words("only necessarily just always all every entirely fully more less fewer later greater");
/** Words that make a number after "than" a minimum or a maximum. */
const MORE = words("more greater longer higher larger heavier older stronger bigger");
const LESS = words("less fewer shorter lower smaller lighter younger weaker");

const COMPARED: ReadonlySet<string> = new Set([...MORE, ...LESS, "later", "earlier"]);

/** Words between a denial and the denied word. */
const SKIPPED = words("longer yet ever currently always anywhere to also able allowed permitted have has had need");
/** Words that begin a clause outside the scope of an earlier denial or hedge. */
const CLAUSE = words("but however although though because while whereas if unless when which who that so and or");

/** Returns a word as written, in lower case; `n't` is `not`. */
function wordOf({ key, text }: Token): string {
  return key === "not" ? key : text.toLowerCase();
}

/** Maximum number of content words in the scope of a cue. */
const REACH = 3;

/** Maximum number of words after a cue that count as around it. */
const AROUND = 6;

/** Reads the relations within a sentence. `text` is the source of its tokens. */
export function frameOf(text: string, tokens: readonly Token[]): Frame {
  const frame: Record<"denials" | "hedges" | "conditions", Reach[]> = { denials: [], hedges: [], conditions: [] };
  const implied = new Set<string>();
  const bounds = new Map<string, "least" | "most">();
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "number") {
      const bound = boundAt(tokens, at);
      if (bound !== undefined) bounds.set(token.key, bound);
      continue;
    }
    const word = wordOf(token);
    const isOffLimits = word === "limits" && tokens[at - 1]?.key === "off";
    if (IMPLIED.has(word) || IMPLYING_PREFIX.test(word) || isOffLimits) implied.add(token.key);
    const deniedClause = deniedClauseAt(word, tokens, at);
    const reach = deniedClause === undefined ? undefined : reachOf(text, tokens, deniedClause);
    if (reach !== undefined) frame.denials.push({ ...reach, cue: token });
    else if (isDenial(text, tokens, at)) push(frame.denials, reachOf(text, tokens, at));
    else if (HEDGES.has(word)) push(frame.hedges, reachOf(text, tokens, at));
    else if (isCondition(tokens, at)) push(frame.conditions, clauseOf(text, tokens, at));
  }
  return { ...frame, implied, bounds };
}

const IMPLYING_PREFIX = /^(?:un(?!i|de|less|til|to)|dis(?:a|c(?!u|o)|l|q)|inab|inel|imposs)\p{L}{3}/u;

/** Returns the number of each token's clause, by the punctuation and conjunctions between them. */
export function clausesOf(text: string, tokens: readonly Token[]): readonly number[] {
  let clause = 0;
  return tokens.map((token, at) => {
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    // "Between 8 and 11" is one clause.
    const isConjunction = CONJUNCTIONS.has(token.key) && next?.kind !== "number";
    // "Sheep (62 %)" is one clause.
    const between = before === undefined ? "" : text.slice(before.end, token.start).replace(/^\s*\(|\)/, "");
    if (before !== undefined && (/[,;:()—–]/.test(between) || isConjunction)) clause += 1;
    return clause;
  });
}

const CONJUNCTIONS = words("and but or while whereas although though because");

function isDenial(text: string, tokens: readonly Token[], at: number): boolean {
  const [cue, next] = [tokens[at], tokens[at + 1]];
  const word = cue === undefined ? "" : wordOf(cue);
  if (cue === undefined || !DENIALS.has(word)) return false;
  const after = next === undefined ? "" : wordOf(next);
  // "With or without food" says both.
  if (word === "without" && tokens[at - 1]?.key === "or" && tokens[at - 2]?.key === "with") return false;
  // "Nobody but the owner" is "only the owner".
  const pronoun = word === "no" && after === "one" ? tokens[at + 2] : next;
  if (/^(?:no|none|nobody|nothing|nowhere)$/.test(word) && /^(?:but|except)$/.test(pronoun?.key ?? "")) return false;
  if (NOT_DENIAL.has(after) || (after === "limited" && tokens[at - 1]?.key === "but")) return false;
  // "No, it is open" answers a question. "Not weigh more than 8" is a bound. Quoted words aren't the sentence's own.
  if (word === "no" && text.slice(cue.end, next?.start).includes(",")) return false;
  if (
    tokens
      .slice(at + 1, at + 6)
      .some((token, index, all) => token.key === "than" && COMPARED.has(all[index - 1]?.text ?? ""))
  )
    return false;
  if (/["“][^"”]*$/.test(text.slice(0, cue.start)) && /["”]/.test(text.slice(cue.end))) return false;
  return !word.startsWith("fail") || after === "to";
}

function isCondition(tokens: readonly Token[], at: number): boolean {
  const [cue, before] = [tokens[at], tokens[at - 1]];
  if (cue === undefined || !CONDITIONS.has(wordOf(cue))) return false;
  return before === undefined || !NOT_CONDITION.has(wordOf(before));
}

function push(list: Reach[], reach: Reach | undefined): void {
  if (reach !== undefined) list.push(reach);
}

/** Words that deny the clause after "that": "it is false that", "we deny that". */
const FALSE = words("false untrue incorrect wrong mistaken deny denies denied denying doubt doubts doubted");
/** Words before a verb that deny the clause after it and "that": "the tenant wrongly claims that". */
const FALSELY = words("falsely wrongly incorrectly mistakenly");
/** Words that deny the clause after them and "that" if they're denied: "it is not true that", "no evidence that". */
const FACTS = words("true correct case evidence proof indication mean believe think say claim show prove confirm");

const OUTER: ReadonlySet<string> = new Set([...DENIALS, ...FALSE, ...FALSELY]);

/** Returns the index of the "that" whose clause is denied from outside by a word, which is at an index. */
function deniedClauseAt(word: string, tokens: readonly Token[], at: number): number | undefined {
  if (!OUTER.has(word)) return undefined;
  const near = tokens.slice(at, at + 5).map(wordOf);
  const that = near.indexOf("that");
  const before = near[that - 1] ?? "";
  // "Not false that" says that it's so.
  const isDenied = tokens.slice(Math.max(0, at - 3), at).some((token) => DENIALS.has(wordOf(token)));
  const isFalse =
    !isDenied &&
    ((FALSE.has(word) && that === 1) || (FALSELY.has(word) && that > 0) || (DENIALS.has(word) && FACTS.has(before)));
  return isFalse ? at + that : undefined;
}

/** Returns the words in the scope of a cue: up to three after it, or before it if its clause ends with it. */
function reachOf(text: string, tokens: readonly Token[], at: number): Reach | undefined {
  const cue = tokens[at];
  if (cue === undefined) return undefined;
  const [following, preceding] = [tokens.slice(at, at + 9), tokens.slice(Math.max(0, at - 7), at + 1).toReversed()];
  const after = wordsInReach(text, following, REACH);
  const before = wordsInReach(text, preceding, REACH);
  const keys = after.length > 0 ? after : before;
  const [head] = keys;
  if (head === undefined) return undefined;
  const around = [...before, ...wordsInReach("", following, AROUND)];
  const [from, to] = [
    Math.min(cue.start, ...keys.map(({ start }) => start)),
    Math.max(cue.end, ...keys.map(({ end }) => end)),
  ];
  const inside = tokens.filter(({ start, end }) => start >= from && end <= to);
  return { ...wordsOf(keys), cue, head, starts: wordsOf(inside).starts, around: new Set(around.map(({ key }) => key)) };
}

/** Returns the content words of a clause that follow its first token, or precede it in a reversed clause. */
function wordsInReach(text: string, [cue, ...rest]: readonly Token[], most: number): readonly Token[] {
  const keys: Token[] = [];
  let spare: Token | undefined;
  let last = cue;
  for (const token of rest) {
    const [from, to] =
      last === undefined || token.start > last.start ? [last?.end ?? 0, token.start] : [token.end, last.start];
    if (
      /[;:()—–.!?]|,(?= (?:but|and|so)\b)/.test(text.slice(from, to + 4)) &&
      /[;:(),—–.!?]/.test(text.slice(from, to))
    )
      break;
    if (keys.length > 0 && CLAUSE.has(wordOf(token))) break;
    last = token;
    if (isContent(token) && !SKIPPED.has(wordOf(token)) && !DENIALS.has(wordOf(token))) keys.push(token);
    else if (isContent(token)) spare ??= token;
    if (keys.length === most) break;
  }
  return keys.length === 0 && spare !== undefined ? [spare] : keys;
}

function wordsOf(tokens: readonly Token[]): Pick<Reach, "keys" | "starts"> {
  return { keys: new Set(tokens.map(({ key }) => key)), starts: new Set(tokens.map(({ start }) => start)) };
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
  return head === undefined ? undefined : { cue, head, ...wordsOf(keys), around: new Set() };
}

function boundAt(tokens: readonly Token[], at: number): "least" | "most" | undefined {
  const near = tokens.slice(Math.max(0, at - 6), at).map(wordOf);
  const [last, second, third] = [near.at(-1), near.at(-2), near.at(-3)];
  const negated = ["no", "not", "never", "cannot"].some((word) => near.includes(word));
  const [or, compared] = [tokens[at + 1], tokens[at + 2]].map((token) => (token === undefined ? "" : wordOf(token)));
  if (or === "or" && MORE.has(compared ?? "")) return "least";
  if (or === "or" && LESS.has(compared ?? "")) return "most";
  if (last === "least" && second === "at") return "least";
  if (last === "most" && second === "at") return "most";
  if (last === "to" && /^(?:up|limited|capped)$/.test(second ?? "")) return "most";
  if (last === "than" && /^(?:sooner|earlier)$/.test(second ?? "") && negated) return "least";
  if (last === "minimum" || (last === "of" && second === "minimum")) return "least";
  if (last === "maximum" || (last === "of" && second === "maximum")) return "most";
  // "No trees higher than 3 m" denies the trees.
  if (last === "than" && /^(?:no|none)$/.test(near.at(-4) ?? "") && second !== "more") return "least";
  if (last === "than" && MORE.has(second ?? "")) return negated || third === "no" ? "most" : "least";
  if (last === "than" && LESS.has(second ?? "")) return negated || third === "no" ? "least" : "most";
  if (/^(?:over|exceed|exceeds|exceeding)$/.test(last ?? "")) return negated ? "most" : "least";
  if (["under", "below", "within"].includes(last ?? "")) return "most";
  // "Nobody is there before 9:00" and "not before 9:00" are "from 9:00".
  if (tokens.slice(0, at).some((token) => DENIALS.has(wordOf(token)))) return undefined;
  if (["until", "till", "before"].includes(last ?? "")) return "most";
  if (["from", "after", "since"].includes(last ?? "")) return "least";
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
    return token.key === MAY || (token.kind === "word" && isName(token, tokens[index + 1], index === 0 || opens));
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
