import { join, resolve, sep } from "node:path";
import { jsonOf, stableStringify } from "../../kernel/json/canonical-json.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText } from "../../kernel/text.ts";
import { inOrderOfSecrets } from "../../redact/placeholder.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { BASELINES_DIRECTORY, isBaselineFileName } from "../../baseline/baseline-paths.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { type ChangeShape, isChangeShape } from "../../check/update/change-shape.ts";
import type { StagedUpdate } from "../../check/update/stage-update.ts";
import { isVerdictClass } from "../../check/verdict.ts";
import type { ProposedChange } from "../policy.ts";
import { targetName } from "../../kernel/files/project-paths.ts";
import { isTextOf } from "../commit/operations.ts";

/** A change that a person or an agent has yet to accept or reject, as one file of the state directory. */
export interface PendingChange extends ProposedChange {
  readonly version: 1;
  /** Identifies it on the command line: 12 hex digits, of its target and its test. */
  readonly key: string;
  /** The directory of the baselines, relative to the project's root, with forward slashes. */
  readonly root: string;
  /** `write`: its run was going to write it. `review`: its test failed because of it. */
  readonly intent: "write" | "review";
  /** Hashes of the file's text before and after. Null if there is no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** The test file, relative to the project's root, and the test's titles joined by spaces. */
  readonly testFile: string;
  readonly test: string;
  /** False while its test has not passed. */
  readonly passed: boolean;
  /** True if another passing attempt of the same test had a different result. */
  readonly contradicted: boolean;
  /** Vitest's name of the project that ran the test. Absent if it has none. */
  readonly project?: string | undefined;
  /** Projects that had different results in this run. Absent if one project ran the test. */
  readonly projects?: readonly string[] | undefined;
  /** The run it is of, and when, as ISO 8601 in UTC. */
  readonly run: string;
  readonly at: string;
  /** The stored run that it was made from, if any. */
  readonly from?: string | undefined;
  /** `recorded`: compared on the responses that its baseline records. Absent if no step ran. */
  readonly answers?: "recorded" | "live" | undefined;
  /** File name of the case that it replaces, in the same directory, if a test passes another input now. */
  readonly replaces?: string | undefined;
  /** Hash of the text of that case. Absent in records of earlier checkouts. */
  readonly replacedHash?: string | undefined;
  /** Rules of the check of a new case, as JSON. Absent if there are none. */
  readonly rules?: string | undefined;
  /** Kind of change, as the run's report groups it. Absent if no check made it. */
  readonly shape?: ChangeShape | undefined;
}

/** Test, run and time of a change. */
interface ChangeOrigin {
  readonly projectRoot: string;
  /** Absolute path of the test file. */
  readonly testPath: string;
  readonly test: string;
  readonly project?: string | undefined;
  readonly passed: boolean;
  readonly run: string;
  readonly at: string;
}

/** Makes the record of an update. */
export function pendingChange(
  { update, source, ...evidence }: StagedUpdate,
  { projectRoot, testPath, test, project, passed, run, at }: ChangeOrigin,
): PendingChange {
  const { kind, root, path, group, before, after, from } = update;
  const target = targetName(projectRoot, path);
  const testFile = targetName(projectRoot, testPath);
  return {
    version: 1,
    key: storedKeyOf({ target, testFile, test }),
    kind,
    target,
    root: targetName(projectRoot, root),
    group,
    ...evidence,
    before: before === undefined ? null : hashText(before),
    after: after === undefined ? null : hashText(after),
    testFile,
    test,
    ...(project === undefined ? {} : { project }),
    passed,
    contradicted: false,
    run,
    at,
    ...(from === undefined ? {} : { from }),
    ...(source === undefined ? {} : { answers: source === "live" && !keepsCalls(update) ? "live" : "recorded" }),
    text: after,
  };
}

/** Returns the key by which the change of a target and a test is stored. */
export function storedKeyOf({ target, testFile, test }: Pick<PendingChange, "target" | "testFile" | "test">): string {
  const hash = hashText(JSON.stringify([target, testFile, test]));
  return hash.replace("sha256:", "").slice(0, 12);
}

/**
 * Returns true if an update writes other requests and the same responses, whatever its record says. Responses are
 * compared without order: parallel requests may be sent in another one.
 */
export function keepsResponses({ before, after }: Pick<BaselineUpdate, "before" | "after">): boolean {
  if (before === undefined || after === undefined || callsOf(before) === callsOf(after)) return false;
  return responsesOf(before) === responsesOf(after);
}

function responsesOf(text: string): string | undefined {
  const parsed = parseBaseline(text, "the update");
  if (!parsed.ok || parsed.value.kind !== "step") return undefined;
  const responses = parsed.value.calls.map(({ returns, response, error }) => ({ returns, response, error }));
  return responses
    .map((each) => inOrderOfSecrets(stableStringify(jsonOf(each))))
    .toSorted()
    .join("\n");
}

/** The current adapters may have answered as they did: then only the code made the difference. */
function keepsCalls({ before, after }: Pick<BaselineUpdate, "before" | "after">): boolean {
  const [old, now] = [before, after].map((text) => (text === undefined ? undefined : callsOf(text)));
  return old !== undefined && old === now;
}

