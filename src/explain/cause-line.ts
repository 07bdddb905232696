import type { CallChange } from "../record/calls/diff-calls.ts";
import { escapeText, formatPath, truncate } from "../kernel/text.ts";
import { formatEntry } from "../kernel/diff/format-diff.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import { stableStringify } from "../kernel/json/canonical-json.ts";
import { memberOf } from "../kernel/json/plain-data.ts";
import { FETCH } from "../record/adapter-call.ts";
import { exactPattern } from "../record/model-call.ts";
import type { Cause, Evidence, RequestChange, ResponseChange } from "../check/cause/cause.ts";
import { entriesOfChanges } from "../check/compare/compare.ts";
import type { Verdict } from "../check/verdict.ts";

/**
 * Characters of a value, and of the evidence for one cause: what is longer is cut once, not within what is cut already.
 */
const MAX_VALUE = 40;
const MAX_EVIDENCE = 160;
/** Number of locations that are named; the rest is only counted. */
const MAX_LOCATIONS = 2;

/**
 * Returns one line with the cause of a change, and its evidence if the verdict's own lines don't show it. Safe to
 * print.
 */
export function causeLine({ kind, evidence }: Cause, verdict?: Verdict): string {
  const texts = evidence.map((item) => {
    const text = evidenceText(item, evidence, kind === "mixed" ? undefined : verdict);
    return `${kind === "mixed" ? `${item.kind} ` : ""}${text === "" ? "" : `(${text})`}`;
  });
  return `cause: ${kind === "mixed" ? "mixed: " : `${kind} `}${texts.join(", ")}`.replaceAll("\n", " ").trimEnd();
}

/** Returns the text of one piece of evidence; empty if the verdict's own lines already have it. */
function evidenceText(evidence: Evidence, all: readonly Evidence[], verdict: Verdict | undefined): string {
  switch (evidence.kind) {
    case "code":
      return codeText(evidence, all, verdict);
    case "prompt":
      return isUnrecorded(evidence.requests, verdict) ? "" : list(requestTexts(evidence.requests, verdict));
    case "model":
    case "response":
      if (evidence.responses.length === 0 && isUnrecorded(evidence.requests, verdict)) return "";
      return list([...evidence.requests.flatMap(requestEntries), ...responseTexts(evidence)]);
    case "environment":
      // The entries have the part of the URL that differs.
      return (
        evidence.settings ?? list(evidence.requests.flatMap((change) => requestEntries({ ...change, url: undefined })))
      );
    case "schema": {
      const refused = evidence.violations.some(({ isInput }) => isInput === true) ? "an input" : "an output";
      if (verdict?.kind === "schema_violation" && evidence.violations.length === verdict.violations.length)
        return `rejects ${refused} that it accepted before`;
      const paths = list(evidence.violations.map(({ path }) => [formatPath(path)]));
      if (evidence.violations.length > 0) return `rejects ${refused} that it accepted before: ${paths}`;
      if (evidence.requests !== undefined) return `of requests: ${list(requestTexts(evidence.requests))}`;
      if (evidence.outputs !== undefined) return outputsText(evidence.outputs);
      return evidence.entries.length === 0
        ? "the schema parses the stored input differently"
        : `the schema parses the stored input differently: ${locationsText(evidence.entries)}`;
    }
  }
}

/** Describes differences that a schema makes in an output. */
function outputsText(entries: readonly DiffEntry[]): string {
  return entries.every(({ after }) => after === undefined)
    ? `drops from the output: ${list(entries.map(({ path }) => [formatPath(path)]))}`
    : `the schema parses the output differently: ${locationsText(entries)}`;
}

function requestEntries({ adapter, entries, url }: RequestChange): Forms[] {
  return entries.map((entry) => {
    const [text, location = adapter] = entryForms(entry, `${adapter} `);
    return [url === undefined ? text : entryForms(entry, `${url} `)[0], text, location];
  });
}

/** Returns true if the only changed request is the one that a verdict reports as unrecorded. */
function isUnrecorded(requests: readonly RequestChange[], verdict: Verdict | undefined): boolean {
  const [only, ...more] = requests;
  return (
    verdict?.kind === "request_changed" &&
    more.length === 0 &&
    only?.kind === "changed" &&
    only.adapter === verdict.unrecorded.adapter
  );
}

/** Returns true if these are the only changes. */
function areAll(entries: readonly DiffEntry[], verdict: Verdict | undefined): boolean {
  if (verdict === undefined || !("changes" in verdict)) return false;
  const known = new Set(entries.map(({ path }) => JSON.stringify(path)));
  return entriesOfChanges(verdict.changes).every(({ path }) => known.has(JSON.stringify(path)));
}

