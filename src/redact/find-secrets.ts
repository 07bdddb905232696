import { fieldRules } from "./field-names.ts";
import { findSpans } from "./find-spans.ts";
import { knownTextFinder } from "./known-values.ts";
import type { RedactorOptions } from "./create-redactor.ts";

/** Secret that was found in a string. */
export interface SecretFinding {
  readonly kind: string;
  /** Index of its start, in UTF-16 code units. */
  readonly index: number;
  readonly length: number;
  /** Shortened secret: at most its first four characters, and its length. */
  readonly shown: string;
}

/** Secrets to find in addition to those that are recognized. */
export type SecretSearch = Pick<RedactorOptions, "fields" | "keep" | "values" | "patterns">;

/**
 * Finds the secrets in a text, which can also be JSON: strings in the form of known secrets, fields with a secret name,
 * headers, URLs, and known values in every encoding. Returns them in order and without overlap. It doesn't report
 * redacted secrets again.
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
