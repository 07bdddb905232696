import { dirname } from "node:path";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { formatPath } from "../../kernel/text.ts";
import { type Baseline, identityOf } from "../../baseline/baseline.ts";
import { tooLargeMessage } from "../../baseline/largest-part.ts";
import { withoutReferences } from "../../baseline/earlier-requests.ts";
import { numberFields } from "../../baseline/number-placeholders.ts";
import { caseHash } from "../../baseline/baseline-paths.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { createRedactor } from "../../redact/create-redactor.ts";
import { findSecrets } from "../../redact/find-secrets.ts";
import { type KnownSecret, secretVariables } from "../../redact/known-values.ts";
import type { Policy, RedactSettings } from "../../updates/policy.ts";
import { jsonPathAt } from "./json-path-at.ts";
import { type StoredBaseline, damageMessage } from "./stored-baseline.ts";

/** Check of a project's baselines, called for one after another. Files of one case must be adjacent by directory. */
type BaselineCheck = (stored: StoredBaseline) => Finding[];

/** Creates a check with a project's rules. It only remembers the cases of the current directory. */
export function baselineCheck(rules: SecretRules, { maxBytes }: Pick<Policy, "maxBytes">): BaselineCheck {
  let directory = "";
  let cases = new Map<string, string>();
  return (stored) => {
    const { target, text, path } = stored;
    if (dirname(path) !== directory) cases = new Map<string, string>();
    directory = dirname(path);
    const bytes = Buffer.byteLength(text);
    return [
      ...damage(stored),
      ...unknownFields(stored),
      ...duplicate(stored, cases),
      ...findFileSecrets(text, target, rules),
      ...(stored.baseline.ok ? findHiddenPaths(stored.baseline.value, target, rules) : []),
      ...(bytes > maxBytes
        ? [
            {
              kind: "size",
              file: target,
              message: tooLargeMessage(text, { bytes, maxBytes }).replace(/\.$/, ""),
            } as const,
          ]
        : []),
    ];
  };
}

function damage({ text, path, target }: StoredBaseline): Finding[] {
  const problem = damageMessage(text, path, target);
  if (problem === undefined) return [];
  // The finding already names the file.
  const message = problem
    .replace(/^Cannot (?:read|use) /, "")
    .replace(`${target}: `, "")
    .replace(/\.$/, "");
  const todo = /\. (?:Restore|Keep|Update) /.test(message) ? "" : ". Restore it: npx veritest repair --restore";
  return [{ kind: "damaged", file: target, message: `${message}${todo}` }];
}

/** Maximum number of unknown fields reported per file. */
const MAX_FIELDS = 5;

/** Finds fields that a run ignores: a reviewer may think that they're compared. */
function unknownFields({ baseline, text, target }: StoredBaseline): Finding[] {
  if (!baseline.ok) return [];
  const known = fieldsOf(serializeBaseline(baseline.value));
  const unknown = unknownPaths(fieldsOf(text), known, []);
  return unknown.slice(0, MAX_FIELDS).map((path) => ({
    kind: "unknown",
    file: target,
    path: formatPath(path),
    message: "an unknown field, which veritest ignores. Remove it",
  }));
}

/** Returns the fields of a file as this version would write them, with each request in full. */
function fieldsOf(text: string): unknown {
  const fields: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
  if (!isPlainObject(fields)) return fields;
  if (fields["version"] !== 1) return withoutReferences(fields);
  const { hiddenBy: _salt, ...rest } = numberFields(fields);
  return rest;
}

/** Returns the paths that one JSON value has and another lacks. */
function unknownPaths(value: unknown, known: unknown, path: readonly (string | number)[]): (string | number)[][] {
  if (isArray(value) && isArray(known))
    return value.flatMap((element, index) => unknownPaths(element, known[index], [...path, index]));
  if (!isPlainObject(value) || !isPlainObject(known)) return [];
  return Object.keys(value).flatMap((key) =>
    Object.hasOwn(known, key) ? unknownPaths(value[key], known[key], [...path, key]) : [[...path, key]],
  );
}

/** A run reads only one of two files of a case. */
function duplicate({ baseline, target }: StoredBaseline, cases: Map<string, string>): Finding[] {
  if (!baseline.ok) return [];
  const key = caseHash(identityOf(baseline.value), 64);
  const first = cases.get(key);
  if (first === undefined) cases.set(key, target);
  return first === undefined
    ? []
    : [
        {
          kind: "duplicate",
          file: target,
          message: `it stores the same case as ${first}. Keep one file, and delete the other`,
        },
      ];
}

