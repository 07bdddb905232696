import { hashValueSync } from "../base/hash.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { hiddenHash } from "../redact/placeholder.ts";
import type { Artifact, ArtifactKind } from "../step/artifact.ts";

/** How much of a value an artifact keeps. */
export interface CaptureOptions {
  /** Keeps the hash alone, for content that must not be stored. */
  readonly hashOnly?: boolean | undefined;
}

/**
 * Makes an artifact of a value: its canonical JSON's hash, its kind and, unless hash-only, the value. A hash-only one
 * is hashed without its secrets: the hash goes into files, and from that of a password a password can be found.
 * Rejects with a TypeError for a value canonical JSON cannot hold.
 */
export async function captureArtifact(
  kind: ArtifactKind,
  content: unknown,
  { hashOnly = false }: CaptureOptions = {},
): Promise<Artifact> {
  return hashOnly ? hashArtifact(kind, content) : captureArtifactSync(kind, content);
}

/**
 * An artifact of a hash alone, that of the value without its secrets: the same on all machines. Throws where
 * `captureArtifact` rejects.
 */
export function hashArtifact(kind: ArtifactKind, content: unknown): Artifact {
  return { hash: hiddenHash(currentRedactor().redact(content, [kind]).value), kind };
}

/**
 * An artifact of a value that holds no secrets, or that never leaves the process; throws where `captureArtifact`
 * rejects.
 */
export function captureArtifactSync(
  kind: ArtifactKind,
  content: unknown,
  { hashOnly = false }: CaptureOptions = {},
): Artifact {
  const hash = hashValueSync(content);
  return hashOnly ? { hash, kind } : { hash, kind, content };
}
