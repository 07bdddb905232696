import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { Crash } from "../../../test-support/crash.ts";
import { recover } from "./recover.ts";

const FINISHED = { finished: ["t"], undone: [], stuck: [] };
const UNDONE = { finished: [], undone: ["t"], stuck: [] };

test("finishes a commit interrupted after its point of no return, with its receipt", () => {
  const crash = new Crash().applyFirst();
  expect(recover(crash.places)).toStrictEqual(FINISHED);
  expect(crash.texts()).toStrictEqual({ "a.json": "new", "b.json": "new" });
  expect(crash.receipts()).toBe(1);
  expect(readdirSync(join(crash.places.state, "tx"))).toStrictEqual([]);
});

test("undoes a commit interrupted before its point of no return", () => {
  const crash = new Crash();
  rmSync(crash.files.commit);
  expect(recover(crash.places)).toStrictEqual(UNDONE);
  expect(crash.texts()).toStrictEqual({ "a.json": "old", "b.json": "old" });
  expect(crash.receipts()).toBe(0);
});

test("undoes the other files if git restored one after its new text was written", () => {
  const crash = new Crash().applyFirst();
  crash.put("a", "old");
  expect(recover(crash.places)).toStrictEqual(UNDONE);
  expect(crash.texts()).toStrictEqual({ "a.json": "old", "b.json": "old" });
  expect(readdirSync(join(crash.places.state, "tx"))).toStrictEqual([]);
});

test("restores the old texts if the temporary files are gone, as after git clean", () => {
  const crash = new Crash().applyFirst();
  rmSync(crash.temporary(1));
  expect(recover(crash.places)).toStrictEqual(UNDONE);
  expect(crash.texts()).toStrictEqual({ "a.json": "old", "b.json": "old" });
});

test("stops before any change if a file was edited since, and goes on once it is restored", () => {
  const crash = new Crash().applyFirst();
  crash.put("b", "edited");
  const before = crash.texts();
  expect(recover(crash.places)).toStrictEqual({
    finished: [],
    undone: [],
    stuck: [
      `A run was interrupted while it wrote baselines, and since then someone changed ${crash.path("b")}. Restore it from git, then run: npx veritest doctor`,
    ],
  });
  expect(crash.texts()).toStrictEqual(before);
  crash.put("b", "old");
  expect(recover(crash.places)).toStrictEqual(FINISHED);
});

test("stops if a directory replaced a file", () => {
  const crash = new Crash();
  rmSync(crash.path("b"));
  mkdirSync(crash.path("b"));
  expect(recover(crash.places)).toMatchObject({
    finished: [],
    undone: [],
    stuck: [
      `A run was interrupted while it wrote baselines, and they can't be written now. Refused to change ${crash.path("b")}: it isn't a regular file. Move it away. Then run: npx veritest doctor`,
    ],
  });
});

test("doesn't follow a link that replaced a directory", () => {
  const crash = new Crash();
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "veritest-outside-")));
  renameSync(crash.directory, join(outside, "group"));
  symlinkSync(join(outside, "group"), crash.directory);
  const before = crash.texts();
  expect(recover(crash.places)).toStrictEqual({
    finished: [],
    undone: [],
    stuck: [
      `A run was interrupted while it wrote baselines, and they can't be written now. Refused to change ${crash.path("a")}: ${crash.directory} is a symbolic link. Replace it with a real directory or file. Then run: npx veritest doctor`,
    ],
  });
  expect(crash.texts()).toStrictEqual(before);
});

test("writes the receipt even if an applied baseline was edited since", () => {
  const crash = new Crash().applyFirst();
  renameSync(crash.temporary(1), crash.path("b"));
  writeFileSync(crash.temporary(1), "new");
  writeFileSync(crash.files.applied, "");
  crash.put("a", "edited");
  expect(recover(crash.places)).toStrictEqual(FINISHED);
  expect(crash.texts()).toStrictEqual({ "a.json": "edited", "b.json": "new" });
  expect(crash.receipts()).toBe(1);
});

test("keeps files to undo if a link replaced their directory", () => {
  const crash = new Crash();
  writeFileSync(crash.files.rollback, "");
  renameSync(crash.directory, `${crash.directory}-moved`);
  symlinkSync(`${crash.directory}-moved`, crash.directory);
  expect(recover(crash.places)).toMatchObject({
    stuck: [
      `A run was interrupted while it wrote baselines, and they can't be undone now. Refused to change ${crash.path("a")}: ${crash.directory} is a symbolic link. Replace it with a real directory or file. Then run: npx veritest doctor`,
    ],
  });
});

test.each([
  "prepared",
  "applied",
] as const)("keeps temporary files of a commit that is %s if a link replaced their directory", (phase) => {
  const crash = new Crash();
  if (phase === "prepared") rmSync(crash.files.commit);
  else writeFileSync(crash.files.applied, "");
  renameSync(crash.directory, `${crash.directory}-moved`);
  symlinkSync(`${crash.directory}-moved`, crash.directory);
  const before = readdirSync(crash.directory);
  expect(recover(crash.places)).toStrictEqual({
    finished: [],
    undone: [],
    stuck: [
      `A run was interrupted while it wrote baselines, and it can't be finished or undone now: Refused to change ${crash.path("a")}: ${crash.directory} is a symbolic link. Replace it with a real directory or file. Fix the cause, then run: npx veritest doctor`,
    ],
  });
  expect(readdirSync(crash.directory)).toStrictEqual(before);
  expect(crash.receipts()).toBe(0);
});

test("doesn't write the mark of an applied commit through a link", () => {
  const crash = new Crash();
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "veritest-outside-")));
  symlinkSync(join(outside, "new"), crash.files.applied);
  expect(recover(crash.places)).toStrictEqual({
    finished: [],
    undone: [],
    stuck: [
      `A run was interrupted while it wrote baselines, and it can't be finished or undone now: ELOOP: too many symbolic links encountered, open '${crash.files.applied}'. Fix the cause, then run: npx veritest doctor`,
    ],
  });
  expect(existsSync(join(outside, "new"))).toBe(false);
});

test("creates no file if there is no commit to recover", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-recover-")));
  const paths = projectPaths(root, { XDG_STATE_HOME: join(root, ".home") });
  expect(recover(paths)).toStrictEqual({ finished: [], undone: [], stuck: [] });
  expect(existsSync(paths.state)).toBe(false);
});
