import type { VariableName } from "./environment.ts";
import { KEYS } from "./placeholder-keys.ts";

/** Variables that get a placeholder. */
export const KEY_VARIABLES: readonly VariableName[] = KEYS.map(([key]) => key);

/** Code of the failure of a run that would have sent a request with a placeholder instead of a key. */
export const KEY_MISSING = "key_missing";

/** Advice to set the keys that the set-up replaces: the rest of a sentence. */
export const SET_KEY: string = `set the provider's key (${KEY_VARIABLES.join(", ")})`;

/** Message of such a request. It isn't sent. */
export const NO_KEY: string =
  "This request wasn't sent, because its API key is only veritest's placeholder for replays. " +
  `To record it, ${SET_KEY}.`;
