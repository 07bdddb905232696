import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SHORT_FILE_BYTES, listNames, readBeginning, readText, readShort } from "./read.ts";
import { runCount } from "../../../test-support/run-count.ts";

function temporaryDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-read-")));
}

test("reads a missing file as undefined, and an empty one as empty", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "empty.json"), "");
  expect(readText(join(directory, "none.json"))).toBeUndefined();
  expect(readText(join(directory, "no", "directory.json"))).toBeUndefined();
  expect(readText(join(directory, "empty.json"))).toBe("");
});

test("reads the first bytes of a file, or all of it", () => {
  const directory = temporaryDirectory();
  const file = join(directory, "file");
  for (const length of [0, 1, SHORT_FILE_BYTES - 1, SHORT_FILE_BYTES, SHORT_FILE_BYTES + 1]) {
    writeFileSync(file, "x".repeat(length));
    expect(readBeginning(file)).toBe("x".repeat(Math.min(length, SHORT_FILE_BYTES)));
  }
  expect(readBeginning(join(directory, "none.json"))).toBeUndefined();
});

test("a directory instead of a file is an error with its path", () => {
  const directory = temporaryDirectory();
  expect(() => readText(directory)).toThrow(
    new Error(`Cannot read ${directory}: EISDIR: illegal operation on a directory, read`),
  );
});

test("a file instead of a directory is an error with its path", () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  expect(() => readText(join(file, "a.json"))).toThrow(
    new Error(`Cannot read ${join(file, "a.json")}: ENOTDIR: not a directory, open '${join(file, "a.json")}'`),
  );
  expect(() => listNames(file)).toThrow(new Error(`Cannot read ${file}: ENOTDIR: not a directory, scandir '${file}'`));
});

test.runIf(process.getuid?.() === 0)("an unreadable directory of another user is an error that says what to do", () => {
  const directory = join(temporaryDirectory(), "receipts");
  mkdirSync(directory, { mode: 0o700 });
  const script = `import(${JSON.stringify(join(import.meta.dirname, "read.ts"))}).then(({ listNames }) => {
    process.seteuid(65534);
    try { listNames(${JSON.stringify(directory)}); } catch (thrown) { process.stdout.write(thrown.message); }
  })`;
  expect(spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout).toBe(
    `Cannot read ${directory}: EACCES: permission denied, scandir '${directory}'. ` +
      "It might belong to another user, for example after a run as root. Change its owner (chown -R), " +
      "or set VERITEST_STATE_DIR and VERITEST_NOTES_DIR to directories of your own",
  );
});

test("lists names by code unit, and none of a missing directory", () => {
  const directory = temporaryDirectory();
  for (const name of ["b", "B", "a", "é", "10", "9"]) writeFileSync(join(directory, name), "");
  expect(listNames(directory)).toStrictEqual(["10", "9", "B", "a", "b", "é"]);
  expect(listNames(join(directory, "none"))).toStrictEqual([]);
});

test("reads a file of any length as Node does, after any other", { tags: "deep" }, () => {
  const directory = temporaryDirectory();
  let files = 0;
  const content = fc.oneof(
    { weight: 200, arbitrary: fc.string({ unit: "binary", maxLength: 50 }) },
    { weight: 20, arbitrary: fc.uint8Array() },
    fc.constantFrom(99_999, 100_000, 100_001, 250_000).map((length) => "x".repeat(length)),
    fc.constantFrom(99_998, 99_999, 100_000).map((length) => `${"x".repeat(length - 1)}é`),
  );
  fc.assert(
    fc.property(content, (written) => {
      // Another file each time: one that is written over is written to the disk at once.
      const file = join(directory, `${(files += 1)}`);
      writeFileSync(file, written);
      const text = readFileSync(file).toString("utf8");
      expect(readText(file)).toBe(text);
      expect(readShort(file)).toBe(Buffer.byteLength(written) > 100_000 ? undefined : text);
      rmSync(file);
    }),
    { numRuns: runCount(10_000) },
  );
});

test.runIf(process.platform === "linux")("reads a file that the system makes up, which has no size", () => {
  expect(readText("/proc/version")).toBe(readFileSync("/proc/version", "utf8"));
});

test.skipIf(process.platform === "win32")(
  "refuses to read a pipe or a device as a file, and doesn't wait for a writer",
  () => {
    const directory = temporaryDirectory();
    const pipe = join(directory, "pipe");
    execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
    symlinkSync("/dev/zero", join(directory, "device"));
    for (const path of [pipe, join(directory, "device")])
      expect(() => readText(path)).toThrow(`Cannot read ${path}: it's a pipe or a device, and not a file. Remove it`);
    writeFileSync(join(directory, "file"), "text");
    expect(readText(join(directory, "file"))).toBe("text");
    expect(readText(join(directory, "none"))).toBeUndefined();
  },
);

test("a missing file, a directory and a link aren't short files", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "a.json"), "1");
  symlinkSync(join(directory, "a.json"), join(directory, "link.json"));
  for (const name of ["none.json", "", "link.json"]) expect(readShort(join(directory, name))).toBeUndefined();
});
