import { type Result, err, ok } from "../../base/result.ts";
import { quote } from "../../base/text.ts";
import type { ConfiguredStep } from "../../config/load-steps.ts";
import { fitsName } from "../../settle/gates/policy-gates.ts";
import { nearestSentence } from "./nearest-words.ts";

/**
 * The steps that somebody names, `*` standing for any characters; all of them where nobody does. In the order of their
 * names. The error is one sentence on the first name that fits none.
 */
export function chooseSteps(
  steps: ReadonlyMap<string, ConfiguredStep>,
  patterns: readonly string[],
): Result<readonly ConfiguredStep[], string> {
  const names = [...steps.keys()].toSorted();
  const unknown = patterns.find((pattern) => !names.some((name) => fitsName(pattern, name)));
  if (unknown !== undefined) return err(unknownStep(unknown, names));
  const chosen = names.filter((name) => patterns.length === 0 || patterns.some((pattern) => fitsName(pattern, name)));
  return ok(chosen.flatMap((name) => steps.get(name) ?? []));
}

/** One sentence on a step that the configuration does not name. */
export function unknownStep(name: string, known: Iterable<string>): string {
  return `No step of the configuration is named ${quote(name)}. ${nearestSentence(name, known, "It names none at all.")}`;
}
