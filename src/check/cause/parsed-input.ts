import { cloneData } from "../../kernel/json/clone-data.ts";
import { hashText, hashWithContentSync } from "../../kernel/json/hash.ts";
import { decode } from "../../record/encode/decode.ts";
import { encode } from "../../record/encode/encode.ts";
import { firstArtifact } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { hiddenHash, inOrderOfSecrets } from "../../redact/placeholder.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { parseWith } from "../../kernel/step/schema.ts";

/** The artifact that says how a stored input was parsed: what tells a changed schema from changed code. */
const KIND = "parsed-input";
/** Characters of canonical JSON beyond which only the hash is kept: a trimmed document must not be stored twice. */
const MAX_CONTENT = 16_384;

/** How a baseline's input was parsed when it was captured. */
export interface InputThen {
  readonly hash: string;
  /** Makes the parsed value anew each time; undefined where only its hash was kept. */
  readonly value: (() => unknown) | undefined;
}

/**
 * The artifact of what a step's schema makes of an input: without content where that is the input itself. Undefined
 * where the schema refuses the input or makes something that cannot be stored: then its cause stays unknown.
 */
export async function parsedInputArtifact(
  step: AnyStep,
  input: unknown,
  inputHash: string,
): Promise<Artifact | undefined> {
  const parsed = await parseWith(step.inputSchema, cloneData(input));
  if (!parsed.ok) return undefined;
  const found = encodedHash(parsed.value);
  if (found === undefined) return undefined;
  const { hash, content } = found;
  const alike = hashText(inOrderOfSecrets(content));
  if (alike === inputHash || content.length > MAX_CONTENT) return { hash: alike, kind: KIND };
  const kept: unknown = JSON.parse(content);
  return { hash, kind: KIND, content: kept };
}

/**
 * Reads back how a snapshot's input was parsed; undefined for one that was captured from a result, or by an older
 * version.
 */
export function inputThen(snapshot: Snapshot): InputThen | undefined {
  const artifact = firstArtifact(snapshot, KIND);
  if (artifact === undefined) return undefined;
  const { hash, content } = artifact;
  if (content !== undefined) return { hash: hiddenHash(content), value: () => decode(content) };
  return { hash, value: hash === snapshot.inputHash ? () => cloneData(snapshot.input) : undefined };
}

/** The hash under which a parsed input would be kept; undefined for what cannot be stored. */
export function parsedHash(parsed: unknown): string | undefined {
  const found = encodedHash(parsed);
  return found && hashText(inOrderOfSecrets(found.content));
}

function encodedHash(value: unknown): ReturnType<typeof hashWithContentSync> | undefined {
  try {
    return hashWithContentSync(encode(value));
  } catch {
    // A schema may make anything of an input, a function too.
    return undefined;
  }
}
