const SEGMENT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})-(\d+)-[0-9a-zA-Z-]+\.ndjson$/;

/** What a segment's file name says. */
export interface SegmentName {
  /** When its first note was written, in milliseconds since 1970. */
  readonly started: number;
  /** The process that writes it. */
  readonly pid: number;
}

/** What tells one segment from all others. */
export interface SegmentSource extends SegmentName {
  /** A UUID: threads of one process share its pid, and a clock may show one time twice. */
  readonly id: string;
}

/** Names a segment so that names sort by the time of the first note: `<yyyymmddhhmmssmmm>-<pid>-<uuid>.ndjson`. */
export function segmentName({ started, pid, id }: SegmentSource): string {
  return `${new Date(started).toISOString().replaceAll(/\D/g, "")}-${pid}-${id}.ndjson`;
}

/** Reads a segment's name; undefined for any other file. */
export function parseSegmentName(fileName: string): SegmentName | undefined {
  const pid = SEGMENT.exec(fileName)?.[8];
  if (pid === undefined) return undefined;
  const started = Date.parse(fileName.replace(SEGMENT, "$1-$2-$3T$4:$5:$6.$7Z"));
  return Number.isNaN(started) ? undefined : { started, pid: Number(pid) };
}
