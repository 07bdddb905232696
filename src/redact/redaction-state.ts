import { isPlainObject } from "../kernel/json/plain-data.ts";
import { sharedValue } from "../kernel/shared-value.ts";
import type { Redactor, RedactorOptions } from "./create-redactor.ts";

/** Parts of this process's redactor. */
export interface RedactionState {
  options: RedactorOptions;
  /** Made at first use. */
  redactor: Redactor | undefined;
  /** Hides the secrets in a report of a recorded result; set once the redactor is loaded. */
  hide?: (value: unknown, result: object) => unknown;
}

/** The state of this process. A separate module, because set-up files load it and not the redactor. */
export const redactionState: () => RedactionState = sharedValue("redaction", isRedactionState, () => ({
  options: {},
  redactor: undefined,
}));

function isRedactionState(value: unknown): value is RedactionState {
  return isPlainObject(value) && "options" in value && "redactor" in value;
}
