import { ok } from "../../base/result.ts";
import type { Verifier } from "./verifier.ts";

/** The default verifier: the lexical rule alone. Needs no network, no model and no recording. */
export const lexicalVerifier: Verifier = {
  name: "lexical",
  verify: async (claims) => ok(claims.map(({ lexical }) => ({ score: lexical.score }))),
};
