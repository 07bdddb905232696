import { escapeText } from "../../base/text.ts";
import type { GroundingError } from "../grounding-error.ts";

/**
 * Throws the error of a check that could not be made: neither a pass nor a failure, so `.not` must not turn it round.
 */
export function throwGroundingError(matcher: string, { kind, code, message, cause }: GroundingError): never {
  throw new Error(`${matcher} could not check: ${escapeText(message)} (${kind}: ${escapeText(code)})`, { cause });
}
