import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  copyDurably,
  makeDirectory,
  writeAtomically,
  writeAllAtomically,
  writeNewAtomically,
  removeStale,
  replaceWithoutSync,
  writeAllDurably,
  writeDurably,
} from "./durable.ts";

function scratch(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-durable-")));
}

/** Where a link leads; nowhere once it is gone, as the one to the listing of these links themselves. */
function targetOf(link: string): string {
  return existsSync(link) ? readlinkSync(link) : "";
}

test("keeps what a failed replacement was to replace, and leaves no other file", () => {
  const directory = scratch();
  mkdirSync(join(directory, "file", "inside"), { recursive: true });
  expect(() => replaceWithoutSync(join(directory, "file"), "text")).toThrow(/rename/);
  expect([readdirSync(directory), readdirSync(join(directory, "file"))]).toStrictEqual([["file"], ["inside"]]);
});

test("publishing a file replaces the earlier one and leaves no other file", () => {
  const directory = scratch();
  const path = join(directory, "file");
  for (const text of ["one", "two"]) writeAtomically(path, text);
  expect(readFileSync(path, "utf8")).toBe("two");
  expect(readdirSync(directory)).toStrictEqual(["file"]);
});

test("only the first of two that publish a new name succeeds", () => {
  const directory = scratch();
  expect(writeNewAtomically(join(directory, "file"), "one")).toBe(true);
  expect(writeNewAtomically(join(directory, "file"), "two")).toBe(false);
  expect(readFileSync(join(directory, "file"), "utf8")).toBe("one");
  expect(readdirSync(directory)).toStrictEqual(["file"]);
});

test("publishes several files together; if one fails, no temporary file is left", () => {
  const directory = scratch();
  writeAllAtomically(
    directory,
    new Map([
      ["a", "1"],
      ["b", "2"],
    ]),
  );
  mkdirSync(join(directory, "c"));
  expect(() => writeAllAtomically(directory, new Map([["c", "3"]]))).toThrow();
  expect(readdirSync(directory)).toStrictEqual(["a", "b", "c"]);
});

test("writes many files in batches, each with its own text", { tags: "deep" }, () => {
  const directory = scratch();
  const files = Array.from({ length: 300 }, (_, index) => ({
    path: join(directory, String(index)),
    text: `text ${index}`,
  }));
  writeAllDurably(files);
  expect(files.map(({ path }) => readFileSync(path, "utf8"))).toStrictEqual(files.map(({ text }) => text));
  writeAllDurably([]);
  // What is there already stays, and stops what comes after it in its batch.
  const [more, after] = [join(directory, "more"), join(directory, "not reached")];
  expect(() =>
    writeAllDurably([
      { path: more, text: "more" },
      { path: join(directory, "50"), text: "other" },
      { path: after, text: "" },
    ]),
  ).toThrow(/EEXIST/);
  expect([readFileSync(more, "utf8"), readFileSync(join(directory, "50"), "utf8"), existsSync(after)]).toStrictEqual([
    "more",
    "text 50",
    false,
  ]);
});

test.runIf(process.platform === "linux")("leaves no descriptor open, even if a file already exists", () => {
  const directory = scratch();
  const path = join(directory, "40");
  writeDurably(path, "");
  const open = (): number =>
    readdirSync("/proc/self/fd").filter((each) => targetOf(join("/proc/self/fd", each)).startsWith(directory)).length;
  expect(() =>
    writeAllDurably(Array.from({ length: 50 }, (_, index) => ({ path: join(directory, String(index)), text: "" }))),
  ).toThrow(/EEXIST/);
  expect(open()).toBe(0);
});

test("permission bits are what was requested, and a file that is there is not written over", () => {
  const path = join(scratch(), "file");
  writeAllDurably([{ path, text: "one", mode: 0o640 }]);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(() => writeDurably(path, "two")).toThrow(/EEXIST/);
  expect(() => copyDurably(path, path)).toThrow();
});

test("creates directories with missing parents, and accepts an existing one", () => {
  const directory = join(scratch(), "a", "b", "c");
  for (const _time of [1, 2]) makeDirectory(directory, 0o700);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("removes temporary files that are an hour old, and no other files", () => {
  const directory = scratch();
  const long = new Date(Date.now() - 2 * 3_600_000);
  mkdirSync(join(directory, ".old-directory.tmp"));
  for (const name of [".old.tmp", ".young.tmp", "old.json", ".old"]) writeFileSync(join(directory, name), "");
  for (const name of [".old-directory.tmp", ".old.tmp", "old.json", ".old"])
    utimesSync(join(directory, name), long, long);
  // A test may fake the date, and the temporary files of other workers are still young.
  vi.useFakeTimers({ now: Date.now() + 3 * 3_600_000 });
  removeStale(directory);
  vi.useRealTimers();
  expect(readdirSync(directory)).toStrictEqual([".old", ".young.tmp", "old.json"]);
  removeStale(join(directory, "none"));
  expect(existsSync(join(directory, "none"))).toBe(false);
});
