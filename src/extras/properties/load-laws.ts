import { importInTurn } from "../../kernel/import-in-turn.ts";
import { codeOf, messageOf } from "../../kernel/thrown.ts";
import type * as lawsPart from "./laws-part.ts";

/**
 * Loads what holds steps to laws, with the first matcher that does. Rejects with the command that installs fast-check,
 * an optional peer, if that is missing.
 */
export async function loadLaws(): Promise<typeof lawsPart> {
  try {
    return await importInTurn(async () => import("./laws-part.ts"));
  } catch (thrown) {
    const missing =
      /^(?:ERR_)?MODULE_NOT_FOUND$/.test(codeOf(thrown) ?? "") && messageOf(thrown).includes("fast-check");
    if (!missing) throw thrown;
    throw new Error(
      "This matcher draws its data with fast-check 4, which is not installed: npm install -D fast-check",
      { cause: thrown },
    );
  }
}
