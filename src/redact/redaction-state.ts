import { isPlainObject } from "../kernel/json/plain-data.ts";
import type { Redactor, RedactorOptions } from "./create-redactor.ts";

/** One for all copies of this module: a set-up file and a test may load the package in two formats. */
const SHARED = Symbol.for("veritest.redaction");

/** Parts of this process's redactor. */
export interface RedactionState {
  options: RedactorOptions;
  /** Made at first use. */
  redactor: Redactor | undefined;
  /** Hides the secrets in a report of a recorded result; set once the redactor is loaded. */
  hide?: (value: unknown, result: object) => unknown;
}

/** The state of this process. A separate module, because set-up files load it and not the redactor. */
export function redactionState(): RedactionState {
  const known: unknown = Reflect.get(globalThis, SHARED);
  if (isRedactionState(known)) return known;
  const fresh: RedactionState = { options: {}, redactor: undefined };
  Reflect.set(globalThis, SHARED, fresh);
  return fresh;
}

function isRedactionState(value: unknown): value is RedactionState {
  return isPlainObject(value) && "options" in value && "redactor" in value;
}
