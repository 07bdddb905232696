import { refuseUnknownOptions } from "../../../kernel/did-you-mean.ts";
import { isArray, typeName, withArticle, memberOf } from "../../../kernel/json/plain-data.ts";
import { escapeText, truncate } from "../../../kernel/text.ts";
import { coverageOf } from "../retrieve/coverage.ts";
import { type GroundingResult, checkedThreshold, receivedValue } from "./received-value.ts";
import { numbered, shownScore } from "./explain-grounding.ts";

/** Options for {@link toCover}. */
export interface ToCoverOptions {
  /** Minimum coverage to pass. Default: 0.80. */
  readonly threshold?: number;
  /** Path of the chunks in a step result's output. */
  readonly path?: string;
}

const MATCHER = "toCover";

/**
 * Checks that retrieved chunks cover a query. Their coverage (η₁) must reach the threshold. Chunks are strings,
 * or objects with a `text`. Throws a TypeError for other values and for an invalid threshold.
 *
 * @example
 * expect(retrieval.chunks).toCover("When was the bridge opened?");
 */
export function toCover(received: unknown, query: string, options: ToCoverOptions = {}): GroundingResult {
  refuseUnknownOptions(MATCHER, options, ["threshold", "path"]);
  const { threshold: minCoverage = 0.8, path } = options;
  const threshold = checkedThreshold(MATCHER, minCoverage);
  const chunks = chunksOf(receivedValue({ matcher: MATCHER, received, path }));
  const { score, concepts } = coverageOf(query, chunks);
  const pass = score >= threshold;
  const missing = concepts.filter(({ covered }) => !covered).map(({ text }) => escapeText(truncate(text, 40)));
  return {
    pass,
    message: () => {
      const head =
        `${MATCHER}: ${numbered(chunks.length, "chunk")} ` +
        `${chunks.length === 1 ? "covers" : "cover"} ${shownScore(score)} of the query`;
      if (pass) return `${head}; expected less than ${shownScore(threshold)}`;
      const rest = missing.length > 20 ? `, … and ${missing.length - 20} more` : "";
      return (
        `${head}, at least ${shownScore(threshold)} required\n\n  not covered: ` +
        `${missing.slice(0, 20).join(", ")}${rest}`
      );
    },
  };
}

function chunksOf(value: unknown): { readonly text: string }[] {
  if (!isArray(value)) throw invalidChunks(withArticle(typeName(value)));
  return value.map((chunk, index) => {
    const text = typeof chunk === "string" ? chunk : memberOf(chunk, "text");
    if (typeof text === "string") return { text };
    throw invalidChunks(`${withArticle(typeName(chunk))} without a text at [${index}]`);
  });
}

function invalidChunks(received: string): TypeError {
  return new TypeError(`${MATCHER} expects an array of chunks (strings, or objects with text), got ${received}.`);
}
