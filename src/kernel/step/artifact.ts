/**
 * Kind of an artifact, such as `document`. Two kinds are reserved for veritest: `step-output` and `step-commands`. You
 * can choose every other kind freely.
 */
export type ArtifactKind = "step-output" | "step-commands" | "adapter-call" | (string & {});

/**
 * A value that is stored for replay and audit with the hash of its canonical JSON. Without `content`, it's hash-only.
 */
export interface Artifact {
  /** SHA-256 hash of the content: `sha256:` and 64 lowercase hex digits. */
  readonly hash: string;
  readonly kind: ArtifactKind;
  readonly content?: unknown;
}

/** Kinds of artifacts that only veritest can create. */
export const RESERVED_ARTIFACT_KINDS: ReadonlySet<string> = new Set(["step-output", "step-commands"]);

/** Collects what adapters emit during one execution, in emission order. */
export interface ArtifactSink {
  /** Takes an artifact or one still being hashed. Throws a TypeError for a kind that is the kernel's own. */
  emit(artifact: Artifact | Promise<Artifact>): void;
  /** Returns true if no artifact was emitted so far, so that no wait is needed. */
  isEmpty(): boolean;
  /** Waits until every artifact emitted so far was handed on; rejects with the first failure. */
  drain(): Promise<readonly Artifact[]>;
}

/** Creates a sink that hands artifacts to `onArtifact` one after the other, each once it is hashed. */
export function createArtifactSink(onArtifact?: (artifact: Artifact) => void | Promise<void>): ArtifactSink {
  const artifacts: Artifact[] = [];
  // Made with the first: most steps emit none.
  let queue: Promise<void> | undefined;
  const handOn = async (emitted: Artifact | Promise<Artifact>): Promise<void> => {
    const artifact = await emitted;
    refuseReserved(artifact);
    artifacts.push(artifact);
    await onArtifact?.(artifact);
  };
  return {
    emit(emitted) {
      if ("kind" in emitted) refuseReserved(emitted);
      queue = queue === undefined ? handOn(emitted) : queue.then(() => handOn(emitted));
      // The failure is reported by drain; until then it must not count as unhandled.
      queue.catch(() => undefined);
    },
    isEmpty: () => queue === undefined,
    async drain() {
      await queue;
      // A copy: what a step emits after its end must not change a finished result.
      return [...artifacts];
    },
  };
}

/** Throws a TypeError for an artifact whose kind only the kernel may make. */
export function refuseReserved(artifact: Artifact): void {
  if (!RESERVED_ARTIFACT_KINDS.has(artifact.kind)) return;
  throw new TypeError(
    `Artifact kind "${artifact.kind}" is reserved for veritest. Use a different kind, e.g. "llm-output".`,
  );
}
