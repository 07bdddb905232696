import type { CallChange } from "../../record/calls/diff-calls.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { inOrderOfSecrets } from "../../redact/placeholder.ts";
import type { Evidence, RequestChange } from "./cause.ts";

/** Returns calls that differ from the recorded ones only in which of the hidden secrets they send. */
export function secretChanges(changes: readonly CallChange[]): readonly RequestChange[] {
  return changes.flatMap((change): RequestChange[] =>
    change.kind === "changed" && change.entries.every(isOtherSecret)
      ? [{ kind: "changed", adapter: change.adapter, entries: change.entries }]
      : [],
  );
}

function isOtherSecret({ before, after }: DiffEntry): boolean {
  if (typeof before !== "string" || typeof after !== "string" || before === after) return false;
  return inOrderOfSecrets(before) === inOrderOfSecrets(after);
}

/**
 * Returns the evidence of other secrets; empty without any. A replay has a response for them, because a request is
 * identified without its secrets: no run on recorded responses shows the difference.
 */
export function secretEvidence(calls: readonly RequestChange[]): Evidence[] {
  return calls.length === 0 ? [] : [{ kind: "code", entries: [], calls, hasOtherSecrets: true }];
}