/**
 * Problems that `check` reports. `damaged` and `unreadable`: a run can't use the file. `secret`: it contains one.
 * `duplicate`: two files of one case. `unknown`: a field that no baseline has. `misplaced`: a file that no run reads as
 * a baseline. `obsolete`: its step or test file doesn't exist. `size`: larger than the policy lets a run write.
 */
type FindingKind = "damaged" | "unreadable" | "secret" | "unknown" | "duplicate" | "misplaced" | "obsolete" | "size";

/** A problem of a stored file. */
export interface Finding {
  readonly kind: FindingKind;
  /** Relative to the project's root, with forward slashes; of what is not below it, absolute. */
  readonly file: string;
  /** Path in the file's JSON. */
  readonly path?: string;
  /** Problem and fix. Contains no secret. Not safe to print. */
  readonly message: string;
}

/** Returns whether a finding makes a file unusable, not only wrong. */
export function isDamage({ kind }: Finding): boolean {
  return kind === "damaged" || kind === "unreadable";
}

const ADVICE = "Run its test with -u, and revoke the key, because git's history keeps the old file";

/** Advice for values that the project's own settings hide. They are usually no keys, but data such as names. */
const OWN_ADVICE = "Run its test with -u. Git's history keeps the old file";

/** Kinds of secrets by the project's own settings. */
const OWN_KINDS: ReadonlySet<string> = new Set(["custom", "field"]);

/** Rules for secrets in this project. */
export interface SecretRules {
  readonly redact: RedactSettings;
  readonly values: readonly KnownSecret[];
}

/** Returns the rules by which a run of this project redacts secrets. */
export function secretRules(redact: RedactSettings, environment: NodeJS.ProcessEnv): SecretRules {
  return { redact, values: secretVariables(environment) };
}

/** Finds the secrets in a file's text that a run of this project would have redacted. */
export function findFileSecrets(text: string, file: string, { redact, values }: SecretRules): Finding[] {
  // Only the last name of a path is used: the text doesn't show the position of a value in a step.
  const keep = redact.keep.map((path) => path.split(".").at(-1) ?? path);
  return findSecrets(text, { values, keep, fields: redact.fields, patterns: redact.patterns }).map(
    ({ kind, index, shown }) => ({
      kind: "secret",
      file,
      path: jsonPathAt(text, index),
      message: `${kind}, ${shown}. ${OWN_KINDS.has(kind) ? OWN_ADVICE : ADVICE}`,
    }),
  );
}

/** Finds values at the paths of the project's `redact.paths`. */
function findHiddenPaths(baseline: Baseline, file: string, { redact }: SecretRules): Finding[] {
  if (redact.paths.length === 0) return [];
  const redactor = createRedactor({ paths: redact.paths, keep: redact.keep });
  const secrets = partsOf(baseline).flatMap(({ value, at }) => redactor.redact(value, at).secrets);
  return secrets
    .filter(({ kind }) => kind === "path")
    .map(({ path }) => ({
      kind: "secret",
      file,
      path,
      message: `redact.paths hides this path, but the file has its value. ${OWN_ADVICE}`,
    }));
}

interface Part {
  readonly value: unknown;
  /** Path as a run names it. */
  readonly at: readonly string[];
}

function partsOf(baseline: Baseline): readonly Part[] {
  const { labels, meta } = baseline;
  const head = { labels, meta };
  const parts =
    baseline.kind === "value"
      ? { ...head, value: baseline.value }
      : {
          ...head,
          input: baseline.input,
          output: baseline.output,
          events: baseline.events,
          commands: baseline.commands,
        };
  const calls = baseline.kind === "value" ? [] : baseline.calls.flatMap(partsOfCall);
  return [...Object.entries(parts).map(([name, value]) => ({ value, at: [name] })), ...calls];
}

function partsOfCall({ adapter, request, response, error }: AdapterCall): Part[] {
  const adapterPath = adapter === "" ? [] : adapter.split(".");
  return Object.entries({ request, response, error }).flatMap(([name, value]) =>
    value === undefined ? [] : { value, at: [...adapterPath, name] },
  );
}
