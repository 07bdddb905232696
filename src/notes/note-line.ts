import { hash } from "node:crypto";

// JSON text never holds a raw line break, so a line's last field is at its end and nowhere else.
const SEAL = /,"crc":"([0-9a-f]{16})"\}$/;

/** The longest record in bytes, line break included. Whatever is longer was not written by veritest. */
export const MAX_RECORD: number = 64 * 1024;

/** A record as one line of JSON without the line break, sealed by its own checksum. */
export interface SealedLine {
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