function callsOf(text: string): string | undefined {
  const parsed = parseBaseline(text, "the new baseline");
  return parsed.ok && parsed.value.kind === "step" ? inOrderOfSecrets(stableStringify(parsed.value.calls)) : undefined;
}

/**
 * True if the latest result of a baseline contradicts a pending change of it. A check on recorded responses says little
 * about a change on a different response, which may have been paid for, or about one that records other requests.
 */
export function contradictedBy(
  { answers, verdict }: Pick<PendingChange, "answers" | "verdict">,
  { source, reason }: { readonly source: StagedUpdate["source"]; readonly reason: string },
): boolean {
  if (reason === "other requests later" && verdict === "request_changed") return false;
  return source !== "recorded" || answers === "recorded";
}

/** Update of a record, given the current text of its file. Undefined if that isn't the text it was made from. */
export function updateFromPending(
  change: PendingChange,
  projectRoot: string,
  current: string | undefined,
): BaselineUpdate | undefined {
  const { kind, group, target, root, before, text, from, verdict } = change;
  if (!isTextOf(current, before)) return undefined;
  const texts = { before: current, after: text };
  return {
    kind,
    group,
    root: resolve(projectRoot, root),
    path: resolve(projectRoot, target),
    ...texts,
    ...(from === undefined ? {} : { from }),
    ...(verdict === "request_changed" && keepsResponses(texts) && { kept: "responses" }),
  };
}

/** Reads a record. The error is a phrase on the problem. A record may come from another machine, so it's untrusted. */
export function parsePendingChange(text: string): Result<PendingChange, string> {
  if (text.startsWith("\ufeff"))
    return err("it begins with a byte order mark that a tool added. Upload the directory unchanged");
  const change = parsedJson(text);
  if (!isPendingChange(change)) return err("this version of veritest can't read its format");
  return (change.text === undefined ? null : hashText(change.text)) === change.after
    ? ok(change)
    : err("its text doesn't match its hash");
}

/** A record without the text that it would write. */
export type PendingHead = Omit<PendingChange, "text">;

/**
 * The field of the new text. It comes last and is nearly all of a record. No JSON string contains these characters,
 * because its quotes are escaped.
 */
const TEXT_FIELD = ',"text":"';

/**
 * Reads the beginning of a record, which takes a hundredth of reading 1 MB. Undefined if only the complete record shows
 * it. The rest is unchecked, so a caller that uses the record must call {@link parsePendingChange} first.
 */
export function peekPendingChange(beginning: string): PendingHead | undefined {
  const end = beginning.indexOf(TEXT_FIELD);
  const change = parsedJson(end === -1 ? beginning : `${beginning.slice(0, end)}}`);
  return isPendingChange(change) ? change : undefined;
}

/**
 * Phrase on why a record may not be applied to this project, or undefined. Its path may be outside the writable
 * directories, or not a baseline's.
 */
export function outsideProjectReason(
  { target, root }: PendingChange,
  { projectRoot, area }: { readonly projectRoot: string; readonly area: string },
): string | undefined {
  const path = resolve(projectRoot, target);
  const inside = path.startsWith(join(area, sep)) && path.startsWith(join(resolve(projectRoot, root), sep));
  const named =
    root.split("/").at(-1) === BASELINES_DIRECTORY &&
    target.endsWith(".json") &&
    // On a case-insensitive disk, `.GIT` is git's own directory.
    !target.toLowerCase().split("/").includes(".git");
  return inside && named ? undefined : `${escapeText(target)} isn't a baseline path of this project`;
}

function isPendingChange(value: unknown): value is PendingChange {
  if (!isPlainObject(value) || value["version"] !== 1) return false;
  const { kind, intent, verdict, shown, text, key, from, answers, shape: kindOfChange, project, projects = [] } = value;
  const { replaces, replacedHash, rules } = value;
  const texts = ["target", "root", "group", "testFile", "test", "run", "at"].every(
    (name) => typeof value[name] === "string",
  );
  const hashes = ["before", "after"].every((name) => value[name] === null || typeof value[name] === "string");
  const flags = ["passed", "contradicted"].every((name) => typeof value[name] === "boolean");
  const union =
    (kind === "add" || kind === "update" || kind === "remove") &&
    (intent === "write" || intent === "review") &&
    (answers === undefined || answers === "recorded" || answers === "live") &&
    (replaces === undefined || (kind === "add" && isSibling(replaces))) &&
    isVerdictClass(verdict);
  const shape =
    (kindOfChange === undefined || isChangeShape(kindOfChange)) &&
    typeof key === "string" &&
    /^[0-9a-f]{12}$/.test(key) &&
    [text, from, project, replacedHash, rules].every((field) => field === undefined || typeof field === "string") &&
    Array.isArray(projects) &&
    projects.every((name) => typeof name === "string");
  return (
    texts &&
    hashes &&
    flags &&
    union &&
    shape &&
    Array.isArray(shown) &&
    shown.every((line) => typeof line === "string")
  );
}

/** The directory of a change is checked, and a record must not reach another one. */
function isSibling(name: unknown): boolean {
  return typeof name === "string" && isBaselineFileName(name) && !/[/\\]/.test(name);
}
