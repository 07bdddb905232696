import { isSameOrSynonym } from "../text/synonyms.ts";
import { unitFamily } from "../text/quantities.ts";
import { MONTHS, type Token } from "../text/tokenize.ts";
import { type Aligned, common } from "./align.ts";
import type { Difference } from "./difference.ts";
import type { SourceSentence } from "./sources.ts";
import { contentKeys, isContent } from "./weights.ts";

/** Maximum number of content words on a side of a verb. */
const SIDE = 6;

/** Words after which a lower-case word is a verb. */
const AUXILIARY = /^(?:can|could|may|might|must|shall|should|will|would|to|has|have|had|not|did|does|do)$/i;
const BE = /^(?:is|are|was|were|be|been|being|gets?|got)$/i;
/** Past tenses and participles without an ending. */
const IRREGULAR = new RegExp(
  "^(?:beat|beaten|bought|built|gave|given|held|hit|led|left|lent|lost|made|met|paid|sent|sold|taught|took|taken|" +
    "told|won|wrote|written|overtook)$",
  "i",
);
/** Words that relate both sides alike. */
const SYMMETRIC = /^(?:meet|marri|equal|resembl|match|cross|border|join|merg)$/;

/** Verb with the content words before and after it. */
interface Arguments {
  readonly left: ReadonlySet<string>;
  readonly right: ReadonlySet<string>;
  /** Names after the "from", "to", "for" or "against" that follows. */
  readonly party: ReadonlySet<string>;
  readonly isPassive: boolean;
}

/**
 * Returns the first word of a claim in which who acts and who is acted on have changed sides of a verb: "Norline
 * criticised the mayor" of "The mayor criticised Norline".
 */
export function swappedArguments({ tokens, clauses, names, near }: Aligned): Difference<"roles">[] {
  for (const [at, verb] of tokens.entries()) {
    if (!isVerb(tokens, at)) continue;
    const own = argumentsOf({ tokens, clauses, names }, at);
    for (const { sentence } of near) {
      const all = [...sentence.tokens.keys()].filter(
        (position) => isLike(verb, sentence.tokens[position]) && isVerb(sentence.tokens, position),
      );
      const theirs = all.map((position) => argumentsOf(sentence, position));
      if (theirs.length === 0 || !theirs.every((other) => areTurned(own, other))) continue;
      const [first] = theirs;
      const isIn = (key: string, ...some: readonly (ReadonlySet<string> | undefined)[]): boolean =>
        some.some((keys) => keys?.has(key) === true);
      const other = sentence.tokens.find(({ key }) => isIn(key, own.right, own.party) && isIn(key, first?.left));
      const word = tokens.find(({ key }) => isIn(key, own.left) && isIn(key, first?.right, first?.party)) ?? verb;
      return [{ kind: "roles", word, sourceWord: other?.text ?? verb.text, sentence }];
    }
  }
  return [];
}

function isLike({ key }: Token, other: Token | undefined): boolean {
  return other !== undefined && isSameOrSynonym(other.key, key);
}

function isVerb(tokens: readonly Token[], at: number): boolean {
  const [before, token, next] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  if (token === undefined || token.kind === "number" || !isContent(token) || !/^\p{Ll}/u.test(token.text)) return false;
  if (SYMMETRIC.test(token.key) || unitFamily(token.key) !== undefined) return false;
  // "The oldest supported version".
  if (ARTICLE.test(before?.key ?? "") || before?.text.endsWith("est") === true) return false;
  if (AUXILIARY.test(before?.text ?? "") || token.text.endsWith("ed") || IRREGULAR.test(token.text)) return true;
  // A noun in the plural isn't followed by an object.
  return /[^s]s$/.test(token.text) && next !== undefined && (/^\p{Lu}/u.test(next.text) || ARTICLE.test(next.key));
}

const ARTICLE = /^(?:the|a|an|it|him|her|them|this|these|those|his|their|its|each|every|all)$/;
/** Words after which there is no object. */
const PREPOSITION: ReadonlySet<string> = new Set(
  (
    "by of on in at for from to with after before during since until because if when while within under over into as " +
    "than that"
  ).split(" "),
);

const PARTY: ReadonlySet<string> = new Set(["from", "to", "for", "against"]);

