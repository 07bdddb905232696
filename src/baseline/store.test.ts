import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeFile, writeAtomically } from "./store.ts";
import { listNames, readText } from "../files/read.ts";

function temporaryDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-store-")));
}

/** All files below a directory, as `path: text`. */
function tree(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(
      (entry) =>
        `${join(entry.parentPath, entry.name).slice(directory.length + 1)}: ${readFileSync(join(entry.parentPath, entry.name), "utf8")}`,
    )
    .toSorted();
}

test("a file that is not there reads as undefined, an empty one as empty", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "empty.json"), "");
  expect(readText(join(directory, "none.json"))).toBeUndefined();
  expect(readText(join(directory, "no", "directory.json"))).toBeUndefined();
  expect(readText(join(directory, "empty.json"))).toBe("");
});

test("a directory where a file should be is trouble, with its path", () => {
  const directory = temporaryDirectory();
  expect(() => readText(directory)).toThrow(
    new Error(`Cannot read ${directory}: EISDIR: illegal operation on a directory, read`),
  );
});

test("a file where a directory should be is trouble, with its path", () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  expect(() => readText(join(file, "a.json"))).toThrow(
    new Error(`Cannot read ${join(file, "a.json")}: ENOTDIR: not a directory, open '${join(file, "a.json")}'`),
  );
  expect(() => listNames(file)).toThrow(new Error(`Cannot read ${file}: ENOTDIR: not a directory, scandir '${file}'`));
});

test("lists names by code unit, and none where there is no directory", () => {
  const directory = temporaryDirectory();
  for (const name of ["b", "B", "a", "é", "10", "9"]) writeFileSync(join(directory, name), "");
  expect(listNames(directory)).toStrictEqual(["10", "9", "B", "a", "b", "é"]);
  expect(listNames(join(directory, "none"))).toStrictEqual([]);
});

test("writes a new file with its directories, replaces an old one, and leaves no temporary file", () => {
  const root = join(temporaryDirectory(), "__baselines__");
  writeAtomically(root, join(root, "step", "a.json"), "one");
  expect(tree(root)).toStrictEqual([`${join("step", "a.json")}: one`]);
  writeAtomically(root, join(root, "step", "a.json"), "two");
  expect(tree(root)).toStrictEqual([`${join("step", "a.json")}: two`]);
});

test("a reader that has the old file open keeps the old text: the file is replaced, not rewritten", () => {
  const root = temporaryDirectory();
  const path = join(root, "a.json");
  writeAtomically(root, path, "old");
  const { ino } = statSync(path);
  writeAtomically(root, path, "new");
  expect(statSync(path).ino).not.toBe(ino);
});

test("where writing fails the file is as it was and no temporary one is left", () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "a.json"));
  writeFileSync(join(root, "a.json", "inside"), "kept");
  expect(() => writeAtomically(root, join(root, "a.json"), "text")).toThrow(/^EISDIR|^EPERM/);
  expect(tree(root)).toStrictEqual([`${join("a.json", "inside")}: kept`]);
});

test.each(["..", "../outside.json", "../__baselines__x/a.json"])("refuses to write to or remove %s", (name) => {
  const parent = temporaryDirectory();
  const root = join(parent, "__baselines__");
  const path = join(root, name);
  const refusal = new Error(`Refused to touch ${path}: it lies outside ${root}.`);
  expect(() => writeAtomically(root, path, "text")).toThrow(refusal);
  expect(() => removeFile(root, path)).toThrow(refusal);
  expect(readdirSync(parent)).toStrictEqual([]);
});

test("refuses the root itself as a file", () => {
  const root = temporaryDirectory();
  expect(() => writeAtomically(root, root, "text")).toThrow(
    new Error(`Refused to touch ${root}: it lies outside ${root}.`),
  );
});

test("a file whose name begins with two dots is inside", () => {
  const root = temporaryDirectory();
  writeAtomically(root, join(root, "step", "..a.json"), "text");
  expect(tree(root)).toStrictEqual([`${join("step", "..a.json")}: text`]);
});

