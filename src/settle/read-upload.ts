import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { type Result, err, ok } from "../base/result.ts";
import { escapeText } from "../base/text.ts";
import { codeOf } from "../base/thrown.ts";
import type { Places } from "../files/places.ts";
import type { PendingChange } from "./pending-change.ts";
import { parseAll } from "./pending.ts";
import { readUploadDirectory } from "./read-upload-directory.ts";
import { readUploadZip } from "./read-upload-zip.ts";
import { UPLOAD_LIMITS, type UploadLimits, UploadRefused, type UploadedFile } from "./upload.ts";

/**
 * Reads what waits in a state directory that another machine uploaded: a directory or a zip archive with
 * `pending/<key>.json` in it, at most three directories deep. All of it or nothing: the error is one sentence on the
 * first thing that is wrong. Of several projects' states the one of `places` is taken.
 */
export function readUpload(
  path: string,
  { state }: Pick<Places, "state">,
  limits: UploadLimits = UPLOAD_LIMITS,
): Result<readonly PendingChange[], string> {
  try {
    const files = oneState(filesOf(path, limits), basename(state));
    const { changes, unreadable } = parseAll(files);
    const [bad] = unreadable;
    if (bad !== undefined) throw new UploadRefused(bad);
    const names = new Set(files.map(({ name }) => name));
    const strange = changes.find(({ key }) => !names.delete(`${key}.json`));
    if (strange !== undefined) throw new UploadRefused(`the proposal ${strange.key} lies in a file of another name`);
    return ok(changes);
  } catch (thrown) {
    if (thrown instanceof UploadRefused)
      return err(
        `Cannot read ${escapeText(path)}: ${escapeText(thrown.message)}. Download the upload again; nothing of it was settled.`,
      );
    if (codeOf(thrown) === "ENOENT") return err(`Cannot read ${escapeText(path)}: it is not there.`);
    throw thrown;
  }
}

function filesOf(path: string, limits: UploadLimits): UploadedFile[] {
  const stats = statSync(path);
  if (stats.isDirectory()) return readUploadDirectory(path, limits);
  if (!stats.isFile()) throw new UploadRefused("it is neither a directory nor a file");
  if (stats.size > limits.archiveBytes)
    throw new UploadRefused(`it has ${stats.size} bytes, more than ${limits.archiveBytes}`);
  return readUploadZip(readFileSync(path), limits);
}

/** A repository may hold several projects, and their targets are each relative to their own. */
function oneState(files: readonly UploadedFile[], id: string): readonly UploadedFile[] {
  const states = [...new Set(files.map(({ state }) => state))];
  if (states.length <= 1) return files;
  const own = states.filter((state) => basename(state) === id);
  const [state] = own;
  if (state === undefined || own.length > 1)
    throw new UploadRefused(
      `it holds the states of several projects (${states.toSorted().join(", ")}): name one directory of it`,
    );
  return files.filter((file) => file.state === state);
}
