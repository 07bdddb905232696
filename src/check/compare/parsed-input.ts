import { cloneData } from "../../kernel/json/plain-data.ts";
import { hashText, hashWithContentSync } from "../../kernel/json/hash.ts";
import { decode } from "../../record/encode/decode.ts";
import { encode } from "../../record/encode/encode.ts";
import { firstArtifact } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { redactedHash, inOrderOfSecrets } from "../../redact/placeholder.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { parseWith } from "../../kernel/step/schema.ts";

/** Kind of the artifact that stores how an input was parsed. It separates a changed schema from changed code. */
export const PARSED_INPUT = "parsed-input";
/** Characters of canonical JSON beyond which only the hash is stored: a trimmed document must not be stored twice. */
const MAX_CONTENT = 16_384;

/** A baseline's input as parsed at capture. */
export interface CapturedInput {
  /** Hash as `parsedHash` returns it. */
  readonly hash: string;
  /** Creates the parsed value on each call; undefined if only its hash is stored. */
  readonly value: (() => unknown) | undefined;
}

/**
 * Creates the artifact of an input as a step's schema parses it, without content if that equals the input. Undefined if
 * the schema refuses the input or its value can't be stored: then the cause stays unknown.
 */
export async function parsedInputArtifact(
  step: AnyStep,
  input: unknown,
  inputHash: string,
): Promise<Artifact | undefined> {
  const parsed = await parseWith(step.inputSchema, cloneData(input));
  if (!parsed.ok) return undefined;
  const encoded = encodedHash(parsed.value);
  if (encoded === undefined) return undefined;
  const { hash, content } = encoded;
  // An artifact's hash must match its content. Without content, it's the hash that `parsedHash` returns, in which the
  // numbers of secrets don't count.
  const comparableHash = hashText(inOrderOfSecrets(content));
  if (comparableHash === inputHash || content.length > MAX_CONTENT) return { hash: comparableHash, kind: PARSED_INPUT };
  const copy: unknown = JSON.parse(content);
  return { hash, kind: PARSED_INPUT, content: copy };
}

/** Reads how a snapshot's input was parsed; undefined for one captured from a result or by an older version. */
export function capturedInput(snapshot: Snapshot): CapturedInput | undefined {
  const artifact = firstArtifact(snapshot, PARSED_INPUT);
  if (artifact === undefined) return undefined;
  const { hash, content } = artifact;
  if (content !== undefined) return { hash: redactedHash(content), value: () => decode(content) };
  return { hash, value: hash === snapshot.inputHash ? () => cloneData(snapshot.input) : undefined };
}

/**
 * Returns true for a baseline of a result, or of an older version: its step may have made calls that aren't recorded.
 * Without recorded calls, any other baseline is of a step that made none.
 */
export function mayLackCalls({ artifacts }: Pick<Snapshot, "artifacts">): boolean {
  return artifacts.every(({ kind }) => kind !== PARSED_INPUT && kind !== "adapter-call");
}

/**
 * Returns the hash of a parsed input, in which the numbers of secrets don't count; undefined if the value can't be
 * stored.
 */
export function parsedHash(parsed: unknown): string | undefined {
  const encoded = encodedHash(parsed);
  return encoded && hashText(inOrderOfSecrets(encoded.content));
}

function encodedHash(value: unknown): ReturnType<typeof hashWithContentSync> | undefined {
  try {
    return hashWithContentSync(encode(value));
  } catch {
    // A schema may transform an input into any value, such as a function.
    return undefined;
  }
}
