import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashText } from "../../kernel/json/hash.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { readBytes, listNames } from "../../kernel/files/read.ts";
import { requireNoLink } from "../../kernel/files/real-directory.ts";

/** The whole body of a note, to be kept beside the segments under its hash. */
export interface NewBlob {
  /** The directory of the notes. */
  readonly notes: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Names the temporary file. */
  readonly id: string;
}

/** Keeps a text under its hash and returns that, `sha256:…`. Throws where the file system does. */
export function putBlob({ notes, text, now, id }: NewBlob): string {
  const hash = hashText(text);
  const directory = blobDirectory(notes);
  const path = join(directory, fileOf(hash));
  requireNoLink(directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    const temporary = join(directory, `.${id}.tmp`);
    writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
    renameSync(temporary, path);
  }
  // A text that is met again must look new: blobs older than every segment are deleted.
  utimesSync(path, now / 1000, now / 1000);
  return hash;
}

/** Reads a text back by its hash. The error is one sentence: it is gone, or no longer the text that was kept. */
export function readBlob(notes: string, hash: string): Result<string, string> {
  const path = join(blobDirectory(notes), fileOf(hash));
  const text = /^sha256:[0-9a-f]{64}$/.test(hash) ? readBytes(path)?.toString("utf8") : undefined;
  if (text === undefined) return err(`${path} is gone; the note holds the beginning of its body.`);
  return hashText(text) === hash ? ok(text) : err(`${path} is damaged: its hash is not its name.`);
}

/** Removes the texts that were last kept before a time, in milliseconds since 1970; returns how many. */
export function removeBlobsBefore(notes: string, time: number): number {
  const directory = blobDirectory(notes);
  const old = listNames(directory).filter(
    (name) => (statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) < time,
  );
  for (const name of old) rmSync(join(directory, name), { force: true });
  return old.length;
}

function blobDirectory(notes: string): string {
  return join(notes, "blobs");
}

function fileOf(hash: string): string {
  return hash.replace("sha256:", "");
}
