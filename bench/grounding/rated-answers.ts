import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

/** An answer with its sources, what people thought of it, and a published judge's score. */
export interface RatedAnswer {
  /** Begins with its task: `<task><::>…`. */
  readonly id: string;
  readonly question: string;
  readonly response: string;
  readonly source: readonly string[];
  /** How faithful three people found it, 0 to 1. */
  readonly human: number;
  readonly published: { readonly rl_f: number };
}

const rowSchema: z.ZodType<RatedAnswer> = z.object({
  id: z.string(),
  question: z.string(),
  response: z.string(),
  source: z.array(z.string()),
  human: z.number(),
  published: z.object({ rl_f: z.number() }),
});

/** Reads a JSON-lines file of rated answers; undefined where there is none. */
export function readRatedAnswers(path: string): readonly RatedAnswer[] | undefined {
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => rowSchema.parse(JSON.parse(line)));
}

/** The conversation an answer is from: its turns share their documents, so no fold may part them. */
export function taskOf({ id }: RatedAnswer): string {
  return id.split("<::>")[0] ?? id;
}