function argumentsOf(
  { tokens, clauses, names }: Pick<SourceSentence, "tokens" | "clauses" | "names">,
  at: number,
): Arguments {
  const words = (some: readonly Token[]): ReadonlySet<string> => {
    const content = some.filter((token) => isContent(token) && token.kind === "word" && !MONTHS.has(token.key));
    const named = content.filter(({ key }) => names.has(key));
    return contentKeys(named.length > 0 ? named : content);
  };
  const before = tokens.slice(0, at);
  const inClause = before.filter((_, position) => clauses[position] === clauses[at]);
  const left = words((inClause.some(isContent) ? inClause : before).slice(-3 * SIDE));
  const by = tokens.findIndex(({ key }, position) => position > at && position < at + 4 && key === "by");
  const isPassive = before.slice(-3).some(({ text }) => BE.test(text)) || by === at + 1;
  const rest = tokens.slice((isPassive && by > 0 ? by : at) + 1);
  const end = rest.findIndex(({ key }) => PREPOSITION.has(key));
  const party = rest.filter(
    ({ key }, position) =>
      names.has(key) && rest.slice(Math.max(0, position - 3), position).some((each) => PARTY.has(each.key)),
  );
  return {
    left,
    right: words(isPassive && by < 0 ? [] : rest.slice(0, end < 0 ? 2 * SIDE : end)),
    party: contentKeys(party),
    isPassive,
  };
}

function areTurned(own: Arguments, other: Arguments): boolean {
  const [left, right] = [common(own.left, other.left), common(own.right, other.right)];
  const crossed = [common(own.left, other.right), common(own.right, other.left)];
  const parties = [common(own.left, other.party), common(own.party, other.left)];
  if (own.isPassive === other.isPassive && left === 0 && parties.every((count) => count > 0)) return true;
  if (own.isPassive === other.isPassive) return left === 0 && crossed.every((count) => count > 0);
  return left > 0 && right > 0 && crossed.every((count) => count === 0);
}

/** Chosen and rejected words of "by the court, not by the council", "a cat rather than a dog". */
interface Contrast {
  readonly word: Token;
  readonly chosen: ReadonlySet<string>;
  readonly rejected: ReadonlySet<string>;
}

/** Returns the word of a claim for what a near source rejects in favour of something else. */
export function swappedContrasts({ tokens, near, keys, frame }: Aligned): Difference<"roles">[] {
  const own = contrastOf(tokens);
  for (const { sentence } of near) {
    const other = contrastOf(sentence.tokens);
    if (other === undefined) continue;
    const isTurned =
      own === undefined
        ? frame.denials.length === 0 && common(keys, other.chosen) === 0 && common(keys, other.rejected) > 0
        : common(own.chosen, other.rejected) > 0 && common(own.rejected, other.chosen) > 0;
    const word = tokens.find(({ key }) => other.rejected.has(key));
    if (isTurned && word !== undefined)
      return [{ kind: "roles", word, sourceWord: wordOf(other.chosen, sentence), sentence }];
  }
  return [];
}

function wordOf(keys: ReadonlySet<string>, { tokens, text }: SourceSentence): string {
  return tokens.findLast(({ key }) => keys.has(key))?.text ?? text;
}

function contrastOf(tokens: readonly Token[]): Contrast | undefined {
  const at = tokens.findIndex(
    ({ key, text }, position) =>
      (key === "not" && text.toLowerCase() === "not" && isContrastive(tokens, position)) ||
      (/^(?:rather|instead)$/.test(key) && /^(?:than|of)$/.test(tokens[position + 1]?.key ?? "")),
  );
  const word = tokens[at];
  if (word === undefined) return undefined;
  const [chosen, rejected] = [tokens.slice(0, at).filter(isContent).slice(-1), contentAfter(tokens, at)];
  if (chosen.length === 0 || rejected.length === 0 || common(contentKeys(chosen), contentKeys(rejected)) > 0)
    return undefined;
  return { word, chosen: contentKeys(chosen), rejected: contentKeys(rejected) };
}

/** Returns true for a "not" that denies a word or phrase instead of the verb: "and not by post", ", not staff". */
function isContrastive(tokens: readonly Token[], at: number): boolean {
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  if (before === undefined || after === undefined || AUXILIARY.test(before.text) || BE.test(before.text)) return false;
  return (
    (before.key === "and" || (tokens[at]?.start ?? 0) - before.end > 1) &&
    !/^(?:only|just|all|every|enough|too|so)$/.test(after.key)
  );
}

function contentAfter(tokens: readonly Token[], at: number): readonly Token[] {
  const rest = tokens.slice(at + 1, at + 7);
  const end = rest.findIndex((token, position) => position > 0 && token.start - (rest[position - 1]?.end ?? 0) > 1);
  return (end < 0 ? rest : rest.slice(0, end)).filter(isContent).slice(0, 2);
}
