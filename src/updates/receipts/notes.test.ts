import { spawn } from "node:child_process";
import {
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
import type { NewNote } from "./note.ts";
import { MAX_NOTE_BYTES, NOTES_FILE, type NoteWriterOptions, openNotes } from "./open-notes.ts";
import { appendToLog, logLine } from "./log-file.ts";
import { type NoteQuery, readNotes } from "./read-notes.ts";

const TIME = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

function makeDirectory(): string {
  return join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-notes-"))), "notes");
}

function writer(directory: string, options: Partial<NoteWriterOptions> = {}): ReturnType<typeof openNotes> {
  return openNotes({ directory, clock: () => TIME, ...options });
}

function observation(body: string): NewNote {
  return { type: "observation", run: "r1", body };
}

function bodies(directory: string, query?: NoteQuery): string[] {
  return readNotes(directory, query).values.map(({ body }) => body);
}

test("reads back every field, and those that writing added", () => {
  const directory = makeDirectory();
  const notes = writer(directory);
  const hypothesis: NewNote = {
    type: "hypothesis",
    run: "r1",
    item: "w-7",
    mood: "calm",
    body: "It is the cache.",
    refs: ["sha256:a"],
    test: "turn it off",
    budget: "10 min",
  };
  const hyperthesis: NewNote = {
    type: "hyperthesis",
    run: "r1",
    body: "Time zones.",
    blindSpot: "all tests run in UTC",
    bound: "dates only",
  };
  const ids = [notes.write(hypothesis), notes.write(hyperthesis)];
  const added = { v: 1, ts: "2026-01-02T03:04:05.678Z" };
  expect(ids[0]).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(readNotes(directory)).toStrictEqual({
    values: [
      { ...hypothesis, ...added, id: ids[0] },
      { ...hyperthesis, ...added, refs: [], id: ids[1] },
    ],
    problems: [],
    torn: 0,
  });
});

test("creates no file before the first note", () => {
  const directory = makeDirectory();
  const notes = writer(directory);
  expect(statSync(directory, { throwIfNoEntry: false })).toBeUndefined();
  notes.write(observation("x"));
  expect(statSync(join(directory, NOTES_FILE)).mode & 0o777).toBe(0o600);
});

test("filters by type, run, work item and time", () => {
  const directory = makeDirectory();
  let now = TIME;
  const notes = writer(directory, { clock: () => now });
  notes.write({ type: "status", run: "r1", item: "a", body: "one" });
  notes.write({ type: "observation", run: "r2", item: "b", body: "two" });
  now += 1000;
  notes.write({ type: "status", run: "r2", body: "three" });
  expect(bodies(directory, { types: ["status"] })).toStrictEqual(["one", "three"]);
  expect(bodies(directory, { run: "r2" })).toStrictEqual(["two", "three"]);
  expect(bodies(directory, { item: "b", types: ["observation", "status"] })).toStrictEqual(["two"]);
  expect(bodies(directory, { since: now })).toStrictEqual(["three"]);
});

test("reads back to a note a day older than the bound, because clocks differ", () => {
  const directory = makeDirectory();
  const hour = 60 * 60 * 1000;
  for (const hours of [-72, 0, -26, -1, 2])
    writer(directory, { clock: () => TIME + hours * hour }).write(observation(String(hours)));
  expect(bodies(directory, { since: TIME - hour })).toStrictEqual(["-1", "2"]);
  expect(bodies(directory, { since: TIME - 2 * hour })).toStrictEqual(["0", "-1", "2"]);
});

test("reads the newest notes up to a limit", () => {
  const directory = makeDirectory();
  for (const body of ["a", "b", "c"]) writer(directory).write(observation(body));
  expect(bodies(directory, { limit: 2 })).toStrictEqual(["b", "c"]);
});

test("drops a note that is too long, and reports its length", () => {
  const directory = makeDirectory();
  const notes = writer(directory);
  const longest = MAX_NOTE_BYTES - Buffer.byteLength(lineOf(directory, ""));
  expect(notes.write(observation("x".repeat(longest)))).toMatch(/^sha256:/);
  expect(notes.write(observation("x".repeat(longest + 1)))).toBeUndefined();
  expect(notes.warning()).toBe(
    `Cannot write notes to ${directory}: a note has 1048577 bytes, which is more than the limit of 1048576. The run continues without these notes.`,
  );
  expect(notes.write(observation("next"))).toMatch(/^sha256:/);
  expect(bodies(directory).map((body) => body.length)).toStrictEqual([0, longest, 4]);
});

function lineOf(directory: string, body: string): string {
  writer(directory).write(observation(body));
  return readFileSync(join(directory, NOTES_FILE), "utf8");
}

test("redacts secrets in every text, and keeps ids", () => {
  const directory = makeDirectory();
  const notes = writer(directory, { redact: (text) => text.replaceAll("secret", "***") });
  notes.write({
    type: "hypothesis",
    run: "secret",
    item: "secret i",
    mood: "secret m",
    body: "secret b",
    test: "secret t",
    budget: "secret u",
    refs: ["secret"],
  });
  notes.write({
    type: "hyperthesis",
    run: "r",
    body: "secret x",
    blindSpot: "secret s",
    bound: "secret o",
  });
  const [first, second] = readNotes(directory).values;
  expect(first).toMatchObject({
    run: "secret",
    item: "*** i",
    mood: "*** m",
    body: "*** b",
    test: "*** t",
    budget: "*** u",
    refs: ["secret"],
  });
  expect(second).toMatchObject({ blindSpot: "*** s", bound: "*** o", body: "*** x" });
});

test("doesn't write a note whose redaction fails", () => {
  const directory = makeDirectory();
  const notes = writer(directory, {
    redact: () => {
      throw new Error("no key");
    },
  });
  expect(notes.write(observation("secret"))).toBeUndefined();
  expect(notes.warning()).toBe(`Cannot write notes to ${directory}: no key. The run continues without these notes.`);
  expect(bodies(directory)).toStrictEqual([]);
});

test("warns once if the directory can't be made, and drops the notes", () => {
  const directory = join(makeDirectory(), "below");
  mkdirSync(join(directory, "..", ".."), { recursive: true });
  writeFileSync(join(directory, ".."), "a file");
  const notes = writer(directory);
  expect([notes.write(observation("a")), notes.write(observation("b"))]).toStrictEqual([undefined, undefined]);
  expect(notes.warning()).toBe(
    `Cannot write notes to ${directory}: ENOTDIR: not a directory, lstat '${directory}'. The run continues without these notes.`,
  );
});

test("refuses a directory that is a link, and keeps its target unchanged", () => {
  const [directory, outside] = [makeDirectory(), makeDirectory()];
  mkdirSync(outside);
  symlinkSync(outside, directory);
  const linked = writer(directory);
  expect(linked.write(observation("a"))).toBeUndefined();
  expect(linked.warning()).toBe(
    `Cannot write notes to ${directory}: ${directory} is a symbolic link, so veritest doesn't use it. Replace it with a real directory. The run continues without these notes.`,
  );
  expect(readdirSync(outside)).toStrictEqual([]);
});

test("writes notes with an invalid clock", () => {
  const directory = makeDirectory();
  for (const now of [Number.NaN, -1, Infinity, 8.64e15 + 1])
    writer(directory, { clock: () => now }).write(observation(String(now)));
  expect(bodies(directory).toSorted()).toStrictEqual(["-1", "8640000000000001", "Infinity", "NaN"]);
});

test("reports a line that isn't a note, and reads the others", () => {
  const directory = makeDirectory();
  const path = join(directory, NOTES_FILE);
  writer(directory).write(observation("one"));
  appendToLog(
    path,
    logLine({ type: "hypothesis", ts: new Date(TIME).toISOString(), run: "r", body: "", refs: [] }).text,
    false,
  );
  writer(directory).write(observation("two"));
  expect(readNotes(directory)).toMatchObject({
    values: [{ body: "one" }, { body: "two" }],
    problems: ['notes.ndjson, line 2: "test" is missing; "budget" is missing'],
    torn: 0,
  });
});

test.each(["20260102030405678-17-0a1b2c3d.ndjson", "blobs"])("reports %s of an older format", (name) => {
  const directory = makeDirectory();
  writer(directory).write(observation("one"));
  writeFileSync(join(directory, name), "");
  expect(readNotes(directory)).toMatchObject({
    values: [{ body: "one" }],
    problems: [`${name}: its format is too old to read. Delete it`],
  });
});

test("reads the notes after a partial write", { tags: "deep" }, async () => {
  const directory = makeDirectory();
  const script = `
    const fs = (await import("node:fs")).default;
    const { syncBuiltinESMExports } = await import("node:module");
    const real = fs.writeSync;
    let calls = 0;
    fs.writeSync = (descriptor, bytes) => {
      calls += 1;
      if (calls === 2) return real(descriptor, bytes.slice(0, 30));
      if (calls === 3) throw Object.assign(new Error("EIO: i/o error, write"), { code: "EIO" });
      return real(descriptor, bytes);
    };
    syncBuiltinESMExports();
    const { openNotes } = await import(${JSON.stringify(join(import.meta.dirname, "open-notes.ts"))});
    const notes = openNotes({ directory: ${JSON.stringify(directory)}, clock: Date.now });
    for (const body of ["one", "two", "three", "four", "five"]) notes.write({ type: "status", run: "r", body });
    console.log(notes.warning());
  `;
  expect(await run(process.execPath, ["--input-type=module", "-e", script])).toMatch(
    /: only 30 of \d+ bytes were written\./,
  );
  expect(readNotes(directory)).toMatchObject({ problems: [], torn: 1 });
  expect(bodies(directory)).toStrictEqual(["one", "four", "five"]);
});

async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, [...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const chunk of child.stdout) output += String(chunk);
  return output;
}
