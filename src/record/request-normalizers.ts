import { types } from "node:util";
import { sharedValue } from "../kernel/shared-value.ts";
import type { NormalizeRequest } from "../redact/check-rules.ts";

/** Normalizes the requests of a recorder from now on; undefined removes its function. */
export function setRequestNormalizer(recorder: string, normalize: NormalizeRequest | undefined): void {
  if (normalize === undefined) normalizers().delete(recorder);
  else normalizers().set(recorder, normalize);
}

/** Returns the function that normalizes the requests of an adapter's recorder. */
export function normalizerOf(adapter: string): NormalizeRequest | undefined {
  const normalize = normalizers().get(adapter);
  return isNormalizer(normalize) ? normalize : undefined;
}

function isNormalizer(value: unknown): value is NormalizeRequest {
  return typeof value === "function";
}

/** The normalizers by recorder. The recorder of `fetch` may have its own copy of this module. */
const normalizers = sharedValue("request-normalizers", types.isMap, () => new Map<unknown, unknown>());
