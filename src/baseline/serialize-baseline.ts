import { jsonOf, stableStringify } from "../kernel/json/canonical-json.ts";
import { type HashedContent, hashValueSync } from "../kernel/json/hash.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { escapeInvisible } from "../kernel/text.ts";
import { storedForm } from "../record/encode/encode.ts";
import { artifactProblem } from "../record/read-snapshot.ts";
import { inputHashOf } from "../record/snapshot.ts";
import { mayHoldPlaceholders } from "../redact/placeholder.ts";
import type { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";
import { type Baseline, snapshotOf } from "./baseline.ts";
import { withReferences } from "./earlier-requests.ts";
import { numberFields, rehashed } from "./number-placeholders.ts";
import { readFields } from "./parse-baseline.ts";

/**
 * A baseline as file text: fields in fixed order, two-space indents, one final newline. Keys are sorted, except those
 * of values that a step gets again (its input, responses of adapters, their artifacts): a step that writes one as text
 * would send another request. A pure function of the content, so that capturing the same again changes no byte.
 * Invisible and bidirectional characters are escaped: a reviewer must see them. `known` is the canonical JSON of a part
 * of it, if available. Throws a TypeError for content that JSON cannot represent.
 */
export function serializeBaseline(baseline: Baseline, known?: Omit<HashedContent, "hash">): string {
  return textOf(withReferences(dataOf(baseline, known)));
}

function textOf(data: object): string {
  const text = (fields: object): string => JSON.stringify(fields, undefined, 2);
  // Without references the layout is that of earlier versions.
  const hasReferences = "callsHash" in data && "calls" in data;
  const written = hasReferences
    ? text({ ...data, calls: [] }).replace(NO_CALLS, () => `${NO_CALLS.slice(0, -2)}${filledLines(data.calls)}`)
    : text(data);
  return `${escapeInvisible(written)}\n`;
}

/** No string of a file contains a line break. */
const NO_CALLS = '\n  "calls": []';
/** Characters of a line up to which an object or a list is written on one. */
const MAX_LINE = 120;

/** Calls as text: what fits on a line is on one, because half of an agent's file would be its indents. */
function filledLines(calls: unknown): string {
  const layOut = (value: unknown, indent: number): string => {
    if (!isArray(value) && !isPlainObject(value)) return JSON.stringify(value);
    const parts = isArray(value)
      ? value.map((item) => layOut(item, indent + 2))
      : Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${layOut(field, indent + 2)}`);
    const [open, space, close] = isArray(value) ? ["[", "", "]"] : ["{", parts.length === 0 ? "" : " ", "}"];
    const line = `${open}${space}${parts.join(", ")}${space}${close}`;
    if (indent + line.length <= MAX_LINE && !line.includes("\n")) return line;
    const margin = `\n${" ".repeat(indent)}`;
    return `${open}${margin}  ${parts.join(`,${margin}  `)}${margin}${close}`;
  };
  return layOut(JSON.parse(JSON.stringify(calls)), 2);
}

function dataOf(baseline: Baseline, known?: Omit<HashedContent, "hash">): Readonly<Record<string, unknown>> {
  const fields = Object.entries(fileFields(baseline)).filter(([, value]) => value !== undefined);
  // Printing it back keeps the sorted keys, with integer-like ones first.
  return Object.fromEntries(
    fields.map(([key, value]) => [
      key,
      GIVEN_AGAIN[key]?.(value) ?? (key === "value" && isWrittenAs(value, known) ? value : jsonOf(value)),
    ]),
  );
}

/**
 * A baseline as the text that is written: the secrets in it numbered by first appearance. `numbers` are those of the
 * recording it was made in, which knows live secrets that stand for stored ones.
 */
export function writtenBaseline(
  baseline: Baseline,
  {
    known,
    numbers,
  }: { readonly known?: HashedContent | undefined; readonly numbers?: PlaceholderNumbers | undefined } = {},
): string {
  const text = serializeBaseline(baseline, known);
  if (!mayHoldPlaceholders(text) && !text.includes('"type": "Buffer"')) return text;
  const paired: unknown = numbers === undefined ? JSON.parse(text) : numbers.resolved(JSON.parse(text));
  const next = isPlainObject(paired) ? readFields(numberFields(paired)) : "";
  return typeof next === "string" ? text : serializeBaseline(rehashed(baseline, next));
}

/** Returns true if the text of a file has the layout of this version, or of the version that wrote its format. */
export function isLaidOut(text: string): boolean {
  const fields: unknown = JSON.parse(text);
  const baseline = isPlainObject(fields) ? readFields(fields) : "";
  if (!isPlainObject(fields) || typeof baseline === "string") return false;
  const own = textOf(dataOf(baseline));
  if (fields["version"] !== 1) {
    // Earlier versions wrote fewer references.
    const isEarlier = "callsHash" in fields && textOf(fields) === text;
    return own === text || isEarlier || serializeBaseline(baseline) === text;
  }
  const { hiddenBy } = fields;
  const salt = typeof hiddenBy === "string" ? `  "hiddenBy": ${JSON.stringify(hiddenBy)},\n` : "";
  const field = baseline.kind === "step" ? "input" : "value";
  const at = own.indexOf(`\n  "${field}": `) + 1;
  return `${own.slice(0, at)}${salt}${own.slice(at)}`.replace('"version": 2', '"version": 1') === text;
}

/** Data whose keys keep their order: the native writer's. Throws as `jsonOf` does, for what that would leave out. */
function inItsOrder(value: unknown): unknown {
  stableStringify(value);
  return value;
}

/** The fields of a record in order, of which some keep the order of their content. */
function withParts(record: unknown, parts: readonly string[]): unknown {
  if (!isPlainObject(record)) return jsonOf(record);
  const names = Object.keys(record).filter((name) => record[name] !== undefined);
  return Object.fromEntries(
    names.toSorted().map((name) => [name, parts.includes(name) ? inItsOrder(record[name]) : jsonOf(record[name])]),
  );
}

/** Writers of the fields whose content a step gets again. */
const GIVEN_AGAIN: Readonly<Record<string, (value: unknown) => unknown>> = {
  input: inItsOrder,
  calls: (calls) => (isArray(calls) ? calls.map((call) => withParts(call, ["response", "error"])) : undefined),
  artifacts: (artifacts) =>
    isArray(artifacts) ? artifacts.map((artifact) => withParts(artifact, ["content"])) : undefined,
};

/**
 * Returns true if the native writer makes the canonical JSON `known` of data: its keys are in order then, and sorting
 * it again took longer than all other work of a file.
 */
function isWrittenAs(value: unknown, known: Omit<HashedContent, "hash"> | undefined): boolean {
  return known !== undefined && (known.data === value || JSON.stringify(value) === known.content);
}

/** The order of fields in a file is the order here. */
function fileFields(baseline: Baseline): object {
  const { version, kind, labels, meta } = baseline;
  if (baseline.kind === "value") {
    const { test, name, value, hash } = baseline;
    return { version, kind, test, name, labels, meta, value, hash };
  }
  const { step, workflow, name, input, inputHash, output, events, commands, calls, artifacts } = baseline;
  return {
    version,
    kind,
    step,
    workflow,
    name,
    labels,
    meta,
    input: storedForm(input),
    inputHash,
    output,
    events,
    commands,
    calls,
    artifacts,
  };
}

/**
 * Reads the text of a baseline back before it is written: returns a phrase with the reason why the next run would
 * refuse it, or undefined. Changes by JSON (a NaN in `meta`) and hashes from elsewhere (of an adapter's own artifact)
 * show only here. `known` is the text that was hashed for it in this process: an equal text has the same hash.
 */
export function verifySerialized(text: string, known?: HashedContent): string | undefined {
  const fields: unknown = JSON.parse(text);
  const baseline = isPlainObject(fields) ? readFields(fields) : "it doesn't contain a JSON object";
  return typeof baseline === "string" ? baseline : hashProblem(baseline, known);
}

function hashProblem(baseline: Baseline, known: HashedContent | undefined): string | undefined {
  if (baseline.kind === "value") {
    if (known !== undefined && baseline.hash === known.hash && isWrittenAs(baseline.value, known)) return undefined;
    return hashValueSync(baseline.value) === baseline.hash ? undefined : `"hash" doesn't match "value"`;
  }
  if (inputHashOf(baseline.input) !== baseline.inputHash) return `"inputHash" doesn't match "input"`;
  return snapshotOf(baseline)
    .artifacts.map(artifactProblem)
    .find((problem) => problem !== undefined);
}
