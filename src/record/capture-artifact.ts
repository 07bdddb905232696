import { hashValueSync } from "../base/hash.ts";
import type { Artifact, ArtifactKind } from "../step/artifact.ts";

/** How much of a value an artifact keeps. */
export interface CaptureOptions {
  /** Keeps the hash alone, for content that must not be stored. */
  readonly hashOnly?: boolean | undefined;
}

/**
 * Makes an artifact of a value: its canonical JSON's hash, its kind and, unless hash-only, the value. Rejects with a
 * TypeError for a value canonical JSON cannot hold.
 */
export async function captureArtifact(kind: ArtifactKind, content: unknown, options?: CaptureOptions): Promise<Artifact> {
  return captureArtifactSync(kind, content, options);
}

/** {@link captureArtifact} without the promise; throws where that one rejects. */
export function captureArtifactSync(kind: ArtifactKind, content: unknown, { hashOnly = false }: CaptureOptions = {}): Artifact {
  const hash = hashValueSync(content);
  return hashOnly ? { hash, kind } : { hash, kind, content };
}
