import { type GroundingError, groundingError } from "../grounding-error.ts";

/** Why a document is refused. */
export interface Refusal {
  readonly code: string;
  /** What was found and what to do, after `Cannot ingest …: `. */
  readonly why: string;
  readonly cause?: unknown;
}

/** The error of a document that cannot be ingested; `name` is what its messages call it. */
export function refuseDocument(name: string, { code, why, cause }: Refusal): GroundingError {
  const message = `Cannot ingest ${name}: ${why}`;
  return groundingError({
    kind: "validation",
    code,
    message,
    operation: "ingest",
    input: name,
    ...(cause === undefined ? {} : { cause }),
  });
}
