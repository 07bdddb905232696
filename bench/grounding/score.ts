import type { Verification } from "../../src/extras/grounding/verify/verification.ts";
import { verifyGrounding } from "../../src/extras/grounding/verify/verify-grounding.ts";
import type { Sources } from "../../src/extras/grounding/verify/sources.ts";

/** Verifies by the default rule, all facts; throws what would be an error value, because a bench has no use for it. */
export async function score(response: string, sources: Sources): Promise<Verification<string>> {
  const verified = await verifyGrounding(response, sources, { config: { maxFacts: 1000 } });
  if (!verified.ok) throw new Error(verified.error.message);
  return verified.value;
}
