import { nameTokens } from "../../src/grounding/verify/names.ts";
import { indexSources, readSources } from "../../src/grounding/verify/sources.ts";
import { type Token, tokenize } from "../../src/grounding/text/tokenize.ts";

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

/** The ways a claim is made wrong, by name. */
export const perturbations: Readonly<Record<string, Perturbation>> = {
  "changed number": (claim, sources, pick) => {
    const index = indexSources(readSources(sources));
    const number = at(
      tokenize(claim).filter(({ kind, text }) => kind === "number" && /^\p{N}+$/u.test(text)),
      pick,
    );
    if (number === undefined) return undefined;
    const other = [7, 13, 29, 101]
      .map((add) => String(Number(number.text) + add))
      .find((text) => !index.postings.has(`#${text}`));
    return other === undefined ? undefined : replaced(claim, number, other);
  },
  "novel name": (claim, _sources, pick) => {
    const name = at(nameTokens(claim, tokenize(claim)), pick);
    return name === undefined ? undefined : replaced(claim, name, at(NOVEL_NAMES, pick) ?? "");
  },
  "added clause": (claim, _sources, pick) => `${claim.replace(/[.!]+$/, "")}, ${at(ADDED_CLAUSES, pick)}.`,
  negation: (claim) => {
    const auxiliary =
      /\b(?:is|are|was|were|can|could|will|would|may|might|should|must|has|have|had)\b(?! not|n't)/.exec(claim);
    if (auxiliary === null || /\b(?:not|no|never)\b|n't/.test(claim)) return undefined;
    const end = auxiliary.index + auxiliary[0].length;
    return `${claim.slice(0, end)} not${claim.slice(end)}`;
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
  "swapped roles": (claim) => {
    const [first, second] = nameTokens(claim, tokenize(claim));
    if (first === undefined || second === undefined || first.key === second.key || second.start <= first.end + 1)
      return undefined;
    return replaced(replaced(claim, second, first.text), first, second.text);
  },
};

function at<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(1, items.length)];
}

function replaced(text: string, { start, end }: Token, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
