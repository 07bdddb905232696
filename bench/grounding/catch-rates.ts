import { factsOf } from "../../src/extras/grounding/verify/facts.ts";
import { lexicalScore } from "../../src/extras/grounding/verify/lexical-score.ts";
import { type SourceIndex, indexSources, readSources } from "../../src/extras/grounding/verify/sources.ts";
import { perturbations } from "./perturb.ts";
import { type RatedAnswer, taskOf } from "./rated-answers.ts";

const THRESHOLD = 0.7;
const GROUNDED = 0.85;
/** From this mean rating on people count as having found an answer faithful. */
const FAITHFUL = 0.8;
/** Of the sentences of the sources, every second is made wrong. */
const EVERY = 2;

/** How many true claims fail once they are made wrong in one way; of tasks looked at, and of tasks held out. */
export interface CatchRate {
  readonly perturbation: string;
  readonly looked: Count;
  readonly held: Count;
}

/** Claims of answers and sentences of the sources, and how many of each fail. */
export interface Count {
  readonly claims: number;
  readonly caught: number;
  readonly sentences: number;
  readonly sentencesCaught: number;
}

/** What perturbation shows: what is caught, and what fails though it is true. */
export interface CatchRates {
  readonly rates: readonly CatchRate[];
  /** The share of claims of faithful answers that defects bring below 0.70. */
  readonly falseAlarms: number;
  /** The share of sentences of the sources that stay at 0.85 or more, as they are and with their sources reordered. */
  readonly verbatim: number;
  readonly reordered: number;
}

interface TrueClaim {
  readonly text: string;
  readonly row: RatedAnswer;
  readonly index: SourceIndex;
  readonly held: boolean;
  readonly place: number;
  readonly ofSource: boolean;
}

/** Makes claims that are true wrong, one way at a time: those of faithful answers, and the sources' own sentences. */
export function measureCatchRates(rows: readonly RatedAnswer[]): CatchRates {
  const claims = trueClaims(rows);
  const answers = claims.filter(({ ofSource }) => !ofSource);
  const supported = claims.filter((claim) => !isCaught(claim));
  const sentences = claims.filter(({ ofSource }) => ofSource);
  const share = (some: readonly TrueClaim[], test: (claim: TrueClaim) => boolean): number =>
    some.filter(test).length / some.length;
  return {
    rates: Object.entries(perturbations).map(([perturbation, perturb]) => {
      const wrong = supported.flatMap((claim) => {
        const text = perturb(claim.text, claim.row.source, claim.place);
        return text === undefined || text === claim.text ? [] : [{ ...claim, text }];
      });
      return {
        perturbation,
        looked: countOf(wrong.filter(({ held }) => !held)),
        held: countOf(wrong.filter(({ held }) => held)),
      };
    }),
    falseAlarms: share(answers, isAlarm),
    verbatim: share(sentences, ({ text, index }) => lexicalScore(text, index).score >= GROUNDED),
    reordered: share(sentences, ({ text, row }) => {
      const index = indexSources(readSources(row.source.toReversed()));
      return lexicalScore(text, index).score >= GROUNDED;
    }),
  };
}

function isCaught({ text, index }: TrueClaim): boolean {
  return lexicalScore(text, index).score < THRESHOLD;
}

/** A claim that people find supported and that fails by more than words that are missing. */
function isAlarm({ text, index }: TrueClaim): boolean {
  const { score, conflicts, strayNames, antonyms, negationOnlyInClaim } = lexicalScore(text, index);
  return score < THRESHOLD && (negationOnlyInClaim || conflicts.length + strayNames.length + antonyms.length > 0);
}

function countOf(wrong: readonly TrueClaim[]): Count {
  const claims = wrong.filter(({ ofSource }) => !ofSource);
  const sentences = wrong.filter(({ ofSource }) => ofSource);
  return {
    claims: claims.length,
    caught: claims.filter(isCaught).length,
    sentences: sentences.length,
    sentencesCaught: sentences.filter(isCaught).length,
  };
}

function trueClaims(rows: readonly RatedAnswer[]): TrueClaim[] {
  const tasks = [...new Set(rows.map(taskOf))];
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const index = indexSources(readSources(row.source));
    const held = tasks.indexOf(taskOf(row)) % 2 === 1;
    const answers = factsOf(row.response)
      .filter(({ kind }) => row.human >= FAITHFUL && kind === "claim")
      .map(({ text }, place): TrueClaim => ({ text, row, index, held, place, ofSource: false }));
    const sentences = index.sentences
      .filter(({ text }) => /^\p{Lu}.{38,260}\.$/u.test(text) && !seen.has(text))
      .map(({ text }, place): TrueClaim => ({ text, row, index, held, place, ofSource: true }))
      .filter(({ place }) => place % EVERY === 0);
    for (const { text } of sentences) seen.add(text);
    return [...answers, ...sentences];
  });
}
