import { type Result, err, ok } from "../../base/result.ts";
import { quote } from "../../base/text.ts";
import type { ConfiguredStep } from "../../config/load-steps.ts";
import type { BaseAdapters } from "../../step/context.ts";
import { messageOf } from "../../base/thrown.ts";

/**
 * Today's adapters of a step; undefined where the configuration gives it none, one sentence where they cannot be made.
 */
export async function makeAdapters({
  step,
  adapters,
}: ConfiguredStep): Promise<Result<BaseAdapters | undefined, string>> {
  try {
    return ok(await adapters?.());
  } catch (thrown) {
    return err(`The adapters of step ${quote(step.name)} cannot be made: ${messageOf(thrown)}`);
  }
}