function codeText(
  {
    entries,
    ended,
    unstable,
    varying,
    uses = [],
    calls = [],
    hasOtherSecrets,
    moved = [],
    headers = [],
    prose,
  }: Extract<Evidence, { kind: "code" }>,
  all: readonly Evidence[],
  verdict: Verdict | undefined,
): string {
  if (headers.length > 0) return `request headers differ: ${list(headers.map((name): Forms => [name]))}`;
  if (hasOtherSecrets === true) return `it sends different secrets: ${list(calls.map(locationsOf))}`;
  if (calls.length > 0) {
    const which = isUnrecorded(calls, verdict) ? "" : `: ${list(requestTexts(calls, verdict))}`;
    const hint =
      prose === undefined ? "" : `. Is ${prose} a model? If so, set roles: { ${JSON.stringify(prose)}: "model" }`;
    return `with the same responses, it sends different requests${which}${escapeText(hint)}`;
  }
  if (moved.length > 0) {
    const moves = moved.map(
      ({ adapter, movedTo }): Forms => [
        adapter === movedTo.adapter ? adapter : `${adapter} ${movedTo.side} ${movedTo.adapter}`,
      ],
    );
    return `with the same responses, it writes in a different order: ${list(moves)}`;
  }
  if (ended !== undefined) return truncate(escapeText(ended), MAX_EVIDENCE);
  if (varying !== undefined) return `differs from run to run: ${varyingText(varying)}${usesText(uses)}`;
  if (unstable === true)
    return entries.length === 0 || areAll(entries, verdict)
      ? `differs from run to run with the same responses${usesText(uses)}`
      : `differs from run to run with the same responses: ${locationsText(entries)}${usesText(uses)}`;
  return all.length === 1
    ? "same requests, same responses, new output"
    : `with the recorded responses: ${locationsText(entries)}`;
}

/** Versions of a text, from the most detailed to the shortest. */
type Forms = readonly [string, ...string[]];

/** Describes changed requests; those that are sent more or less often by their number. */
function requestTexts(requests: readonly RequestChange[], verdict?: Verdict): readonly Forms[] {
  const unrecorded = verdict?.kind === "request_changed" ? verdict.unrecorded : undefined;
  const groups = Map.groupBy(requests, ({ kind, adapter, url = adapter }, index) =>
    kind === "changed" ? index : `${kind} ${url}`,
  );
  return [...groups.values()].flatMap((of): Forms[] => {
    const [change = NO_REQUEST] = of;
    const { kind } = change;
    const noun = of.length === 1 ? "call" : "calls";
    if (kind === "changed")
      return [withWords(locationsOf(change), (form) => `${form} ${isMove(change) ? "moved" : "changed"}`)];
    const isNew = kind === "added" && unrecorded?.reason === "unknown_adapter" && unrecorded.adapter === change.adapter;
    const which = kind === "added" ? "more " : "fewer ";
    return [
      withWords(
        namesOf(change),
        (name) => `${of.length} ${isNew ? "" : which}${noun} to ${name}${isNew ? ", a new adapter" : ""}`,
      ),
    ];
  });
}

/** Returns the names of a call: its method and URL, if it's of `fetch`, and its adapter. */
function namesOf({ adapter, url }: Pick<RequestChange, "adapter" | "url">): Forms {
  return url === undefined ? [adapter] : [url, truncate(url, MAX_URL), adapter];
}

function withWords([form, ...shorter]: Forms, words: (form: string) => string): Forms {
  return [words(form), ...shorter.map(words)];
}

function locationsOf(change: RequestChange): Forms {
  const paths = new Set(change.entries.map(({ path }) => formatPath(path)));
  const locations = list(Array.from(paths, (path): Forms => [path]));
  return [...withWords(namesOf(change), (name) => `${name} ${locations}`), change.adapter];
}

/** Returns true if tools of a request moved and didn't change: each is removed from one index and added at another. */
function isMove({ entries }: RequestChange): boolean {
  const tools = entries.map(({ path, before, after }) => stableStringify([path, before ?? after]));
  return tools.length / new Set(tools).size === 2;
}

/** Characters of a method and URL that are shown if the complete one doesn't fit. */
const MAX_URL = 60;

const NO_REQUEST: RequestChange = { kind: "changed", adapter: "", entries: [] };

