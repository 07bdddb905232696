import { fieldRules } from "./field-names.ts";
import { findSpans } from "./find-spans.ts";
import { knownTextFinder } from "./known-values.ts";
import type { RedactorOptions } from "./create-redactor.ts";

/** A secret found in a text. */
export interface SecretFinding {
  readonly kind: string;
  /** Where it begins, in UTF-16 code units. */
  readonly index: number;
  readonly length: number;
  /** The secret without what makes it one: at most its first four characters, and how many there are. */
  readonly shown: string;
}

/** What is looked for beside what is recognised by itself. */
export type SecretSearch = Pick<RedactorOptions, "fields" | "keep" | "values" | "patterns">;

/**
 * Finds the secrets in any text, a JSON file's too: known shapes, fields whose name says so (also in JSON inside a JSON
 * text), headers, URLs, known values in every form. In order and apart; time grows with the text's length only. What
 * the redactor has hidden is not found again.
 */
export function findSecrets(
  text: string,
  { fields = [], keep = [], ...known }: SecretSearch = {},
): readonly SecretFinding[] {
  const search = { lookup: fieldRules(fields, keep), known: knownTextFinder(known) };
  return findSpans(text, search).map(({ start, end, kind }) => ({
    kind,
    index: start,
    length: end - start,
    shown: masked(text.slice(start, end)),
  }));
}

function masked(secret: string): string {
  const head = secret.length >= 20 ? /^[\x21-\x7e]{0,4}/.exec(secret)?.[0] : "";
  return `${head}… (${secret.length} characters)`;
}
