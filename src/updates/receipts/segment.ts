import { hash } from "node:crypto";

// JSON text never holds a raw line break, so a line's last field is at its end and nowhere else.
const SEAL = /,"crc":"([0-9a-f]{16})"\}$/;

/** The longest record in bytes, line break included. Whatever is longer was not written by veritest. */
export const MAX_RECORD: number = 64 * 1024;

/** A record as one line of JSON without the line break, sealed by its own checksum. */
interface SealedLine {
  readonly line: string;
  readonly crc: string;
}

/** Writes a record's fields as one line whose last field, `crc`, is the checksum of the line without it. */
export function sealLine(fields: object): SealedLine {
  const text = JSON.stringify(fields);
  const crc = checksum(text);
  return { line: `${text.slice(0, -1)},"crc":"${crc}"}`, crc };
}

/** Tells whether a line is as it was sealed. */
export function isSealed(line: string): boolean {
  const seal = SEAL.exec(line);
  return seal !== null && seal[1] === checksum(`${line.slice(0, seal.index)}}`);
}

/**
 * What a segment's first note has in place of the checksum of the one before. It ties the notes to the file's name: a
 * renamed segment shows, and equal notes of two processes have different ids.
 */
export function segmentMark(fileName: string): string {
  return checksum(fileName);
}

/** The first 16 hex digits of a text's SHA-256: guards against damage, not against forgery. */
function checksum(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}

const SEGMENT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})-(\d+)-[0-9a-zA-Z-]+\.ndjson$/;

/** What a segment's file name says. */
interface SegmentName {
  /** When its first note was written, in milliseconds since 1970. */
  readonly started: number;
  /** The process that writes it. */
  readonly pid: number;
}

/** What tells one segment from all others. */
interface SegmentSource extends SegmentName {
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
