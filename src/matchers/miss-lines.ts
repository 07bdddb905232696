import { escapeText } from "../base/text.ts";
import { diff } from "../diff/diff.ts";
import type { RecordingMiss } from "../record/serve-adapters.ts";
import { wordLines } from "./word-lines.ts";

/** Writes the entries of a diff that are no long texts. */
type WriteEntries = (entries: ReturnType<typeof diff>["entries"]) => string[];

/** What was asked for that is not recorded: the adapter, the nearest recorded request, and where the two differ. */
export function missLines(miss: RecordingMiss, recorded: number, write: WriteEntries): string[] {
  const { adapter, request, reason, nearest, limit = 0 } = miss;
  const who = `    adapter ${JSON.stringify(adapter)}`;
  if (recorded === 0)
    return [
      escapeText(
        `${who} was called, but this baseline has no recorded calls: it was captured from a result without them`,
      ),
    ];
  if (reason === "stream_exhausted")
    return [
      escapeText(`${who} was read past the end of its recorded stream (${limit} ${limit === 1 ? "chunk" : "chunks"})`),
    ];
  const head = `${who} was called with a request that was not recorded (${miss.recorded} recorded for it)`;
  if (nearest === undefined) return [escapeText(head)];
  const entries = diff(nearest.request, request).entries.map((entry) => ({
    ...entry,
    path: ["request", ...entry.path],
  }));
  if (entries.length === 0) return [escapeText(`${head}: called again more often than recorded`)];
  const long = new Map(entries.map((entry) => [entry, wordLines(entry, "    ")]));
  return [
    escapeText(head),
    ...write(entries.filter((entry) => long.get(entry) === undefined)),
    ...entries.flatMap((entry) => long.get(entry) ?? []),
  ];
}
