import { type HashedContent, hashValueSync } from "../base/hash.ts";
import { isPlainObject } from "../base/plain-data.ts";
import { inputHashOf } from "../record/snapshot.ts";
import { artifactProblem } from "../record/read-snapshot.ts";
import type { Baseline } from "./baseline.ts";
import { readFields } from "./read-fields.ts";
import { isWrittenAs } from "./serialize-baseline.ts";
import { snapshotOf } from "./snapshot-of.ts";

/**
 * Reads the text of a baseline back before it is written: a phrase on why the next run would refuse it, or undefined.
 * What JSON changes (a NaN in `meta`) and what others vouch for (an adapter's own artifact hash) shows only here.
 * `known` is what was hashed for it in this process: what reads back as that very text has that very hash.
 */
export function readBack(text: string, known?: HashedContent): string | undefined {
  const fields: unknown = JSON.parse(text);
  const baseline = isPlainObject(fields) ? readFields(fields) : "it holds no JSON object";
  return typeof baseline === "string" ? baseline : hashProblem(baseline, known);
}

function hashProblem(baseline: Baseline, known: HashedContent | undefined): string | undefined {
  if (baseline.kind === "value") {
    if (known !== undefined && baseline.hash === known.hash && isWrittenAs(baseline.value, known)) return undefined;
    return hashValueSync(baseline.value) === baseline.hash ? undefined : '"hash" is not that of "value"';
  }
  if (inputHashOf(baseline.input) !== baseline.inputHash) return '"inputHash" is not that of "input"';
  return snapshotOf(baseline)
    .artifacts.map(artifactProblem)
    .find((problem) => problem !== undefined);
}
