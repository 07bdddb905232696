import { isPlainObject } from "../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import { repeatedKey } from "./repeated-key.ts";
import { escapeText, quote } from "../kernel/text.ts";
import { messageOf } from "../kernel/error-message.ts";
import { type AdapterCall, parseAdapterCall } from "../record/adapter-call.ts";
import { decodeOwn } from "../record/encode/decode.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import type { Command } from "../kernel/step/command.ts";
import type { AuditEvent } from "../kernel/step/context.ts";
import { mayHoldPlaceholders } from "../redact/placeholder.ts";
import { BASELINE_VERSION, type Baseline, type BaselineMeta, type StepBaseline } from "./baseline.ts";
import { withoutReferences } from "./earlier-requests.ts";
import { numberFields, rehashed } from "./number-placeholders.ts";

const RESTORE = "Restore the file with npx veritest repair --restore, or delete it and capture the case again.";

/**
 * Reads the text of a baseline file, or describes in one sentence its fault and the fix. `file` is only used in that
 * sentence. Structure is checked here; hashes are checked when the baseline is used.
 */
export function parseBaseline(text: string, file: string): Result<Baseline, string> {
  const refuse = (fault: string, todo: string): Result<never, string> => err(`Cannot read ${file}: ${fault}. ${todo}`);
  // Some editors write a byte-order mark first, which is harmless.
  const json = parseJson(text.startsWith("\ufeff") ? text.slice(1) : text);
  if (!json.ok) {
    // Neither an empty text nor one with conflict markers is JSON: looking for them first was a tenth of reading a
    // file.
    if (text.trim() === "") return refuse("it is empty", RESTORE);
    const conflict = conflictLine(text);
    if (conflict === undefined) return refuse(`it isn't JSON (${json.error})`, RESTORE);
    return refuse(
      `it has git conflict markers (line ${conflict})`,
      "Keep one side with git checkout --ours or --theirs, run git add, and run its test with -u.",
    );
  }
  if (!isPlainObject(json.value)) return refuse("it doesn't contain a JSON object", RESTORE);
  const { version } = json.value;
  if (typeof version === "number" && version > BASELINE_VERSION) {
    return refuse(
      `it has format ${version}, and this version of veritest only reads formats up to ${BASELINE_VERSION}`,
      "Update veritest: npm install --save-dev veritest@latest",
    );
  }
  if (version !== BASELINE_VERSION && version !== 1) {
    return refuse(
      `"version" is ${escapeText(JSON.stringify(version) ?? "missing")}, expected ${BASELINE_VERSION}`,
      RESTORE,
    );
  }
  const repeated = repeatedKey(text, json.value);
  if (repeated !== undefined)
    return refuse(
      `it has ${quote(repeated.key)} twice in one object (line ${repeated.line}), so a reader might see one value ` +
        "while a test uses the other",
      RESTORE,
    );
  const baseline = readFields(json.value);
  if (typeof baseline === "string") return refuse(baseline, RESTORE);
  return ok(version === 1 && mayHoldPlaceholders(text) ? migrated(baseline, json.value) : baseline);
}

/** A baseline of format 1, whose placeholders have digits of each machine, as this format numbers them. */
function migrated(baseline: Baseline, fields: Fields): Baseline {
  const next = readFields(numberFields(fields));
  return typeof next === "string" ? baseline : rehashed(baseline, next);
}

/** The line of the first git conflict marker; a JSON string never starts a line, so content cannot look like one. */
function conflictLine(text: string): number | undefined {
  const marker = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/m.exec(text);
  return marker === null ? undefined : text.slice(0, marker.index).split("\n").length;
}

function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch (thrown) {
    // The parser quotes the file, which is untrusted text.
    return err(escapeText(messageOf(thrown)).replaceAll("\n", " "));
  }
}

type Fields = Record<string, unknown>;

// Made once and not for each file: a third of reading the fields.
const STRING: Kind<string> = { is: isText, expected: "a text" };
const OBJECT: Kind<Fields> = { is: isPlainObject, expected: "an object" };
const LIST: Kind<unknown[]> = { is: Array.isArray, expected: "a list" };
const STRINGS: Kind<readonly string[]> = { is: isListOf(isText), expected: "a list of strings" };
const EVENTS: Kind<readonly AuditEvent[]> = { is: isListOf(isEvent), expected: "a list of events" };
const COMMANDS: Kind<readonly Command[]> = { is: isListOf(isCommand), expected: "a list of commands" };
const ARTIFACTS: Kind<readonly Artifact[]> = { is: isListOf(isArtifact), expected: "a list of artifacts" };
const META: Kind<BaselineMeta> = { is: isMeta, expected: "an object of strings, numbers and booleans" };

