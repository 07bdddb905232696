import { performance } from "node:perf_hooks";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { formatPath, sharedEnds } from "../../kernel/text.ts";
import { type ComparisonRules, type Outcome, diffOutcomes } from "../compare/compare.ts";
import type { Evidence, RequestChange } from "./cause.ts";
import { type LocalSettings, withLocalSettings } from "./local-settings.ts";
import { type OfflineRunOptions, type OfflineRun, replayWithStubs, withoutCall } from "./replay-with-stubs.ts";

/** Time zones and locales to try, the common ones first. */
const TIME_ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Los_Angeles",
  "Europe/London",
  "America/Chicago",
  "Asia/Kolkata",
  "Asia/Tokyo",
  "Asia/Shanghai",
  "Australia/Sydney",
  "America/Sao_Paulo",
];
const LOCALES = ["en-US", "de-DE", "en-GB", "fr-FR", "es-ES", "pt-BR", "ja-JP", "zh-CN"];
/** Time for further runs, as `ownTime` measures it: a slow step isn't run twenty times for its cause. */
const MAX_MS = 2000;
/** Another year, month, weekday, hour and minute. */
const CLOCK_SHIFT = (401 * 24 * 60 + 13 * 60 + 37) * 60_000;
/** Parts of a text that a time, a time zone or a locale changes. */
const LOCAL_PARTS =
  /\p{L}*\d[\p{L}\d]*|\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*/giu;

/** Result of the current code on the recorded responses, and the result to explain. */
export interface LocalRun {
  readonly options: OfflineRunOptions;
  readonly run: OfflineRun;
  readonly stored: Outcome;
  readonly rules: ComparisonRules;
}

/**
 * Finds out if changes are those of another time, time zone or locale, by runs on the recorded responses. With another
 * time zone or locale the run must send the recorded requests and have the recorded result. With another time it must
 * differ again where only times differ. Returns this evidence in place of the evidence for code and prompt, or else all
 * evidence unchanged.
 */
export async function withLocalEvidence(evidence: readonly Evidence[], local: LocalRun): Promise<readonly Evidence[]> {
  const entries = evidence.flatMap(entriesOf);
  if (entries.length === 0 || !entries.every(hasNumbers)) return evidence;
  const localCause =
    (await settingsEvidence(local)) ?? (entries.every(isOtherTime) ? await timeEvidence(entries, local) : undefined);
  return localCause === undefined ? evidence : [localCause, ...evidence.filter((item) => !isOfOwnRun(item))];
}

/** Returns true for evidence from the runs on recorded responses: those on live ones show more than the time. */
function isOfOwnRun(evidence: Evidence): boolean {
  return evidence.kind === "prompt" || (evidence.kind === "code" && evidence.headers === undefined);
}

function entriesOf(evidence: Evidence): readonly DiffEntry[] {
  if (evidence.kind === "prompt") return evidence.requests.flatMap((request) => request.entries);
  if (evidence.kind !== "code") return [];
  return [...evidence.entries, ...(evidence.calls ?? []).flatMap((call) => call.entries)];
}

/** Returns true if both sides are numbers, or texts with numbers in the lines that differ. */
function hasNumbers({ before, after }: DiffEntry): boolean {
  if (typeof before !== "string" || typeof after !== "string")
    return [before, after].every(
      (value) => typeof value === "number" || (typeof value === "string" && /\d/.test(value)),
    );
  const { start, end } = sharedEnds(before, after);
  return [before, after].every((text) => {
    const until = text.indexOf("\n", text.length - end);
    return /\d/.test(text.slice(text.lastIndexOf("\n", start - 1) + 1, until === -1 ? undefined : until));
  });
}

function isOtherTime({ before, after }: DiffEntry): boolean {
  const [old, now] = [before, after].map((value) => String(value).replaceAll(LOCAL_PARTS, "0"));
  return old === now;
}

/** Returns the time zone or locale with which the run is the recorded one. */
async function settingsEvidence({ options, stored, rules }: LocalRun): Promise<Evidence | undefined> {
  const { timeZone, locale } = new Intl.DateTimeFormat().resolvedOptions();
  const started = ownTime();
  const isRecorded = async (settings: LocalSettings): Promise<boolean> => {
    if (ownTime() - started > MAX_MS) return false;
    const run = await withLocalSettings(settings, async () =>
      replayWithStubs({ ...options, usesNearestResponse: false }),
    );
    return run.kind === "ran" && run.changes.length === 0 && diffOutcomes(stored, run.outcome, rules).length === 0;
  };
  for (const name of TIME_ZONES)
    if (name !== timeZone && (await isRecorded({ timeZone: name })))
      return environment(`the result matches the baseline in time zone ${name}, but not in ${timeZone}`);
  for (const name of LOCALES)
    if (name !== locale && (await isRecorded({ locale: name })))
      return environment(`the result matches the baseline with locale ${name}, but not with ${locale}`);
  return undefined;
}

function environment(settings: string): Evidence {
  return { kind: "environment", requests: [], settings };
}

/**
 * Milliseconds that this thread computed or waited. Unlike the time of day, they don't grow while other processes have
 * the processor, so the cause is the same on a busy machine.
 */
function ownTime(): number {
  // Node 22 has only the time of all threads.
  const node: Partial<Pick<NodeJS.Process, "threadCpuUsage">> = process;
  const { user, system } = node.threadCpuUsage?.() ?? process.cpuUsage();
  return performance.eventLoopUtilization().idle + (user + system) / 1000;
}

async function timeEvidence(entries: readonly DiffEntry[], local: LocalRun): Promise<Evidence | undefined> {
  const { options, run, rules } = local;
  const later = await withLocalSettings({ clockShift: CLOCK_SHIFT }, async () => replayWithStubs(options));
  const before = new Set(run.changes.map(textOf));
  const changed = later.changes.filter((change) => !before.has(textOf(change)));
  const [varying] = changed.map(withoutCall);
  const { uses } = later;
  if (varying !== undefined) return { kind: "code", entries: [], varying, uses };
  if (run.kind !== "ran" || later.kind !== "ran") return undefined;
  // Each difference from the baseline must also change with the time, including those that rules tolerate.
  const moved = new Set(diffOutcomes(run.outcome, later.outcome, rules).map(({ path }) => formatPath(path)));
  const isUnstable = entries.every(({ path }) => moved.has(formatPath(path)));
  return isUnstable ? { kind: "code", entries, unstable: true, uses } : undefined;
}

function textOf({ adapter, entries }: RequestChange): string {
  return stableStringify([adapter, entries.map(({ path, after }) => [path, after])]);
}
