import type { Check } from "../check/check.ts";
import { httpRequestOf } from "../record/model-call.ts";
import type { TestToRerun } from "./test-session.ts";

/** Returns how to name a test if a live run records its unrecorded request; otherwise undefined. */
export function testToRerun(check: Check, rerun: string): TestToRerun | undefined {
  const { verdict } = check;
  if (verdict.kind !== "request_changed" || check.update !== undefined || hasVaryingRequest(check)) return undefined;
  const { origin = "" } = httpRequestOf(verdict.unrecorded) ?? {};
  return { rerun, ...(origin !== "" && { origin }) };
}

/** Returns true if the step sends another request in each run: a recording would not help. */
export function hasVaryingRequest({ verdict }: Check): boolean {
  const evidence = "cause" in verdict ? (verdict.cause?.evidence ?? []) : [];
  return evidence.some((each) => each.kind === "code" && each.varying !== undefined);
}
