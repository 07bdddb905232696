import { type Token, tokenize } from "../../src/extras/grounding/text/tokenize.ts";
import { nameTokens } from "../../src/extras/grounding/verify/frames.ts";

/** Makes a supported claim wrong in one way; undefined where the claim offers no place for it. */
export type Perturbation = (claim: string, sources: readonly string[], pick: number) => string | undefined;

const NOVEL_NAMES = ["Varkesh", "Thornbury", "Okonedo", "Quillfax", "Brannigan"];

const ADDED_CLAUSES = [
  "which was first proposed by fishermen in a coastal village",
  "because the inspectors had complained about the noise",
  "and the remaining furniture was auctioned to collectors",
  "after a lengthy dispute between rival orchestras",
  "although critics dismissed the sculpture as vulgar",
];

/** Units that are taken for one another; one of a line becomes the next. */
const UNITS = [
  ["second", "minute", "hour", "day", "week", "month", "year", "decade", "century"],
  ["seconds", "minutes", "hours", "days", "weeks", "months", "years", "decades", "centuries"],
  ["inches", "feet", "yards", "miles", "kilometers", "meters"],
  ["mile", "kilometer", "meter", "foot"],
  ["pounds", "tons", "grams", "kilograms"],
  ["MB", "GB", "TB", "KB"],
  ["percent", "dollars", "euros"],
  ["%", " dollars"],
  ["$", "€"],
];

