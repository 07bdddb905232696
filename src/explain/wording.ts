import { costText } from "../kernel/text.ts";
import type { ReportChange, ReportUnrecordedRequest, ReportUsage } from "./report-case.ts";

/** Formats an integer with commas between its thousands: `1,204`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Live calls with their tokens and cost: `12 (3,400 tokens in, 210 out), $0.0123`. */
export function usageText({ calls, ...rest }: ReportUsage): string {
  return `${formatCount(calls)} ${tokensText(rest)}`;
}

/** Tokens and cost of live calls: `(3,400 tokens in, 210 out), $0.0123`. */
export function tokensText({ inputTokens, outputTokens, cost }: Omit<ReportUsage, "calls">): string {
  const tokens = `(${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out)`;
  return cost === undefined ? tokens : `${tokens}, ${costText(cost)}`;
}

/** A count and what is counted: `1 change`, `1,204 changes`. */
export function counted(count: number, singular: string, many: string = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : many}`;
}

/** A count and what is counted, without commas: for lines that are read by programs too. */
export function plainCount(count: number, singular: string, many: string = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : many}`;
}

/**
 * Returns the location of a difference, as failure messages write it: `total`, `request.messages[0]`, `(root)` for the
 * entire output, and `request` for an entire request. Untrusted text.
 */
export function formatLocation({ part, path }: Pick<ReportChange<unknown>, "part" | "path">): string {
  if (part === "calls") return path;
  if (part === "output") return path === "" ? "(root)" : path;
  if (path === "" || path === "(root)") return part;
  return path.startsWith("[") ? `${part}${path}` : `${part}.${path}`;
}

/** Number of names that a message lists before it counts the rest. */
const MAX_NAMED = 5;

/** The first names of a message, and how many more there are. */
export function firstNames(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Returns a written path with `*` for indexes, if the parsed path is unknown. */
export function withoutIndexes(path: string): string {
  return path.replace(/\[\d+\]/g, "[*]");
}

/** Returns true for the path of a complete command, not of a part of one: `[0]`, `["emit order.closed"]`, `review`. */
export function isCommandPath(path: string): boolean {
  return /^(?:\[(?:\d+|\*|"(?:[^"\\]|\\.)*")\]|[^.[\]]*)$/.test(path);
}

/** Location of pending changes: in the project, or in a state directory that CI uploads to be applied elsewhere. */
export type PendingLocation = "project" | "upload";

/** Returns the number of a run's pending changes, and with those of earlier runs, which every command also lists. */
export function pendingCount(count: number, earlier: number = 0): string {
  const what = plainCount(count, "change is pending", "changes are pending");
  return earlier === 0 ? what : `${what} (${count + earlier} with earlier runs)`;
}

/** Returns the line on how to apply pending changes without a second run. */
export function pendingLine(count: number, location: PendingLocation, earlier: number = 0): string {
  const what = pendingCount(count, earlier);
  return location === "project"
    ? `${what}: ${reviewLine(location)}, or accept --all, reject --all`
    : `${what} in CI's state directory. Download it, then ${reviewLine(location)}, or accept --all ${FROM}`;
}

/** Returns the command that shows pending changes. */
export function reviewLine(location: PendingLocation): string {
  return location === "project" ? "npx veritest review" : `npx veritest review ${FROM}`;
}

/** Option that makes a command read CI's upload, with a name that can be pasted: `<…>` is a redirect. */
export const FROM = "--from veritest-state.zip";

/** The command that accepts a group. */
export function acceptGroupCommand(id: string, location: PendingLocation): string {
  return `npx veritest accept --group ${id}${location === "project" ? "" : ` ${FROM}`}`;
}

/** Why a recording has no answer for a call, to be read after the adapter's name. */
export function unrecordedRequestText({
  reason,
  recorded,
  chunks,
  bare,
}: Omit<ReportUnrecordedRequest<unknown>, "adapter" | "changes">): string {
  if (bare === true) return "was called, but this baseline was captured from a result without recorded calls";
  switch (reason) {
    case "unknown_adapter":
      return "was called, but no call of it was recorded";
    case "unknown_request":
      return `was called with a request that wasn't recorded (${recorded} recorded for it)`;
    case "repeated":
      return `was called again more often than recorded (${recorded} recorded for it)`;
    case "stream_exhausted":
      return (
        "was read past the end of its recorded stream" + (chunks === undefined ? "" : ` (${counted(chunks, "chunk")})`)
      );
    case "no_response":
      return "was awaited, but the recorded run didn't wait for its response";
    case "hash_only":
      return "was called, but only the hash of its recorded response is stored";
  }
}

/** Returns the sentence for cases that a live check compared on recorded responses. */
export function notLiveText(count: number): string {
  const [cases, inputs, them] =
    count === 1 ? ["case", "its stored input has", "it"] : ["cases", "their stored inputs have", "them"];
  return (
    `${count} ${cases} checked with recorded responses instead of live, because ${inputs} placeholders for secrets. ` +
    `To check ${them} live, pass a name and the input in the test: toMatchBaseline({ name, input, adapters })`
  );
}

/** Formats a duration: `3 ms`, `4.2 s`, `2 min 5 s`. Takes milliseconds. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Separator of facts that differ between merged runs: `22.12.0, 24.0.0`. */
export const SEPARATOR = ", ";

/** Returns the runners of a run with their versions, `vitest 5.1.1`. A merged run may have several. */
export function runnerTexts(runner: { readonly name: string; readonly version: string } | null): string[] {
  if (runner === null) return [];
  const [names, versions] = [runner.name.split(SEPARATOR), runner.version.split(SEPARATOR)];
  if (names.length !== versions.length) return [`${runner.name} ${runner.version}`];
  return names.map((name, index) => `${name} ${versions[index] ?? ""}`);
}
