import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { answers } from "../../kernel/files/processes.ts";
import { listNames } from "../../kernel/files/read.ts";
import { removeBlobsBefore } from "./blobs.ts";
import { parseSegmentName } from "./segment.ts";

/** What to keep. */
export interface Retention {
  /** Segments that were last written to before so many days go. */
  readonly days: number;
  /** Then the oldest go until the rest is at most so many bytes. */
  readonly totalBytes: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether a process still runs; asks the system unless given. */
  readonly isAlive?: (pid: number) => boolean;
}

/** What was deleted. */
export interface Pruned {
  /** File names, the oldest first. */
  readonly segments: readonly string[];
  /** How many long bodies. */
  readonly blobs: number;
}

interface Segment {
  readonly name: string;
  readonly size: number;
  readonly written: number;
  readonly started: number;
  readonly pid: number;
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * Deletes whole segments by age and by total size, and the long bodies that no segment left can name. Never the segment
 * of a process that may still write to it. Receipts are not notes and stay. Throws where the file system does.
 */
export function pruneNotes(directory: string, { days, totalBytes, now, isAlive = answers }: Retention): Pruned {
  const segments = listNames(directory).flatMap((name) => segmentOf(directory, name) ?? []);
  let total = segments.reduce((sum, { size }) => sum + size, 0);
  const gone = new Set<Segment>();
  for (const segment of segments) {
    const due = segment.written < now - days * DAY || total > totalBytes;
    if (!due || isAlive(segment.pid)) continue;
    rmSync(join(directory, segment.name), { force: true });
    gone.add(segment);
    total -= segment.size;
  }
  const oldest = Math.min(now, ...segments.filter((segment) => !gone.has(segment)).map(({ started }) => started));
  return {
    segments: [...gone].map(({ name }) => name),
    blobs: gone.size === 0 ? 0 : removeBlobsBefore(directory, oldest),
  };
}

function segmentOf(directory: string, name: string): Segment | undefined {
  const parsed = parseSegmentName(name);
  const stats = parsed === undefined ? undefined : statSync(join(directory, name), { throwIfNoEntry: false });
  if (parsed === undefined || stats === undefined) return undefined;
  return { name, size: stats.size, written: stats.mtimeMs, ...parsed };
}