function responseTexts({ kind, responses, follows }: Extract<Evidence, { kind: "model" | "response" }>): Forms[] {
  if (follows !== undefined && responses.length > 0) {
    const texts = list(follows.changes.map(followText));
    const named = { adapter: "", ...responses[0] };
    const names: Forms = follows.nth === undefined ? namesOf(named) : [`call ${follows.nth}`];
    return [withWords(names, (name) => `${name} responded differently: ${texts}`)];
  }
  if (responses.length === 0) return [];
  const calls = new Map(responses.map((response) => [response.url ?? response.adapter, response]));
  const names = list([...calls.values()].map((response) => namesOf(response)));
  const failures = responses.flatMap((response) => failureText(response) ?? []);
  if (failures.length > 0) return failures.map((text): Forms => [text]);
  if (kind === "model") return [[`same requests, different responses: ${names}`]];
  return [[`${names} responded differently`]];
}

/** Describes a call that failed, and whose failure the step handles; undefined for any other response. */
function failureText({ adapter: caller, url, entries }: ResponseChange): string | undefined {
  const adapter = url === undefined ? caller : truncate(url, MAX_URL);
  const after = (...at: readonly string[]): unknown =>
    entries.find(({ path }) => path.length === at.length && at.every((key, index) => path[index] === key))?.after;
  const error = after("error");
  if (error !== undefined) {
    const message = memberOf(memberOf(error, "v"), "message");
    return typeof message === "string" && message !== ""
      ? `${adapter} failed: ${truncate(message, 2 * MAX_VALUE)}`
      : `${adapter} failed`;
  }
  const status = caller === FETCH ? after("response", "status") : undefined;
  if (typeof status === "number" && status >= 400) return `${adapter} failed with status ${status}`;
  return after("response", "isError") === true ? `${adapter} failed` : undefined;
}

/** Describes a call that a step makes now because of a response. */
function followText(change: CallChange): Forms {
  const { adapter } = change;
  if (change.kind === "changed") return [`now calls ${adapter} with a different request`];
  const names = namesOf({ adapter, url: exactPattern({ adapter, request: [change.request] }) });
  return withWords(names, (name) => {
    if (change.kind !== "moved") return `${change.kind === "added" ? "now" : "no longer"} calls ${name}`;
    const { side, adapter: other } = change.movedTo;
    return `now calls ${name} ${adapter === other ? "in a different order" : `${side} ${other}`}`;
  });
}

function locationsText(entries: readonly DiffEntry[]): string {
  return list(entries.map((entry) => entryForms(entry, "")));
}

/** Formats a changed location with its values, or the location alone. */
function entryForms(entry: DiffEntry, before: string): Forms {
  return [before + formatEntry(entry, MAX_VALUE).trim(), before + formatPath(entry.path)];
}

/** Merges equal texts into one with their number. */
function merged(all: readonly Forms[]): readonly Forms[] {
  const counted = new Map<string, { readonly forms: Forms; count: number }>();
  for (const forms of all) {
    const known = counted.get(forms[0]) ?? { forms, count: 0 };
    known.count += 1;
    counted.set(forms[0], known);
  }
  return [...counted.values()].map(({ forms: [text, ...shorter], count }): Forms => {
    const often = count === 1 ? "" : ` (${count} times)`;
    return [`${text}${often}`, ...shorter.map((form) => `${form}${often}`)];
  });
}

/** Lists the first texts that fit, and counts the others. */
function list(all: readonly Forms[]): string {
  const texts = merged(all);
  const forms = Math.max(2, ...texts.map(({ length }) => length));
  const wordings = [MAX_LOCATIONS, 1].flatMap((count) =>
    Array.from({ length: forms }, (_, form) => firstOf(texts, { count, form })),
  );
  const fits = wordings.find((text) => text.length <= MAX_EVIDENCE);
  return fits ?? truncate(wordings.at(-1) ?? "", MAX_EVIDENCE);
}

function firstOf(texts: readonly Forms[], { count, form }: { readonly count: number; readonly form: number }): string {
  const rest = texts.length - count;
  const listed = texts
    .slice(0, count)
    .map((forms) => escapeText(forms[form] ?? forms.at(-1) ?? ""))
    .join(", ");
  return rest > 0 ? `${listed} and ${rest} more` : listed;
}

/** Names the part of a request that varies, and a time in it, by far the most common reason. */
function varyingText({ adapter, entries }: RequestChange): string {
  const hasTime = entries.some(({ after }) => typeof after === "string" && TIME.test(after));
  return `${hasTime ? "a time in " : ""}${escapeText(adapter)} ${list(entries.map(({ path }) => [formatPath(path)]))}`;
}

/** Uses of time, random numbers and ids, after the part that differs. */
function usesText(uses: readonly string[]): string {
  return uses.length === 0 ? "" : `; ${list(uses.map((use): Forms => [use]))}`;
}

const TIME = /\d{4}-\d\d-\d\d|\d\d:\d\d|(?<!\d)1\d{9}(?:\d{3})?(?!\d)/;
