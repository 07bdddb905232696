import { performance } from "node:perf_hooks";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { sharedEnds } from "../../kernel/text.ts";
import { type ComparisonRules, type Outcome, diffOutcomes } from "../compare/compare.ts";
import type { Evidence, RequestChange } from "./cause.ts";
import { type LocalSetting, type LocalSettings, watchLocalSettings, withLocalSettings } from "./local-settings.ts";
import { type OfflineRunOptions, type OfflineRun, replayWithStubs } from "./replay-with-stubs.ts";
import { withoutCall } from "./stubbed-calls.ts";

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
/** Another year, month, weekday, hour, minute, second and millisecond. */
const CLOCK_SHIFT = (401 * 24 * 60 + 13 * 60 + 37) * 60_000 + 23_411;
const DAY_OR_MONTH = "\\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\p{L}*";
/** Parts of a text that a time, a time zone or a locale changes: numbers and names of days and months. */
const LOCAL_PARTS = new RegExp(String.raw`\p{L}*\d[\p{L}\d]*(?:[-:./]\d[\p{L}\d]*)*|${DAY_OR_MONTH}`, "giu");

/** Run of the current code on the recorded responses. */
export interface CurrentRun {
  readonly options: OfflineRunOptions;
  readonly run: OfflineRun;
  /** Local settings that the run read. Other settings don't change its result, so the step doesn't run with them. */
  readonly read: ReadonlySet<LocalSetting>;
}

/** Such a run, and the result to explain. */
export interface LocalRun extends CurrentRun {
  readonly stored: Outcome;
  readonly rules: ComparisonRules;
}

/** Runs the current code on the recorded responses. */
export async function currentRun(options: OfflineRunOptions): Promise<CurrentRun> {
  const { value, read } = await watchLocalSettings(async () => replayWithStubs(options));
  return { options, run: value, read };
}

/**
 * Finds out if changes are those of another time, time zone or locale, by runs on the recorded responses. With another
 * time zone or locale the run must send the recorded requests and have the recorded result. With another time each
 * part of a text that differs must differ again. Returns this evidence in place of the evidence for code and prompt
 * that it explains, or else all evidence unchanged.
 */
export async function withLocalEvidence(evidence: readonly Evidence[], local: LocalRun): Promise<readonly Evidence[]> {
  const differences = evidence.flatMap(differencesOf);
  if (differences.length === 0) return evidence;
  const settings = differences.every(hasNumbers) ? await settingsEvidence(local) : undefined;
  if (settings !== undefined) return [settings, ...evidence.filter((item) => !isFromOfflineRun(item))];
  return withTimeEvidence(evidence, local);
}

/**
 * Returns true for evidence that a run on recorded responses gave, so that one in another time zone may explain it.
 * Headers (`headerEvidence`) and responses are evidence from live runs, which no such run explains.
 */
function isFromOfflineRun(evidence: Evidence): boolean {
  return evidence.kind === "prompt" || (evidence.kind === "code" && evidence.headers === undefined);
}

/** A difference of a result, or of a request to an adapter. */
type Difference = DiffEntry & Partial<Pick<RequestChange, "adapter">>;

function differencesOf(evidence: Evidence): readonly Difference[] {
  if (evidence.kind === "prompt") return evidence.requests.flatMap(requestDifferences);
  if (evidence.kind !== "code") return [];
  return [...evidence.entries, ...(evidence.calls ?? []).flatMap(requestDifferences)];
}

