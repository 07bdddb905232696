import { type HashedContent, hashValueSync } from "../base/hash.ts";
import { jsonOf } from "../base/canonical-json.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { captureArtifactSync, inputHashOf, kernelArtifacts } from "../record/snapshot.ts";
import type { Artifact } from "../step/artifact.ts";
import { normalizeCommands } from "../step/command.ts";
import type { StepResult } from "../step/step-result.ts";
import { hideSecrets, hideSecretsIn } from "./hide-secrets.ts";
import { keptJson } from "./kept-json.ts";
import { BASELINE_VERSION, type BaselineMeta, type StepBaseline, type ValueBaseline } from "./baseline.ts";

/** How a case is called and chosen. */
export interface CaseDetails {
  readonly name?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly meta?: BaselineMeta | undefined;
}

/** The parts of a result a baseline keeps. */
export type KeptResult = Pick<
  StepResult,
  "input" | "output" | "events" | "commands" | "artifacts" | "stepName" | "workflowId" | "workflowVersion"
>;

/**
 * Makes the baseline of a result and its recorded adapter calls, without the secrets in it; hashes are of what is left.
 * Throws a TypeError for content JSON cannot hold.
 */
export function baselineOf(whole: KeptResult, calls: readonly AdapterCall[], details: CaseDetails): StepBaseline {
  const { name, labels = [], meta = {} } = details;
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
    labels: hideSecretsIn(labels, "labels"),
    meta: hideSecretsIn(meta, "meta"),
    input: result.input,
    inputHash: inputHashOf(result.input),
    output: jsonOf(result.output),
    events: result.events,
    commands,
    calls,
    artifacts: [...emitted, ...callHashes, ...kernel],
  };
}

function withoutSecrets(result: KeptResult): KeptResult {
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
export function valueBaselineOf(
  value: unknown,
  { test, name, labels = [], meta = {} }: CaseDetails & { readonly test: string; readonly name: string },
  known?: HashedContent,
): ValueBaseline {
  const { hash, data } = keptJson(value, known);
  return {
    version: BASELINE_VERSION,
    kind: "value",
    test,
    name,
    labels: hideSecretsIn(labels, "labels"),
    meta: hideSecretsIn(meta, "meta"),
    value: data,
    hash,
  };
}
