import { types } from "node:util";
import type { NormalizeRequest } from "../redact/check-rules.ts";

/** Key of the normalizers in all copies of this module: the recorder of `fetch` may have its own copy. */
const KEY = Symbol.for("veritest.request-normalizers");

/** Normalizes the requests of a recorder from now on; undefined removes its function. */
export function setRequestNormalizer(recorder: string, normalize: NormalizeRequest | undefined): void {
  const known = installed() ?? new Map<unknown, unknown>();
  if (normalize === undefined) known.delete(recorder);
  else known.set(recorder, normalize);
  Reflect.set(globalThis, KEY, known);
}

/** Returns the function that normalizes the requests of an adapter's recorder. */
export function normalizerOf(adapter: string): NormalizeRequest | undefined {
  const normalize = installed()?.get(adapter);
  return isNormalizer(normalize) ? normalize : undefined;
}

function isNormalizer(value: unknown): value is NormalizeRequest {
  return typeof value === "function";
}

function installed(): Map<unknown, unknown> | undefined {
  const known: unknown = Reflect.get(globalThis, KEY);
  return types.isMap(known) ? known : undefined;
}