/** Opposites of the generator's own; other pairs than those of a lexicon are given beside them. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ["increase", "decrease"],
  ["increases", "decreases"],
  ["increased", "decreased"],
  ["allow", "forbid"],
  ["allows", "forbids"],
  ["allowed", "forbidden"],
  ["required", "optional"],
  ["before", "after"],
  ["more", "less"],
  ["higher", "lower"],
  ["high", "low"],
  ["large", "small"],
  ["early", "late"],
  ["include", "exclude"],
  ["includes", "excludes"],
  ["accept", "reject"],
  ["accepted", "rejected"],
  ["open", "closed"],
  ["opened", "closed"],
  ["began", "ended"],
  ["start", "stop"],
  ["won", "lost"],
  ["win", "lose"],
  ["support", "oppose"],
  ["supports", "opposes"],
  ["supported", "opposed"],
  ["public", "private"],
  ["first", "last"],
  ["best", "worst"],
  ["good", "bad"],
  ["positive", "negative"],
  ["success", "failure"],
  ["successful", "unsuccessful"],
  ["possible", "impossible"],
  ["available", "unavailable"],
  ["able", "unable"],
  ["legal", "illegal"],
  ["provide", "withhold"],
  ["provides", "withholds"],
  ["reduce", "increase"],
  ["reduces", "increases"],
  ["reduced", "increased"],
  ["improve", "worsen"],
  ["improves", "worsens"],
  ["add", "remove"],
  ["added", "removed"],
  ["create", "destroy"],
  ["created", "destroyed"],
  ["enable", "disable"],
  ["enables", "disables"],
  ["remember", "forget"],
  ["join", "leave"],
  ["joined", "left"],
  ["strong", "weak"],
  ["easy", "difficult"],
  ["important", "unimportant"],
  ["common", "rare"],
  ["new", "old"],
  ["north", "south"],
  ["east", "west"],
  ["northern", "southern"],
  ["eastern", "western"],
  ["major", "minor"],
  ["major", "minor"],
  ["protect", "endanger"],
  ["help", "hinder"],
  ["helps", "hinders"],
  ["approve", "refuse"],
  ["approved", "refused"],
  ["buy", "sell"],
  ["bought", "sold"],
  ["long", "short"],
  ["full", "empty"],
  ["inside", "outside"],
  ["internal", "external"],
  ["safe", "dangerous"],
  ["male", "female"],
  ["always", "never"],
  ["same", "different"],
  ["maximum", "minimum"],
  ["most", "least"],
  ["upper", "lower"],
  ["rise", "fall"],
  ["rose", "fell"],
  ["encourage", "discourage"],
  ["encouraged", "discouraged"],
  ["agree", "disagree"],
  ["agreed", "disagreed"],
  ["attack", "defend"],
  ["advantage", "disadvantage"],
  ["send", "receive"],
  ["free", "paid"],
  ["simple", "complex"],
  ["fast", "slow"],
  ["often", "rarely"],
  ["near", "far"],
  ["single", "multiple"],
  ["active", "inactive"],
  ["permanent", "temporary"],
];

/** The ways a claim is made wrong, by name. */
export const perturbations: Readonly<Record<string, Perturbation>> = {
  digit: (claim, _sources, pick) => {
    const number = at(numbersOf(claim), pick);
    if (number === undefined) return undefined;
    const digits = [...number.text.matchAll(/\d/g)].map(({ index }) => index);
    const place = at(digits, pick) ?? 0;
    const digit = (Number(number.text[place]) + 1 + (pick % 8)) % 10;
    return replaced(claim, number, `${number.text.slice(0, place)}${digit}${number.text.slice(place + 1)}`);
  },
  "new name": (claim, _sources, pick) => {
    const name = at(nameTokens(claim, tokenize(claim)), pick);
    return name === undefined ? undefined : replaced(claim, name, at(NOVEL_NAMES, pick) ?? "");
  },
  "added clause": (claim, _sources, pick) => `${claim.replace(/[.!]+$/, "")}, ${at(ADDED_CLAUSES, pick)}.`,
  "negation added": (claim) => {
    const auxiliary =
      /\b(?:is|are|was|were|can|could|will|would|may|might|should|must|has|have|had)\b(?! not|n't)/.exec(claim);
    if (auxiliary === null || /\b(?:not|no|never)\b|n't/.test(claim)) return undefined;
    const end = auxiliary.index + auxiliary[0].length;
    return `${claim.slice(0, end)} not${claim.slice(end)}`;
  },
  "fails to": (claim) => {
    const modal = /\b(?:can|will|helps?(?: to)?|able to)\s+(?!not\b)(?=\p{Ll}{3})/u.exec(claim);
    if (modal === null || /\b(?:not|no|never)\b|n't/.test(claim)) return undefined;
    const by = modal[0].startsWith("able") ? "unable to " : "fails to ";
    return claim.slice(0, modal.index) + by + claim.slice(modal.index + modal[0].length);
  },
  "negation removed": (claim) => {
    const without = claim
      .replace(/\b(can)not\b/i, "$1")
      .replace(/\b(?:wo)n['’]t\b/i, "will")
      .replace(/\bcan['’]t\b/i, "can")
      .replace(/n['’]t\b/i, "");
    if (without !== claim) return without;
    const bare = claim.replace(/ (?:not|never|no longer)\b(?! only)/, "");
    if (bare !== claim) return bare;
    const some = claim.replace(/\b([Nn])o (?=\p{Ll})/u, (_, letter: string) => (letter === "N" ? "Some " : "some "));
    return some === claim ? undefined : some;
  },
  "same-source number": (claim, sources, pick) => {
    const number = at(numbersOf(claim), pick);
    const own = new Set(tokenize(claim).map(({ key }) => key));
    const others = sources.flatMap((source) => numbersOf(source).filter(({ key }) => !own.has(key)));
    const other = at(others, pick * 7 + 3);
    return number === undefined || other === undefined ? undefined : replaced(claim, number, other.text);
  },
  "same-source name": (claim, sources, pick) => {
    const name = at(nameTokens(claim, tokenize(claim)), pick);
    const own = new Set(tokenize(claim).map(({ key }) => key));
    const others = sources.flatMap((source) =>
      nameTokens(source, tokenize(source)).filter(({ key, text }) => !own.has(key) && /^\p{Lu}\p{Ll}+$/u.test(text)),
    );
    const other = at(others, pick);
    return name === undefined || other === undefined ? undefined : replaced(claim, name, other.text);
  },
  unit: (claim, _sources, pick) => {
    for (const line of UNITS) {
      for (const [index, unit] of line.entries()) {
        const other = line[(index + 1 + (pick % (line.length - 1))) % line.length] ?? "";
        const amount = String.raw`\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten`;
        const pattern =
          unit === "$"
            ? /\$(?=\d)/
            : new RegExp(String.raw`(?<=\b(?:${amount})[ -]?)${unit}${/\w$/.test(unit) ? String.raw`\b` : ""}`);
        if (pattern.test(claim)) return claim.replace(pattern, other);
      }
    }
    return undefined;
  },
  sign: (claim, _sources, pick) => {
    const amounts = numbersOf(claim).filter(
      ({ start, end, text }) =>
        !/[-–$€£]$/.test(claim.slice(0, start)) && !/^[-–:/]/.test(claim.slice(end)) && !text.includes(":"),
    );
    const number = at(amounts, pick);
    return number === undefined || !/(?:^|\s)$/.test(claim.slice(0, number.start))
      ? undefined
      : replaced(claim, number, `-${number.text}`);
  },
  hedge: (claim) => {
    const modal = claim.replace(/\b(?:may|might|could)\b(?= (?!not\b|be able)\p{Ll})/u, "will");
    if (modal !== claim) return modal;
    const firm = claim.replace(
      /\b(?:usually|often|sometimes|generally|typically|probably|possibly|potentially)\b/,
      "always",
    );
    return firm === claim ? undefined : firm;
  },
  "condition dropped": (claim) => {
    const tail = claim.replace(
      /,? (?:only )?(?:if|unless|until|provided that|as long as|except|when) [^,.;]{8,}(?=[.;]?$)/,
      "",
    );
    if (tail !== claim) return tail;
    const head = claim.replace(/^(?:If|Unless|Until|When) [^,]{8,}, (\p{L})/u, (_, letter: string) =>
      letter.toUpperCase(),
    );
    return head === claim ? undefined : head;
  },
  "opposite word": (claim, _sources, pick) => oppositeBy(claim, OPPOSITES, pick),
  "swapped roles": (claim) => {
    const [first, second] = nameTokens(claim, tokenize(claim));
    if (first === undefined || second === undefined || first.key === second.key || second.start <= first.end + 1)
      return undefined;
    return replaced(replaced(claim, second, first.text), first, second.text);
  },
};

/** Puts a word's opposite in its place, by pairs of words that are each other's. */
function oppositeBy(claim: string, pairs: readonly (readonly [string, string])[], pick: number): string | undefined {
  const map = new Map(pairs.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]));
  const places = [...claim.matchAll(/\p{Ll}{3,}/gu)].filter(([word]) => map.has(word));
  const place = at(places, pick);
  if (place === undefined) return undefined;
  return claim.slice(0, place.index) + (map.get(place[0]) ?? "") + claim.slice(place.index + place[0].length);
}

function numbersOf(text: string): Token[] {
  return tokenize(text).filter(
    ({ kind, text: written }) => kind === "number" && /^\d[\d,]*(?:\.\d+|:\d\d)?$/.test(written),
  );
}

function at<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(1, items.length)];
}

function replaced(text: string, { start, end }: Token, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
