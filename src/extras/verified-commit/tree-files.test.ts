import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changesBetween } from "./changes.ts";
import { git } from "./git.ts";
import { writeChanges, writeInto } from "./tree-files.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-tree-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const repository = join(root, "repository");
const call = { cwd: repository, environment: process.env };

async function run(...args: readonly string[]): Promise<string> {
  const ran = await git(args, call);
  if (!ran.ok) throw new Error(ran.error.message);
  return ran.value.trim();
}

/** Writes the tree of these files, and returns its id. */
async function treeOf(files: Readonly<Record<string, string>>): Promise<string> {
  rmSync(join(repository, "x"), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(repository, path, ".."), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  await run("add", "--all");
  return run("write-tree");
}

beforeAll(async () => {
  mkdirSync(repository);
  await run("init", "--quiet");
});

test("replaces a directory by a file, and the reverse", { tags: "deep" }, async () => {
  const [folder, file] = [await treeOf({ "x/y": "in a folder" }), await treeOf({ x: "a file" })];
  const changes = await changesBetween(folder, file, { ...call, renames: false });
  if (!changes.ok) throw new Error(changes.error);
  const tree = join(root, "tree");
  mkdirSync(join(tree, "x"), { recursive: true });
  writeFileSync(join(tree, "x/y"), "in a folder");
  await writeChanges(tree, changes.value, { side: "after", call });
  expect(readFileSync(join(tree, "x"), "utf8")).toBe("a file");
  await writeChanges(tree, changes.value, { side: "before", call });
  expect(readFileSync(join(tree, "x/y"), "utf8")).toBe("in a folder");
});

test("doesn't make a directory through a link that leads out of the tree", () => {
  const [tree, outside] = [join(root, "linked"), join(root, "outside")];
  for (const folder of [tree, outside]) mkdirSync(folder);
  symlinkSync(outside, join(tree, "out"));
  expect(() => writeInto(tree, "out/a/b", { bytes: "" })).toThrow(
    "The command of the run replaced out/a with a symbolic link to a path outside the worktree",
  );
  expect(existsSync(join(outside, "a"))).toBe(false);
});
