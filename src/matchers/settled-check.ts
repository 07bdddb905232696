import type { Check } from "../check/check.ts";

/** A check after the run's mode was applied: whether it lets the test pass. */
export interface SettledCheck {
  readonly check: Check;
  readonly pass: boolean;
  /** `held` when the change is kept for review, else why it is not, where somebody could expect that it is. */
  readonly review?: "held" | { readonly refused: string } | undefined;
}
