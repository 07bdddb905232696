import { importSequentially } from "../../kernel/import-sequentially.ts";
import { codeOf, messageOf } from "../../kernel/error-message.ts";
import type * as lawsPart from "./properties-entry.ts";

/**
 * Loads the checks of properties, with the first matcher that needs them. Rejects with the command that installs
 * fast-check, an optional peer, if it is missing.
 */
export async function loadProperties(): Promise<typeof lawsPart> {
  try {
    return await importSequentially(async () => import("./properties-entry.ts"));
  } catch (thrown) {
    const missing =
      /^(?:ERR_)?MODULE_NOT_FOUND$/.test(codeOf(thrown) ?? "") && messageOf(thrown).includes("fast-check");
    if (!missing) throw thrown;
    throw new Error(
      "This matcher generates its data with fast-check 4, which isn't installed. Run: npm install -D fast-check",
      { cause: thrown },
    );
  }
}
