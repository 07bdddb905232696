import { basename, dirname, join } from "node:path";
import { hashText } from "../kernel/json/hash.ts";
import type { CaseIdentity } from "./baseline.ts";

const MAX_SLUG = 60;
const NOT_ASCII = /[^\0-\x7f]/;

/** Device names that Windows reserves as file names, whatever their extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * A piece of a file name that every file system takes: `a-z0-9` and single hyphens, at most 60 long. Lower case,
 * because some file systems fold it; only ASCII, because some normalize the rest. `case` if no readable character is
 * left.
 */
export function slug(text: string): string {
  // Only characters beyond ASCII have marks to remove.
  const bare = NOT_ASCII.test(text) ? text.normalize("NFKD").replace(/\p{M}/gu, "") : text;
  const words = bare
    .toLowerCase()
    .slice(0, 4 * MAX_SLUG)
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "");
  return words.slice(0, MAX_SLUG).replace(/-$/, "") || "case";
}

/** Characters that a slug leaves out although they tell one text from another. */
const LOST = /[^\0-\x7f\p{M}\p{P}\p{Z}]/u;

/** True if a case's label is only a part of its test's title: tests with other titles may have the same label. */
export function isSharedLabel(label: string, title: string): boolean {
  return slug(title) === "case" || label.length >= MAX_SLUG - 1 || LOST.test(title.normalize("NFKD"));
}

/**
 * The directory of a step's (or test file's) baselines: its name when that is safe everywhere, else a slug and a hash
 * of it.
 */
export function groupDirectory(group: string): string {
  const safe = group.length <= MAX_SLUG && /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/.test(group) && !RESERVED.test(group);
  return safe ? group : `${slug(group)}-${hexOf(group).slice(0, 8)}`;
}

/** The hash in a case's file name: 8 hex digits, or `digits` of them if 8 are not enough. */
export function caseHash(identity: CaseIdentity, digits = 8): string {
  const hex = "name" in identity ? hexOf(`name:${identity.name}`) : identity.inputHash.replace(/^sha256:/, "");
  return hex.slice(0, digits);
}

/** The file name of a case: a readable label and the hash of its identity. */
export function caseFileName(label: string, hash: string): string {
  return `${slug(label)}-${hash}.json`;
}

/** Returns the path of a baseline's file within the directory of baselines, whose own path depends on the machine. */
export function pathInBaselines(path: string): string {
  return path.split(/[\\/]/).slice(-2).join("/");
}

/** Returns true for the file names of baselines, and not for temporary and other files. */
export function isBaselineFileName(fileName: string): boolean {
  return fileName.endsWith(".json") && !fileName.startsWith(".");
}

/** The label in a case's file name. */
export function labelOfCase(fileName: string): string {
  return fileName.replace(/-[0-9a-f]{8,16}\.json$/, "");
}

const TEST_FILE = /[.-](?:test|spec)\.[cm]?[jt]sx?$/;

/** Matches the usual file names of tests. */
export function isTestFileName(fileName: string): boolean {
  return TEST_FILE.test(fileName);
}

/** Path at which a case of a group is, or would be written. */
export function casePath(
  { root, group }: { readonly root: string; readonly group: string },
  label: string,
  hash: string,
): string {
  return join(root, groupDirectory(group), caseFileName(label, hash));
}

const REDACTED_LABEL = "hidden";

/**
 * The label of a case whose input has a secret that only the rest of its recording names: the hash of its input doesn't
 * find it, so it is searched among the few with this label.
 */
export function redactedLabel(label: string): string {
  return `${slug(label).slice(0, MAX_SLUG - REDACTED_LABEL.length - 1)}-${REDACTED_LABEL}`;
}

/** Returns true for file names of cases with a {@link redactedLabel}. */
export function isRedactedName(fileName: string): boolean {
  return /-hidden-[0-9a-f]{8,16}\.json$/.test(fileName);
}

/** Returns a path without its label. It is equal for two labels of one case, except for a {@link redactedLabel}. */
export function withoutLabel(path: string): string {
  return path.replace(/[^/]*(?<!-hidden)-(?=[0-9a-f]{8,16}\.json$)/, "");
}

/** Returns a test for the file names a case may have, whatever label it was captured under. */
export function matchesCaseFile(identity: CaseIdentity): (fileName: string) => boolean {
  // Hashed once, not once for each ending or each file of a directory.
  const hash = caseHash(identity, 16);
  const endings = [8, 16].map((digits) => `-${hash.slice(0, digits)}.json`);
  return (fileName) => endings.some((ending) => fileName.endsWith(ending));
}

function hexOf(text: string): string {
  return hashText(text).slice("sha256:".length);
}

/** Name of the directory that contains all baselines; updates are applied only there. */
export const BASELINES_DIRECTORY = "__baselines__";

/**
 * Directory of a test file's baselines, next to the runner's snapshots, so that a custom snapshot resolver is honoured:
 * next to `__snapshots__`, or next to the snapshot file.
 */
export function baselineRoot(snapshotPath: string): string {
  const directory = dirname(snapshotPath);
  return join(basename(directory) === "__snapshots__" ? dirname(directory) : directory, BASELINES_DIRECTORY);
}
