import type { ReportChange, ReportMiss } from "./report-case.ts";

/** A whole number with commas between its thousands: `1,204`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A count and what is counted: `1 change`, `1,204 changes`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** A count and what is counted, without commas: for lines that are read by programs too. */
export function amount(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * Where a difference lies, as failure messages write it: `total`, `request.messages[0]`, `(root)` for the whole
 * output. Untrusted text.
 */
export function shownPlace({ part, path }: Pick<ReportChange<unknown>, "part" | "path">): string {
  if (part === "calls") return path;
  if (part === "output") return path === "" ? "(root)" : path;
  if (path === "") return part;
  return path.startsWith("[") ? `${part}${path}` : `${part}.${path}`;
}

/** Where changes wait: in the project, or in a state directory that CI uploads for somebody to settle elsewhere. */
export type WaitingPlace = "project" | "upload";

/** The line that says how what waits is settled, without a second run. */
export function waitingLine(waiting: number, place: WaitingPlace): string {
  const what = amount(waiting, "change waits", "changes wait");
  return place === "project"
    ? `${what} for review: ${reviewLine(place)}, or accept --all, reject --all`
    : `${what} for review in CI's state directory: download it, then ${reviewLine(place)}, or accept --all ${FROM}`;
}

/** The command that shows what waits. */
export function reviewLine(place: WaitingPlace): string {
  return place === "project" ? "npx veritest review" : `npx veritest review ${FROM}`;
}

/** How a command is told to look into what CI uploaded, by a name that can be pasted: `<…>` is a redirect. */
export const FROM = "--from veritest-state.zip";

/** Why a recording has no answer for a call, to be read after the adapter's name. */
export function missText({ reason, recorded, chunks, bare }: Omit<ReportMiss<unknown>, "adapter" | "changes">): string {
  if (bare === true)
    return "was called, but this baseline has no recorded calls: it was captured from a result without them";
  switch (reason) {
    case "unknown_adapter":
      return "was called, but no call of it was recorded";
    case "unknown_request":
      return `was called with a request that was not recorded (${recorded} recorded for it)`;
    case "repeated":
      return `was called again more often than recorded (${recorded} recorded for it)`;
    case "stream_exhausted":
      return (
        "was read past the end of its recorded stream" + (chunks === undefined ? "" : ` (${counted(chunks, "chunk")})`)
      );
    case "hash_only":
      return "was called, but of its recorded answer only the hash was kept";
  }
}

/** How long something took: `3 ms`, `4.2 s`, `2 min 5 s`. Takes milliseconds. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
