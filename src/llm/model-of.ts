import type { LLMRequest } from "./request.ts";

/** The model a request names, else the adapter's default. Throws a TypeError when there is neither. */
export function modelOf({ model }: LLMRequest, fallback: string | undefined): string {
  const found = model ?? fallback;
  if (found !== undefined && found !== "") return found;
  throw new TypeError("The request names no model, and the adapter has no default. Give one of them a model.");
}
