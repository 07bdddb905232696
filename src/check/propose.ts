import type { HashedContent } from "../base/hash.ts";
import { type Baseline, groupOf } from "../baseline/baseline.ts";
import type { StoredCase } from "../baseline/library.ts";
import type { Proposal } from "../baseline/proposal.ts";
import { readBack } from "../baseline/read-back.ts";
import { serializeBaseline } from "../baseline/serialize-baseline.ts";

/**
 * The proposal that puts `baseline` where `place` says: an addition when nothing is stored there yet, else an update.
 * `known` is the canonical JSON of a value's baseline with its hash, where they were made already. Throws a TypeError
 * for content that would not read back as it is.
 */
export function proposalOf(
  baseline: Baseline,
  place: {
    readonly root: string;
    readonly path: string;
    readonly stored: StoredCase | undefined;
    readonly known?: HashedContent | undefined;
  },
): Proposal {
  const { root, path, stored, known } = place;
  const after = serializeBaseline(baseline, known);
  const problem = readBack(after, known);
  if (problem !== undefined) throw new TypeError(`it would not read back: ${problem}.`);
  return {
    kind: stored === undefined ? "add" : "update",
    root,
    path,
    group: groupOf(baseline),
    before: stored?.text,
    after,
  };
}
