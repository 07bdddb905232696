import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

const rowSchema = z.object({
  question: z.string(),
  response: z.string(),
  source: z.array(z.string()),
  /** How faithful three people found it, 0 to 1. */
  human: z.number(),
  published: z.object({ rl_f: z.number() }),
});

/** An answer with its sources, what people thought of it, and a published judge's score. */
export type RatedAnswer = z.infer<typeof rowSchema>;

/** Reads a JSON-lines file of rated answers; undefined where there is none. */
export function readRatedAnswers(path: string): readonly RatedAnswer[] | undefined {
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => rowSchema.parse(JSON.parse(line)));
}
