import { type Result, err, ok } from "../../kernel/result.ts";
import { type GitCall, git } from "./git.ts";

/** Git's modes of files. */
export const SUBMODULE = "160000";
export const LINK = "120000";
export const EXECUTABLE = "100755";

/** Returns true for the id of no content: of an added file before, of a removed file after. */
export function isNoContent(id: string): boolean {
  return /^0+$/.test(id);
}

/** Returns the content of a blob; empty if there is none. */
export async function blobText(id: string, call: GitCall): Promise<string> {
  const blob = isNoContent(id) ? undefined : await git(["cat-file", "blob", id], call);
  return blob?.ok === true ? blob.value : "";
}

/** One file that differs between two commits or trees. */
export interface ChangedFile {
  readonly kind: "added" | "changed" | "removed" | "renamed";
  /** Path of the file from the top of the repository. For a removed file, its last path. */
  readonly path: string;
  /** Path before the change. Differs from `path` only for a renamed file. */
  readonly oldPath: string;
  readonly oldMode: string;
  readonly newMode: string;
  /** The git ids of its contents; all zeros if there is none. */
  readonly oldId: string;
  readonly newId: string;
  /** Lines added and removed; both 0 for a picture and its like. */
  readonly added: number;
  readonly removed: number;
}

/**
 * The files that differ between two commits or trees, sorted by path. With `renames`, a moved file is one change and
 * not two.
 */
export async function changesBetween(
  from: string,
  to: string,
  call: GitCall & { readonly renames: boolean },
): Promise<Result<readonly ChangedFile[], string>> {
  const args = [
    "diff-tree",
    "-r",
    "-z",
    call.renames ? "-M" : "--no-renames",
    "--no-abbrev",
    "--no-ext-diff",
    "--no-textconv",
  ];
  // With a NUL, or by an attribute, code would count as binary without `--text`.
  const listed = await git([...args, "--raw", "--numstat", "--text", from, to], call);
  if (!listed.ok) return err(listed.error.message);
  const { files, counts } = readRaw(listed.value.split("\0"));
  const lines = linesByPath(counts);
  const changed = files.map((file) => ({ ...file, ...(lines.get(file.path) ?? { added: 0, removed: 0 }) }));
  return ok(changed.toSorted((left, right) => (left.path < right.path ? -1 : 1)));
}

interface RawChanges {
  readonly files: readonly Omit<ChangedFile, "added" | "removed">[];
  /** The fields after them, with the counts of lines. */
  readonly counts: readonly string[];
}

/** `:<mode> <mode> <id> <id> <letter>`, then one path, or two for a rename. */
function readRaw(fields: readonly string[]): RawChanges {
  const files: Omit<ChangedFile, "added" | "removed">[] = [];
  let at = 0;
  for (; fields[at]?.startsWith(":") === true; at += 2) {
    const [oldMode = "", newMode = "", oldId = "", newId = "", letter = ""] = (fields[at] ?? "")
      .replace(/^:/, "")
      .split(" ");
    const oldPath = fields[at + 1] ?? "";
    const kind = kindOf(letter);
    if (kind === "renamed") at += 1;
    files.push({
      kind,
      path: kind === "renamed" ? (fields[at + 1] ?? "") : oldPath,
      oldPath,
      oldMode,
      newMode,
      oldId,
      newId,
    });
  }
  return { files, counts: fields.slice(at) };
}

/** Files without lines, by their names. */
const MEDIA = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|pdf|woff2?|ttf|otf|mp[34]|webm|zip|gz)$/i;

function kindOf(letter: string): ChangedFile["kind"] {
  const kinds: Readonly<Record<string, ChangedFile["kind"]>> = { A: "added", D: "removed", R: "renamed" };
  return kinds[letter.charAt(0)] ?? "changed";
}

/** `<added>\t<removed>\t<path>`, or with an empty path and then both paths for a rename. */
function linesByPath(
  fields: readonly string[],
): ReadonlyMap<string, { readonly added: number; readonly removed: number }> {
  const lines = new Map<string, { added: number; removed: number }>();
  for (let at = 0; at + 1 < fields.length; at += 1) {
    const [added = "", removed = "", ...rest] = (fields[at] ?? "").split("\t");
    const path = rest.join("\t");
    const name = path === "" ? (fields[at + 2] ?? "") : path;
    if (!MEDIA.test(name)) lines.set(name, { added: Number(added) || 0, removed: Number(removed) || 0 });
    if (path === "") at += 2;
  }
  return lines;
}
