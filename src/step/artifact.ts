/** What an artifact is: two kinds belong to the kernel, every other one is opaque metadata. */
export type ArtifactKind = "step-output" | "step-commands" | "adapter-call" | (string & {});

/** A value kept for replay and audit, under the hash of its canonical JSON. Without `content` it is hash-only. */
export interface Artifact {
  /** `sha256:` and 64 lower-case hex digits. */
  readonly hash: string;
  readonly kind: ArtifactKind;
  readonly content?: unknown;
}

/** The kinds only the kernel may make. */
export const RESERVED_ARTIFACT_KINDS: ReadonlySet<string> = new Set(["step-output", "step-commands"]);
