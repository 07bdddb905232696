import { jsonOf } from "../kernel/json/canonical-json.ts";
import { type HashedContent, hashValueSync, hashWithContentSync } from "../kernel/json/hash.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { captureArtifactSync, inputHashOf, kernelArtifacts } from "../record/snapshot.ts";
import { redactCalls } from "../record/redact-calls.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { RecordingSecrets, withRecordingSecrets, currentRecordingSecrets } from "../redact/recording-secrets.ts";
import { SecretNumbers } from "../redact/secret-numbers.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import { normalizeCommands } from "../kernel/step/command.ts";
import type { StepResult } from "../kernel/step/step-result.ts";
import {
  BASELINE_VERSION,
  type Baseline,
  type BaselineMeta,
  type StepBaseline,
  type ValueBaseline,
} from "./baseline.ts";

/** Details that identify and select a case. */
export interface CaseDetails {
  readonly name?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly meta?: BaselineMeta | undefined;
}

/** Parts of a result that a baseline stores. */
export type StoredResult = Pick<
  StepResult,
  "input" | "output" | "events" | "commands" | "artifacts" | "stepName" | "workflowId" | "workflowVersion"
>;

/** Result of a run. */
interface RunResult extends Pick<StoredResult, "events" | "artifacts"> {
  readonly commands?: StoredResult["commands"] | undefined;
  readonly outcome: { readonly output?: unknown };
}

/**
 * Makes the baseline of a result and its recorded adapter calls, without the secrets in it; hashes are of what is left.
 * Throws a TypeError for content JSON cannot hold.
 */
export function createStepBaseline(
  whole: StoredResult,
  calls: readonly AdapterCall[],
  details: CaseDetails,
): StepBaseline {
  return hiddenTogether([whole, calls], (isKnown) => {
    refuseSecretName(details.name);
    return hiddenBaseline(whole, isKnown ? redactCalls(calls) : calls, details);
  });
}

/**
 * Makes what is written of one recording: once more where a part of it names a secret, which may stand in another.
 * `isKnown` tells that there are such; `live` is what it is made of.
 */
function hiddenTogether<T>(live: unknown, make: (isKnown: boolean) => T): T {
  const secrets = currentRecordingSecrets() ?? new RecordingSecrets(new SecretNumbers({ live: () => live }));
  return withRecordingSecrets(secrets, () => {
    const known = secrets.size;
    const made = make(known > 0);
    return secrets.size === known ? made : make(true);
  });
}

/** Notes for the recording that is made here what the details of its case name as secret. */
export function collectDetailSecrets({ labels, meta }: CaseDetails): void {
  if (labels !== undefined || meta !== undefined) hiddenDetails({ labels, meta });
}

/** Notes for the recording that is made here what the end of a run names as secret. */
export function collectResultSecrets({ outcome, events, commands, artifacts }: RunResult): void {
  if (currentRecordingSecrets() === undefined) return;
  hideSecrets(outcome.output, "output");
  hideSecrets(events, "events");
  hideSecrets(commands, "commands");
  for (const { kind, content } of artifacts) if (content !== undefined) hideSecrets(content, kind);
}

function hiddenBaseline(whole: StoredResult, calls: readonly AdapterCall[], details: CaseDetails): StepBaseline {
  const { name } = details;
  const result = withoutSecrets(whole);
  const commands = normalizeCommands(result.commands);
  const emitted = result.artifacts.filter(({ kind }) => kind !== "adapter-call").map(artifactWithoutSecrets);
  const kernel = kernelArtifacts(result).map(({ hash, kind }) => ({ hash, kind }));
  const callHashes = calls.map((call) => captureArtifactSync("adapter-call", call, { hashOnly: true }));
  return {
    version: BASELINE_VERSION,
    kind: "step",
    step: result.stepName,
    workflow: { id: result.workflowId, version: result.workflowVersion },
    ...(name === undefined ? {} : { name }),
    ...hiddenDetails(details),
    input: result.input,
    inputHash: inputHashOf(result.input),
    output: jsonOf(result.output),
    events: result.events,
    commands,
    calls,
    artifacts: [...emitted, ...callHashes, ...kernel],
  };
}

