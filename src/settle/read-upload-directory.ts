import { type Dirent, lstatSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UploadBudget, type UploadLimits, UploadRefused, type UploadedFile } from "./upload.ts";

/** How many directories may lie around `pending`, as artifacts of CI services have them. */
const MAX_DEPTH = 3;

/**
 * Reads the proposals below an unpacked upload. Follows no link. Throws {@link UploadRefused}, or what the file
 * system throws.
 */
export function readUploadDirectory(directory: string, limits: UploadLimits): UploadedFile[] {
  const budget = new UploadBudget(limits);
  return statesBelow(directory, "", MAX_DEPTH).flatMap((state) => {
    const pending = join(directory, state, "pending");
    const entries = readdirSync(pending, { withFileTypes: true }).filter(({ name }) =>
      /^[0-9a-f]{12}\.json$/.test(name),
    );
    return entries.map((entry) => ({ state, name: entry.name, text: read(join(pending, entry.name), entry, budget) }));
  });
}

/** The directories that hold a directory `pending`, relative to the upload. */
function statesBelow(directory: string, inside: string, depth: number): string[] {
  const entries = readdirSync(join(directory, inside), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const own = entries.some(({ name }) => name === "pending") ? [inside] : [];
  if (depth === 0) return own;
  const below = entries.filter(({ name }) => name !== "pending" && name !== "node_modules");
  return [
    ...own,
    ...below.flatMap(({ name }) => statesBelow(directory, inside === "" ? name : `${inside}/${name}`, depth - 1)),
  ];
}

function read(path: string, entry: Dirent, budget: UploadBudget): string {
  if (!entry.isFile()) throw new UploadRefused(`${entry.name} is no regular file`);
  budget.entry();
  budget.file(entry.name, lstatSync(path).size);
  return readFileSync(path, "utf8");
}
