import { makePdf } from "../../test-support/make-pdf.ts";
import { ingest } from "../../src/extras/grounding/ingest/ingest.ts";
import { splitSentences } from "../../src/extras/grounding/text/split-sentences.ts";
import type { RatedAnswer } from "./rated-answers.ts";
import { score } from "./score.ts";

/** Milliseconds of wall time. */
export interface Speed {
  readonly perSentence: number;
  readonly hundredPages: number;
}

/**
 * Times the default verifier per answer sentence, sources indexed anew for each answer, and the reading of a PDF of
 * 100 full pages.
 */
export async function measureSpeed(rows: readonly RatedAnswer[]): Promise<Speed> {
  const sentences = rows.reduce((sum, { response }) => sum + splitSentences(response).length, 0);
  const start = performance.now();
  for (const { response, source } of rows) await score(response, source);
  const perSentence = rows.length === 0 ? 0 : (performance.now() - start) / sentences;
  return { perSentence, hundredPages: await timePdf() };
}

async function timePdf(): Promise<number> {
  const pages = Array.from({ length: 100 }, (_, page) =>
    Array.from(
      { length: 50 },
      (_, line) => `Line ${line} of page ${page} tells what the harbour office wrote down that day about ships.`,
    ).join("\n"),
  );
  const bytes = makePdf(pages);
  const start = performance.now();
  const document = await ingest({ name: "hundred.pdf", bytes });
  if (!document.ok) throw new Error(document.error.message);
  return performance.now() - start;
}