function withoutSecrets(result: StoredResult): StoredResult {
  const { input, output, events, commands } = result;
  return {
    ...result,
    input: hideSecrets(input, "input"),
    output: hideSecretsIn(output, "output"),
    events: hideSecretsIn(events, "events"),
    ...(commands === undefined ? {} : { commands: hideSecretsIn(commands, "commands") }),
  };
}

/** An adapter's own artifact is hashed anew where a secret was in it. */
function artifactWithoutSecrets(artifact: Artifact): Artifact {
  if (artifact.content === undefined) return artifact;
  const content = hideSecrets(artifact.content, artifact.kind);
  return content === artifact.content ? artifact : { ...artifact, content, hash: hashValueSync(content) };
}

/**
 * Makes the baseline of a JSON value of a test file, without the secrets in it. `known` is its canonical JSON with
 * the hash of that, where they were made already. Throws a TypeError for a value JSON cannot hold.
 */
export function createValueBaseline(
  value: unknown,
  { test, name, ...details }: CaseDetails & { readonly test: string; readonly name: string },
  known?: HashedContent,
): ValueBaseline {
  return hiddenTogether(value, () => {
    refuseSecretName(name);
    const { hash, data } = storedJson(value, known);
    return { version: BASELINE_VERSION, kind: "value", test, name, ...hiddenDetails(details), value: data, hash };
  });
}

function hiddenDetails({ labels = [], meta = {} }: CaseDetails): Required<Pick<Baseline, "labels" | "meta">> {
  return { labels: hideSecretsIn(labels, "labels"), meta: hideSecretsIn(meta, "meta") };
}

/** What a file holds of a value: data with its keys in order, and the hash of its canonical JSON. */
interface StoredJson extends Pick<HashedContent, "hash"> {
  readonly data: unknown;
}

/**
 * A value as a file may hold it, without its secrets. `known` is what was written and hashed of it when it was
 * compared: where that holds no secret it is what is kept, and nothing is written or hashed twice. Throws a TypeError
 * for a value JSON cannot hold.
 */
export function storedJson(value: unknown, known?: HashedContent): StoredJson {
  const given = known?.data ?? value;
  const hidden = hideSecrets(given, "value");
  if (known !== undefined && hidden === given) {
    if (known.data !== undefined) return { hash: known.hash, data: known.data };
    const data: unknown = JSON.parse(known.content);
    // Both are searched: JSON may write as numbers what is a secret as bytes, and since the value was compared a test
    // may have changed it.
    if (hideSecrets(data, "value") === data) return { hash: known.hash, data };
  }
  const { hash, content } = hashWithContentSync(hidden);
  return { hash, data: JSON.parse(content) };
}

/** A case is told by its name everywhere, so it cannot be hidden. Throws a TypeError that does not tell it. */
function refuseSecretName(name: string | undefined): void {
  if (name === undefined || currentRedactor().redactText(name) === name) return;
  throw new TypeError("the name of the case holds a secret, and a name cannot be hidden: call the case otherwise");
}

/**
 * A value as a file may hold it: without its secrets. `part` is where it stands, for the project's `paths` and `keep`.
 */
function hideSecrets(value: unknown, part: string): unknown {
  return currentRedactor().redact(value, [part]).value;
}

/**
 * The same for what must keep its kind: an output is an object, events and commands are lists. Throws a TypeError where
 * a rule hides all of it, since a baseline of nothing would agree with everything.
 */
function hideSecretsIn<T extends object>(value: T, part: string): T {
  const hidden = hideSecrets(value, part);
  if (isLike(value, hidden)) return hidden;
  throw new TypeError(
    `redact.paths or redact.hashOnly hides the whole ${part}, and nothing would be left to compare: name what is in it`,
  );
}

function isLike<T extends object>(original: T, hidden: unknown): hidden is T {
  return typeof hidden === "object" && hidden !== null && Array.isArray(hidden) === Array.isArray(original);
}
