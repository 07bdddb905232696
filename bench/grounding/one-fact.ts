import { readFileSync } from "node:fs";
import { z } from "zod";
import { isHeldOut } from "./held-out.ts";
import { toBeGroundedIn } from "../../src/extras/grounding/checks/to-be-grounded-in.ts";

/** Source of a passage, an answer in other words, errors as replacements in either, and further right answers. */
const passageSchema = z.object({
  id: z.string(),
  source: z.string(),
  answer: z.string(),
  errors: z.array(z.tuple([z.string(), z.string(), z.string()])),
  right: z.array(z.tuple([z.string(), z.string()])),
});

/** Answer with the verdict that the matcher should give at its defaults. */
export interface OneFactAnswer {
  readonly id: string;
  /** Kind of the error, or of the right answer. */
  readonly kind: string;
  readonly source: string | readonly string[];
  readonly text: string;
  readonly isRight: boolean;
  /** True for answers that weren't looked at while rules were written. */
  readonly isHeldOut: boolean;
}

/** Reads the hand-written answers: copies and rewordings of a passage with one wrong fact, and right answers. */
export function readOneFactAnswers(): readonly OneFactAnswer[] {
  const file = new URL("../../fixtures/grounding/one-fact-answers.jsonl", import.meta.url);
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .flatMap((line) => {
      const { id, source, answer, errors, right } = passageSchema.parse(JSON.parse(line));
      const wrong = errors.flatMap(([kind, from, to]) =>
        [source, answer]
          .filter((text) => text.includes(from))
          .map((text) => ({ kind, text: text.replace(from, to), isRight: false })),
      );
      const rights = [["verbatim", source], ["paraphrase", answer], ...right].map(([kind = "", text = ""]) => ({
        kind,
        text,
        isRight: true,
      }));
      return [...wrong, ...rights].map((each) => ({ id, source, isHeldOut: isHeldOut(id), ...each }));
    });
}

/** Sets of answers, of which the second is held out. */
const HALVES = {
  others: ["a", "b"],
  unread: ["c", "d"],
  promise: ["e", "f"],
  unseen: ["g", "h"],
} as const;

const setSchema = z.object({
  author: z.enum(Object.values(HALVES).flat()),
  sources: z.array(z.string()),
  answers: z.array(z.tuple([z.enum(["right", "wrong"]), z.string(), z.string()])),
});

/**
 * Reads the answers of two other authors who hadn't seen the rules (`others`), those which a later author of the rules
 * wrote before reading them (`unread`), or those of two authors who knew only what the matcher promises (`promise`,
 * `unseen`). The second half of each is held out, except that of `promise`, with which rules were written later.
 */
export function readOtherAuthors(half: keyof typeof HALVES): readonly OneFactAnswer[] {
  const file = new URL("../../fixtures/grounding/other-authors.jsonl", import.meta.url);
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .flatMap((line, at) => {
      const { author, sources, answers } = setSchema.parse(JSON.parse(line));
      if (author !== HALVES[half][0] && author !== HALVES[half][1]) return [];
      return answers.map(([verdict, kind, text]) => ({
        id: `${author}${at}`,
        kind,
        source: sources,
        text,
        isRight: verdict === "right",
        isHeldOut: author === HALVES[half][1],
      }));
    });
}

/** Share of answers of one kind on which the matcher is right. */
export interface KindRate {
  readonly kind: string;
  readonly count: number;
  readonly correct: number;
}

/** Returns true if the default matcher gives the expected verdict. */
async function isJudgedRight({ text, source, isRight }: OneFactAnswer): Promise<boolean> {
  return (await toBeGroundedIn(text, source)).pass === isRight;
}

/** Measures the default matcher on answers, by kind. */
export async function measureOneFact(answers: readonly OneFactAnswer[]): Promise<readonly KindRate[]> {
  const rates = new Map<string, { count: number; correct: number }>();
  for (const answer of answers) {
    const rate = rates.get(answer.kind) ?? { count: 0, correct: 0 };
    rates.set(answer.kind, rate);
    rate.count += 1;
    if (await isJudgedRight(answer)) rate.correct += 1;
  }
  return [...rates].map(([kind, rate]) => ({ kind, ...rate }));
}