test.each([
  "root",
  "group",
  "file",
  "dangling file",
  "dangling root",
])("refuses to go through a symbolic link: %s", (which) => {
  const parent = temporaryDirectory();
  const root = join(parent, "__baselines__");
  const outside = join(parent, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.json"), "precious");
  const links: Record<string, readonly [string, string]> = {
    root: [outside, root],
    group: [outside, join(root, "step")],
    file: [join(outside, "a.json"), join(root, "step", "a.json")],
    "dangling file": [join(outside, "new.json"), join(root, "step", "a.json")],
    "dangling root": [join(outside, "new"), root],
  };
  const [target, link] = links[which] ?? ["", ""];
  if (which === "group") mkdirSync(root);
  if (which.endsWith("file")) mkdirSync(join(root, "step"), { recursive: true });
  symlinkSync(target, link);
  const path = join(root, "step", "a.json");
  const refusal = new Error(
    `Refused to touch ${path}: ${link} is a symbolic link. Replace it by a real directory or file.`,
  );
  expect(() => writeAtomically(root, path, "text")).toThrow(refusal);
  expect(() => removeFile(root, path)).toThrow(refusal);
  expect(readdirSync(outside, { recursive: true })).toStrictEqual(["a.json"]);
  expect(tree(outside)).toStrictEqual(["a.json: precious"]);
});

test("a project that itself lies behind a link is fine", () => {
  const parent = temporaryDirectory();
  mkdirSync(join(parent, "real"));
  symlinkSync(join(parent, "real"), join(parent, "link"));
  const root = join(parent, "link", "__baselines__");
  writeAtomically(root, join(root, "step", "a.json"), "text");
  expect(tree(join(parent, "real"))).toStrictEqual([`${join("__baselines__", "step", "a.json")}: text`]);
});

test("removes a file, and one that is gone already", () => {
  const root = temporaryDirectory();
  writeAtomically(root, join(root, "a.json"), "text");
  removeFile(root, join(root, "a.json"));
  removeFile(root, join(root, "a.json"));
  removeFile(root, join(root, "no", "a.json"));
  expect(readdirSync(root)).toStrictEqual([]);
});

/** Writes in a process whose user is not root, for whom permissions count. Returns the error's message. */
function writeAsNobody(root: string, path: string): string {
  const script = `import(${JSON.stringify(join(import.meta.dirname, "store.ts"))}).then(({ writeAtomically }) => {
    process.getuid() === 0 && process.setuid(65534);
    writeAtomically(${JSON.stringify(root)}, ${JSON.stringify(path)}, "new");
  }).catch((error) => process.stdout.write(error.message));`;
  return spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout;
}

// Windows has no such permissions.
test.skipIf(process.platform === "win32")(
  "a read-only file is not replaced, though its directory could be written",
  () => {
    const root = temporaryDirectory();
    const path = join(root, "a.json");
    writeFileSync(path, "old", { mode: 0o444 });
    chmodSync(root, 0o777);
    expect(writeAsNobody(root, path)).toBe(`EACCES: permission denied, access '${path}'`);
    expect(tree(root)).toStrictEqual(["a.json: old"]);
  },
);

test.skipIf(process.platform === "win32")("in a read-only directory nothing changes and nothing is left", () => {
  const root = temporaryDirectory();
  const path = join(root, "step", "a.json");
  mkdirSync(join(root, "step"));
  writeFileSync(path, "old");
  chmodSync(path, 0o666);
  chmodSync(root, 0o755);
  chmodSync(join(root, "step"), 0o555);
  expect(writeAsNobody(root, path)).toMatch(/^EACCES: permission denied, open '.*[\\/]step[\\/]\.a\.json\..*\.tmp'$/);
  expect(tree(root)).toStrictEqual([`${join("step", "a.json")}: old`]);
  expect(existsSync(path)).toBe(true);
});
