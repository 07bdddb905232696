import { jsonOf } from "../kernel/json/canonical-json.ts";
import { type HashedContent, hashValueSync, hashWithContentSync } from "../kernel/json/hash.ts";
import { isObject } from "../kernel/json/plain-data.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { decodeOwn } from "../record/encode/decode.ts";
import { storedForm } from "../record/encode/encode.ts";
import { captureArtifactSync, inputHashOf, kernelArtifacts, storedParts } from "../record/snapshot.ts";
import { redactCalls } from "../record/redact-calls.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { RevealedSecrets, withRevealedSecrets, currentRevealedSecrets } from "../redact/revealed-secrets.ts";
import { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";
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
 * Makes the baseline of a result and its recorded adapter calls, without its secrets; hashes are of the redacted data.
 * Throws a TypeError for content that JSON cannot represent.
 */
export function createStepBaseline(
  whole: StoredResult,
  calls: readonly AdapterCall[],
  details: CaseDetails,
): StepBaseline {
  return hiddenTogether([whole, calls], (isKnown) => {
    refuseSecretName("case", details.name);
    refuseSecretName("step", whole.stepName);
    return hiddenBaseline(whole, isKnown ? redactCalls(calls) : calls, details);
  });
}

/**
 * Makes the stored form of one recording: a second time if a part of it names a secret, which other parts may contain.
 * `isKnown` is true if there are such secrets; `live` is the source of the recording.
 */
function hiddenTogether<T>(live: unknown, make: (isKnown: boolean) => T): T {
  const secrets = currentRevealedSecrets() ?? new RevealedSecrets(new PlaceholderNumbers({ live: () => live }));
  return withRevealedSecrets(secrets, () => {
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
  if (currentRevealedSecrets() === undefined) return;
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
  const { output, events, commands } = storedParts(result);
  return {
    ...result,
    input: hiddenInput(result.input),
    output: hideSecretsIn(isObject(output) ? output : {}, "output"),
    events: hideSecretsIn(events, "events"),
    ...(commands === undefined ? {} : { commands: hideSecretsIn(commands, "commands") }),
  };
}

/** Returns an input without its secrets; a value that has none is returned unchanged. */
export function hiddenInput(input: unknown): unknown {
  const form = storedForm(input, ["input"]);
  const hidden = hideSecrets(form, "input");
  return hidden === form ? input : decodeOwn(hidden);
}

/** An adapter's own artifact gets a new hash if it contained a secret. */
function artifactWithoutSecrets(artifact: Artifact): Artifact {
  if (artifact.content === undefined) return artifact;
  const content = hideSecrets(artifact.content, artifact.kind);
  return content === artifact.content ? artifact : { ...artifact, content, hash: hashValueSync(content) };
}

/**
 * Makes the baseline of a JSON value of a test file, without its secrets. `known` is its canonical JSON with its hash,
 * if they were made already. Throws a TypeError for a value that JSON cannot represent.
 */
export function createValueBaseline(
  value: unknown,
  { test, name, ...details }: CaseDetails & { readonly test: string; readonly name: string },
  known?: HashedContent,
): ValueBaseline {
  return hiddenTogether(value, () => {
    refuseSecretName("case", name);
    refuseSecretName("test file", test);
    const { hash, data } = storedJson(value, known);
    return { version: BASELINE_VERSION, kind: "value", test, name, ...hiddenDetails(details), value: data, hash };
  });
}

function hiddenDetails({ labels = [], meta = {} }: CaseDetails): Required<Pick<Baseline, "labels" | "meta">> {
  return { labels: hideSecretsIn(labels, "labels"), meta: hideSecretsIn(meta, "meta") };
}

/** Stored form of a value: data with its keys in order, and the hash of its canonical JSON. */
interface StoredJson extends Pick<HashedContent, "hash"> {
  readonly data: unknown;
}

/**
 * A value as a file may store it, without its secrets. `known` is its text and hash from the comparison: if it has no
 * secret, it is stored, so that no value is written or hashed twice. Throws a TypeError for a value that JSON cannot
 * represent.
 */
export function storedJson(value: unknown, known?: HashedContent): StoredJson {
  const data = known?.data ?? value;
  const hidden = hideSecrets(data, "value");
  if (known !== undefined && hidden === data) {
    if (known.data !== undefined) return { hash: known.hash, data: known.data };
    const data: unknown = JSON.parse(known.content);
    // Both are searched: JSON may write the bytes of a secret as numbers, and a test may have changed the value since
    // the comparison.
    if (hideSecrets(data, "value") === data) return { hash: known.hash, data };
  }
  const { hash, content } = hashWithContentSync(hidden);
  return { hash, data: JSON.parse(content) };
}

/** Files and reports identify a case by these names, so they can't be hidden. Throws a TypeError without the name. */
function refuseSecretName(of: "case" | "step" | "test file", name: string | undefined): void {
  if (name === undefined || currentRedactor().redactText(name) === name) return;
  throw new TypeError(`the name of the ${of} contains a secret, and a name can't be redacted. Choose a different name`);
}

/** A value as a file may store it: without its secrets. `part` is its path, for the project's `paths` and `keep`. */
function hideSecrets(value: unknown, part: string): unknown {
  return currentRedactor().redact(value, [part]).value;
}

/**
 * The same for values that must keep their type: an output is an object, events and commands are lists. Throws a
 * TypeError if a rule hides all of it, because an empty baseline would match everything.
 */
function hideSecretsIn<T extends object>(value: T, part: string): T {
  const hidden = hideSecrets(value, part);
  if (isLike(value, hidden)) return hidden;
  throw new TypeError(
    `redact.paths or redact.hashOnly hides all of ${part}, so veritest can't compare it. List only the fields to ` +
      `hide instead`,
  );
}

function isLike<T extends object>(original: T, hidden: unknown): hidden is T {
  return typeof hidden === "object" && hidden !== null && Array.isArray(hidden) === Array.isArray(original);
}