/** A problem with a field; never leaves this file. */
class FieldProblem extends Error {}

/**
 * Reads a parsed file field by field: the baseline, or a phrase naming the first bad field. Versions differ in their
 * placeholders alone, which stay as they are here.
 */
export function readFields(fields: Fields): Baseline | string {
  try {
    return fields["kind"] === "value" ? readValue(fields) : readStep(complete(fields));
  } catch (thrown) {
    if (thrown instanceof FieldProblem) return thrown.message;
    throw thrown;
  }
}

function complete(fields: Fields): Fields {
  try {
    return withoutReferences(fields);
  } catch (thrown) {
    throw new FieldProblem(`"calls": ${messageOf(thrown)}`);
  }
}

function readStep(fields: Fields): Baseline {
  if (fields["kind"] !== "step") throw new FieldProblem(`"kind" is neither "step" nor "value"`);
  const workflow = required(fields, "workflow", OBJECT);
  const { name } = fields;
  return requireArtifacts({
    version: BASELINE_VERSION,
    kind: "step",
    step: required(fields, "step", STRING),
    workflow: { id: required(workflow, "id", STRING), version: required(workflow, "version", STRING) },
    ...(name === undefined ? {} : { name: required(fields, "name", STRING) }),
    ...readHeader(fields),
    input: decoded(present(fields, "input")),
    inputHash: required(fields, "inputHash", STRING),
    output: present(fields, "output"),
    events: required(fields, "events", EVENTS),
    commands: required(fields, "commands", COMMANDS),
    calls: required(fields, "calls", LIST).map(readCall),
    artifacts: required(fields, "artifacts", ARTIFACTS),
  });
}

/** Refuses content without an artifact's hash: it could not be verified. */
function requireArtifacts(baseline: StepBaseline): StepBaseline {
  const { commands, calls, artifacts } = baseline;
  requireCount(artifacts, "step-output", 1);
  requireCount(artifacts, "step-commands", commands.length > 0 ? 1 : 0);
  requireCount(artifacts, "adapter-call", calls.length);
  return baseline;
}

function requireCount(artifacts: readonly Artifact[], kind: string, expected: number): void {
  let count = 0;
  for (const artifact of artifacts) if (artifact.kind === kind) count += 1;
  if (count !== expected)
    throw new FieldProblem(`"artifacts" has ${count} artifacts of kind "${kind}", expected ${expected}`);
}

function readValue(fields: Fields): Baseline {
  return {
    version: BASELINE_VERSION,
    kind: "value",
    test: required(fields, "test", STRING),
    name: required(fields, "name", STRING),
    ...readHeader(fields),
    value: present(fields, "value"),
    hash: required(fields, "hash", STRING),
  };
}

function readHeader(fields: Fields): Pick<Baseline, "labels" | "meta"> {
  return {
    labels: required(fields, "labels", STRINGS),
    meta: required(fields, "meta", META),
  };
}

function readCall(call: unknown, index: number): AdapterCall {
  const parsed = parseAdapterCall(call);
  if (typeof parsed === "string") throw new FieldProblem(`"calls[${index}]": ${parsed}`);
  return parsed;
}

function decoded(input: unknown): unknown {
  try {
    return decodeOwn(input);
  } catch (thrown) {
    throw new FieldProblem(`"input": ${messageOf(thrown)}`);
  }
}

function present(fields: Fields, key: string): unknown {
  const value = fields[key];
  // JSON has no `undefined`, and objects inherit no property of these names.
  if (value === undefined) throw new FieldProblem(`"${key}" is missing`);
  return value;
}

function required<T>(fields: Fields, key: string, { is, expected }: Kind<T>): T {
  const value = present(fields, key);
  if (is(value)) return value;
  throw new FieldProblem(`"${key}" is not ${expected}`);
}

/** Requirement of a field: the guard, and its description. */
interface Kind<T> {
  readonly is: (value: unknown) => value is T;
  readonly expected: string;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isListOf<T>(is: (value: unknown) => value is T): (value: unknown) => value is readonly T[] {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(is);
}

function isEvent(value: unknown): value is AuditEvent {
  return isPlainObject(value) && isText(value["type"]);
}

function isCommand(value: unknown): value is Command {
  return isPlainObject(value) && isText(value["type"]);
}

function isArtifact(value: unknown): value is Artifact {
  return isPlainObject(value) && isText(value["hash"]) && isText(value["kind"]);
}

function isMeta(value: unknown): value is BaselineMeta {
  return isPlainObject(value) && Object.values(value).every(isScalar);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