function requestDifferences({ adapter, entries }: RequestChange): readonly Difference[] {
  return entries.map((entry) => ({ ...entry, adapter }));
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

/** Returns true if only numbers and names of days and months differ. */
function isOtherTime({ before, after }: DiffEntry): boolean {
  const [textBefore, textAfter] = [before, after].map((value) => String(value).replaceAll(LOCAL_PARTS, "0"));
  return textBefore === textAfter;
}

/** Returns true if each number and name that differs from the recorded one differs again at another time. */
function movesWithTime({ before, after }: DiffEntry, later: unknown): boolean {
  const partsOf = (value: unknown): readonly string[] => String(value).match(LOCAL_PARTS) ?? [];
  const [partsBefore, partsAfter, partsLater] = [partsOf(before), partsOf(after), partsOf(later)];
  if (partsAfter.length !== partsLater.length) return false;
  return partsAfter.every((part, index) => part === partsBefore[index] || part !== partsLater[index]);
}

/** Returns the time zone, the locale, or both with which the run is the recorded one. */
async function settingsEvidence({ options, run, read, stored, rules }: LocalRun): Promise<Evidence | undefined> {
  const isRecorded = ({ changes, ...end }: OfflineRun): boolean =>
    end.kind === "ran" && changes.length === 0 && diffOutcomes(stored, end.outcome, rules).length === 0;
  if (isRecorded(run)) return undefined;
  const now = new Intl.DateTimeFormat().resolvedOptions();
  const started = ownTime();
  const rerun = async (settings: LocalSettings): Promise<OfflineRun> =>
    withLocalSettings(settings, async () => replayWithStubs({ ...options, usesNearestResponse: false }));
  const zones = read.has("timeZone") ? TIME_ZONES.filter((name) => name !== now.timeZone) : [];
  const locales = read.has("locale") ? LOCALES.filter((name) => name !== now.locale) : [];
  const current = zones.length > 0 && locales.length > 0 ? resultOf(await rerun({})) : undefined;
  // Settings with another result than the current ones: only these are tried together.
  const effective: LocalSettings[] = [];
  const isSetting = async (settings: LocalSettings): Promise<boolean> => {
    if (ownTime() - started > MAX_MS) return false;
    const again = await rerun(settings);
    if (resultOf(again) !== current) effective.push(settings);
    // A result that differs from run to run may be the recorded one by chance.
    return isRecorded(again) && !isRecorded(await rerun({}));
  };
  for (const timeZone of zones) if (await isSetting({ timeZone })) return environment({ timeZone }, now);
  for (const locale of locales) if (await isSetting({ locale })) return environment({ locale }, now);
  for (const both of pairsOf(effective)) if (await isSetting(both)) return environment(both, now);
  return undefined;
}

/** Returns each time zone together with each locale. */
function pairsOf(settings: readonly LocalSettings[]): readonly LocalSettings[] {
  const locales = settings.filter(({ locale }) => locale !== undefined);
  return settings
    .filter(({ timeZone }) => timeZone !== undefined)
    .flatMap((zone) => locales.map((locale) => ({ ...zone, ...locale })));
}

/** Returns the result of a run, or its first unrecorded request, as text. */
function resultOf(end: OfflineRun): string {
  const result = end.kind === "ran" ? end.outcome : end.kind === "unrecorded" && end.unrecorded;
  return stableStringify([end.kind, result]);
}

function environment(
  { timeZone, locale }: LocalSettings,
  now: Pick<Intl.ResolvedDateTimeFormatOptions, "timeZone" | "locale">,
): Evidence {
  const names = (zone: string, language: string): string => {
    const inZone = timeZone === undefined ? [] : [`in ${zone}`];
    return [...inZone, ...(locale === undefined ? [] : [`with ${language}`])].join(" ");
  };
  const recorded = names(`time zone ${timeZone}`, `locale ${locale}`);
  const settings = `the result matches the baseline ${recorded}, but not ${names(now.timeZone, now.locale)}`;
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

/** Replaces the evidence in which only times differ by one of the code that reads the time. */
async function withTimeEvidence(evidence: readonly Evidence[], local: LocalRun): Promise<readonly Evidence[]> {
  if (!local.read.has("clockShift")) return evidence;
  const candidates = evidence.filter((item) => {
    const differences = isFromOfflineRun(item) ? differencesOf(item) : [];
    return differences.length > 0 && differences.every(isOtherTime);
  });
  if (candidates.length === 0) return evidence;
  const { options, run, rules } = local;
  const later = await withLocalSettings({ clockShift: CLOCK_SHIFT }, async () => replayWithStubs(options));
  const before = new Set(run.changes.map(textOf));
  const changed = later.changes.filter((change) => !before.has(textOf(change)));
  // Each difference from the baseline must also change with the time, including those that rules tolerate.
  const results = run.kind === "ran" && later.kind === "ran" ? diffOutcomes(run.outcome, later.outcome, rules) : [];
  const moved = [...changed.flatMap(requestDifferences), ...results];
  const explained = new Set(
    candidates.filter((item) =>
      differencesOf(item).every((difference) =>
        moved.some((again) => locationOf(again) === locationOf(difference) && movesWithTime(difference, again.after)),
      ),
    ),
  );
  if (explained.size === 0) return evidence;
  const { uses } = later;
  const [varying] = changed.map(withoutCall);
  const ofTime: Evidence =
    varying === undefined
      ? { kind: "code", entries: [...explained].flatMap(differencesOf), unstable: true, uses }
      : { kind: "code", entries: [], varying, uses };
  return [ofTime, ...evidence.filter((item) => !explained.has(item))];
}

function locationOf({ adapter = "", path }: Difference): string {
  return stableStringify([adapter, path]);
}

function textOf({ adapter, entries }: RequestChange): string {
  return stableStringify([adapter, entries.map(({ path, after }) => [path, after])]);
}
