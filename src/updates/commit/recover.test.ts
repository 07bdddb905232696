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

test("a commit that was cut off after its point of no return is finished, with its receipt", () => {
  const crash = new Crash().applyFirst();
  expect(recover(crash.places)).toStrictEqual(FINISHED);
  expect(crash.texts()).toStrictEqual({ "a.json": "new", "b.json": "new" });
  expect(crash.receipts()).toBe(1);
  expect(readdirSync(join(crash.places.state, "tx"))).toStrictEqual([]);
});

test("one before it is undone", () => {
  const crash = new Crash();
  rmSync(crash.files.commit);
  expect(recover(crash.places)).toStrictEqual(UNDONE);
  expect(crash.texts()).toStrictEqual({ "a.json": "old", "b.json": "old" });
  expect(crash.receipts()).toBe(0);
});

test("a file that git put back after its new text was in place takes the others back with it", () => {
  const crash = new Crash().applyFirst();
  crash.put("a", "old");
  expect(recover(crash.places)).toStrictEqual(UNDONE);
  expect(crash.texts()).toStrictEqual({ "a.json": "old", "b.json": "old" });
});

test("where the new texts that waited are gone, as git clean removes them, the old ones come back", () => {
  const crash = new Crash().applyFirst();
  rmSync(crash.temporary(1));
  expect(recover(crash.places)).toStrictEqual(UNDONE);
  expect(crash.texts()).toStrictEqual({ "a.json": "old", "b.json": "old" });
});

test("a file that somebody edited since stops it before anything is touched; restored, all is finished or undone", () => {
  const crash = new Crash().applyFirst();
  crash.put("b", "edited");
  const before = crash.texts();
  expect(recover(crash.places)).toStrictEqual({
    finished: [],
    undone: [],
    stuck: [
      `A run was interrupted while it wrote baselines, and since then somebody changed ${crash.path("b")}. Restore it from git, then run: npx veritest doctor`,
    ],
  });
  expect(crash.texts()).toStrictEqual(before);
  crash.put("b", "old");
  expect(recover(crash.places)).toStrictEqual(FINISHED);
});

test("a directory in a file's place stops it", () => {
  const crash = new Crash();
  rmSync(crash.path("b"));
  mkdirSync(crash.path("b"));
  expect(recover(crash.places)).toMatchObject({
    finished: [],
    undone: [],
    stuck: [
      `A run was interrupted while it wrote baselines, and they cannot be written now. Refused to touch ${crash.path("b")}: it isn't a regular file. Move it away. Then run: npx veritest doctor`,
    ],
  });
});

test("a link that was put in a directory's place is not followed", () => {
  const crash = new Crash();
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "veritest-outside-")));
  renameSync(crash.directory, join(outside, "group"));
  symlinkSync(join(outside, "group"), crash.directory);
  const before = crash.texts();
  expect(recover(crash.places)).toStrictEqual({
    finished: [],
    undone: [],
    stuck: [
      `A run was interrupted while it wrote baselines, and they cannot be written now. Refused to touch ${crash.path("a")}: ${crash.directory} is a symbolic link. Replace it by a real directory or file. Then run: npx veritest doctor`,
    ],
  });
  expect(crash.texts()).toStrictEqual(before);
});

test("who edits a baseline after all were applied is not in the way of the receipt", () => {
  const crash = new Crash().applyFirst();
  renameSync(crash.temporary(1), crash.path("b"));
  writeFileSync(crash.files.applied, "");
  crash.put("a", "edited");
  expect(recover(crash.places)).toStrictEqual(FINISHED);
  expect(crash.texts()).toStrictEqual({ "a.json": "edited", "b.json": "new" });
  expect(crash.receipts()).toBe(1);
});

test("what is to be taken back stays where a link was put in a directory's place", () => {
  const crash = new Crash();
  writeFileSync(crash.files.rollback, "");
  renameSync(crash.directory, `${crash.directory}-moved`);
  symlinkSync(`${crash.directory}-moved`, crash.directory);
  expect(recover(crash.places)).toMatchObject({
    stuck: [
      `A run was interrupted while it wrote baselines, and they can't be undone now. Refused to touch ${crash.path("a")}: ${crash.directory} is a symbolic link. Replace it by a real directory or file. Then run: npx veritest doctor`,
    ],
  });
});

test.each([
  "prepared",
  "applied",
] as const)("temporary files of a commit that is %s stay if a link was put in their directory's place", (phase) => {
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
      `A run was interrupted while it wrote baselines, and it can't be finished or undone now: Refused to touch ${crash.path("a")}: ${crash.directory} is a symbolic link. Replace it by a real directory or file. Fix the cause, then run: npx veritest doctor`,
    ],
  });
  expect(readdirSync(crash.directory)).toStrictEqual(before);
  expect(crash.receipts()).toBe(0);
});

test("the mark of an applied commit isn't made through a link", () => {
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

test("where nothing is left nothing is made", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-recover-")));
  const paths = projectPaths(root, { XDG_STATE_HOME: join(root, ".home") });
  expect(recover(paths)).toStrictEqual({ finished: [], undone: [], stuck: [] });
  expect(existsSync(paths.state)).toBe(false);
});
