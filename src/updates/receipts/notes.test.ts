import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../test-support/arbitraries.ts";
import { readBlob } from "./blobs.ts";
import { MAX_RECORD, sealLine } from "./segment.ts";
import type { NewNote } from "./note.ts";
import { type NoteWriterOptions, openNotes } from "./open-notes.ts";
import { pruneNotes } from "./prune-notes.ts";
import { type NoteEntry, type NoteFilter, readNotes } from "./read-notes.ts";

const TIME = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const ID = "0a1b2c3d-0000-4000-8000-000000000000";

function makeDirectory(): string {
  return join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-notes-"))), "notes");
}

function writer(directory: string, options: Partial<NoteWriterOptions> = {}): ReturnType<typeof openNotes> {
  return openNotes({ directory, clock: () => TIME, ...options });
}

function observation(body: string): NewNote {
  return { type: "observation", run: "r1", body };
}

async function read(directory: string, filter?: NoteFilter): Promise<NoteEntry[]> {
  const entries: NoteEntry[] = [];
  for await (const entry of readNotes(directory, filter)) entries.push(entry);
  return entries;
}

async function bodies(directory: string, filter?: NoteFilter): Promise<string[]> {
  return (await read(directory, filter)).map((entry) => (entry.kind === "note" ? entry.note.body : entry.kind));
}

function segments(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith(".ndjson"));
}

function onlySegment(directory: string): string {
  return join(directory, segments(directory).join("/"));
}

test("reads back every field, and what writing added", async () => {
  const directory = makeDirectory();
  const notes = writer(directory, { newId: () => ID });
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
  const file = `20260102030405678-${process.pid}-${ID}.ndjson`;
  expect(segments(directory)).toStrictEqual([file]);
  expect(await read(directory)).toStrictEqual([
    {
      kind: "note",
      note: {
        ...hypothesis,
        v: 1,
        seq: 1,
        prev: expect.stringMatching(/^[0-9a-f]{16}$/),
        ts: "2026-01-02T03:04:05.678Z",
        crc: ids[0],
      },
    },
    {
      kind: "note",
      note: { ...hyperthesis, v: 1, seq: 2, prev: ids[0], ts: "2026-01-02T03:04:05.678Z", refs: [], crc: ids[1] },
    },
  ]);
});

test("touches nothing before the first note, and lets nobody else read it", () => {
  const directory = makeDirectory();
  const notes = writer(directory);
  expect(statSync(directory, { throwIfNoEntry: false })).toBeUndefined();
  notes.write(observation("x"));
  expect(statSync(onlySegment(directory)).mode & 0o777).toBe(0o600);
});

test("no notes yet are no entries", async () => {
  expect(await read(makeDirectory())).toStrictEqual([]);
});

test("any text comes back as it was, and no other reader of lines can break it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyText(), { minLength: 1, maxLength: 4 }), async (texts) => {
      const directory = makeDirectory();
      const notes = writer(directory);
      for (const text of texts) notes.write({ ...observation(`${text}\u2028\r`), mood: `m${text}` });
      notes.close();
      expect(await bodies(directory)).toStrictEqual(texts.map((text) => `${text}\u2028\r`));
      rmSync(dirname(directory), { recursive: true });
    }),
    { numRuns: 1000 },
  );
});

test("filters by kind, run, work item and time", async () => {
  const directory = makeDirectory();
  let now = TIME;
  const notes = writer(directory, { clock: () => now });
  notes.write({ type: "status", run: "r1", item: "a", body: "one" });
  notes.write({ type: "observation", run: "r2", item: "b", body: "two" });
  now += 1000;
  notes.write({ type: "status", run: "r2", body: "three" });
  expect(await bodies(directory, { types: ["status"] })).toStrictEqual(["one", "three"]);
  expect(await bodies(directory, { run: "r2" })).toStrictEqual(["two", "three"]);
  expect(await bodies(directory, { item: "b", types: ["observation", "status"] })).toStrictEqual(["two"]);
  expect(await bodies(directory, { since: now })).toStrictEqual(["three"]);
});

test("a long body goes to a file of its own, once", async () => {
  const directory = makeDirectory();
  const body = `begin ${"é".repeat(MAX_RECORD)} end`;
  const notes = writer(directory);
  notes.write(observation(body));
  notes.write(observation(body));
  const [first, second] = await read(directory);
  if (first?.kind !== "note" || second?.kind !== "note") throw new Error("expected two notes");
  expect(first.note.body).toMatch(/^begin é{994}… \(\+64546 characters\)$/);
  expect(second.note.blob).toBe(first.note.blob);
  expect(readdirSync(join(directory, "blobs"))).toHaveLength(1);
  expect(readBlob(directory, first.note.blob ?? "")).toStrictEqual({ ok: true, value: body });
  expect(
    Math.max(
      ...readFileSync(onlySegment(directory), "utf8")
        .split("\n")
        .map((line) => Buffer.byteLength(line)),
    ),
  ).toBeLessThan(MAX_RECORD);
});

test("says when a long body is gone or damaged, and reads no other file for it", () => {
  const directory = makeDirectory();
  writer(directory).write(observation("x".repeat(MAX_RECORD)));
  const [name = ""] = readdirSync(join(directory, "blobs"));
  const path = join(directory, "blobs", name);
  writeFileSync(path, "other");
  expect(readBlob(directory, `sha256:${name}`)).toStrictEqual({
    ok: false,
    error: `${path} is damaged: its hash is not its name.`,
  });
  const other = `sha256:${"0".repeat(64)}`;
  expect(readBlob(directory, other)).toStrictEqual({
    ok: false,
    error: `${join(directory, "blobs", "0".repeat(64))} is gone; the note holds the beginning of its body.`,
  });
  expect(readBlob(directory, "../../secret").ok).toBe(false);
});

test("a note that is too long without its body is lost, and said", () => {
  const directory = makeDirectory();
  const notes = writer(directory);
  expect(
    notes.write({ ...observation("x"), refs: Array.from({ length: 10_000 }, (_, index) => `sha256:${index}`) }),
  ).toBeUndefined();
  expect(notes.warning()).toBe(
    `Cannot write notes to ${directory}: a note is longer than 65536 bytes without its body. The run goes on; such notes are lost.`,
  );
  expect(notes.write(observation("next"))).toMatch(/^[0-9a-f]{16}$/);
});

test("takes secrets out of every text, long bodies too, and leaves ids alone", async () => {
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
    body: `secret ${"x".repeat(MAX_RECORD)}`,
    blindSpot: "secret s",
    bound: "secret o",
  });
  const [first, second] = await read(directory);
  expect(first).toMatchObject({
    note: {
      run: "secret",
      item: "*** i",
      mood: "*** m",
      body: "*** b",
      test: "*** t",
      budget: "*** u",
      refs: ["secret"],
    },
  });
  expect(second).toMatchObject({
    note: { blindSpot: "*** s", bound: "*** o", body: expect.stringMatching(/^\*\*\* x/) },
  });
  expect(readFileSync(join(directory, "blobs", readdirSync(join(directory, "blobs")).join("")), "utf8")).toMatch(
    /^\*\*\* x+$/,
  );
});

test("where redaction fails the note is not written", async () => {
  const directory = makeDirectory();
  const notes = writer(directory, {
    redact: () => {
      throw new Error("no key");
    },
  });
  expect(notes.write(observation("secret"))).toBeUndefined();
  expect(notes.warning()).toBe(`Cannot write notes to ${directory}: no key. The run goes on; such notes are lost.`);
  expect(await read(directory)).toStrictEqual([]);
});

test("a directory that cannot be made costs the notes and one warning, nothing else", () => {
  const directory = join(makeDirectory(), "below");
  mkdirSync(join(directory, "..", ".."), { recursive: true });
  writeFileSync(join(directory, ".."), "a file");
  const notes = writer(directory);
  expect([notes.write(observation("a")), notes.write(observation("b"))]).toStrictEqual([undefined, undefined]);
  expect(notes.warning()).toBe(
    `Cannot write notes to ${directory}: ENOTDIR: not a directory, lstat '${directory}'. The run goes on; such notes are lost.`,
  );
});

test("a directory of notes, or of their bodies, that is a link costs the notes, and its target stays as it was", () => {
  const [directory, outside] = [makeDirectory(), makeDirectory()];
  mkdirSync(outside);
  symlinkSync(outside, directory);
  const linked = writer(directory);
  expect(linked.write(observation("a"))).toBeUndefined();
  expect(linked.warning()).toBe(
    `Cannot write notes to ${directory}: Refused to touch ${directory}: it is a symbolic link. Replace it by a real directory. The run goes on; such notes are lost.`,
  );
  const other = makeDirectory();
  const blobs = join(other, "blobs");
  mkdirSync(other);
  symlinkSync(outside, blobs);
  const notes = writer(other);
  expect(notes.write(observation("x".repeat(MAX_RECORD)))).toBeUndefined();
  expect(notes.warning()).toBe(
    `Cannot write notes to ${other}: Refused to touch ${blobs}: it is a symbolic link. Replace it by a real directory. The run goes on; such notes are lost.`,
  );
  expect(readdirSync(outside)).toStrictEqual([]);
});

test("a clock that is wrong costs no note", async () => {
  const directory = makeDirectory();
  for (const now of [Number.NaN, -1, Infinity, 8.64e15 + 1])
    writer(directory, { clock: () => now }).write(observation(String(now)));
  expect((await bodies(directory)).toSorted()).toStrictEqual(["-1", "8640000000000001", "Infinity", "NaN"]);
});

test("a segment that has grown is followed by another", async () => {
  const directory = makeDirectory();
  let now = TIME;
  const notes = writer(directory, { clock: () => (now += 1), rollBytes: 1000 });
  const written = Array.from({ length: 20 }, (_, index) => `note ${index}`);
  for (const body of written) notes.write(observation(body));
  expect(segments(directory).length).toBeGreaterThan(2);
  expect(await bodies(directory)).toStrictEqual(written);
});

async function damaged(change: (text: string) => string): Promise<NoteEntry[]> {
  const directory = makeDirectory();
  const notes = writer(directory, { newId: () => ID });
  for (const body of ["one", "two", "three"]) notes.write(observation(body));
  const path = onlySegment(directory);
  writeFileSync(path, change(readFileSync(path, "utf8")));
  return read(directory);
}

const FILE = `20260102030405678-${process.pid}-${ID}.ndjson`;

test.each<[string, (text: string) => string, object[]]>([
  ["a torn last line", (text) => text.slice(0, -20), [{}, {}, { kind: "torn", file: FILE, line: 3 }]],
  ["a last line that only lacks its break", (text) => text.slice(0, -1), [{}, {}, {}]],
  [
    "a changed last line",
    (text) => text.replace("three", "threE"),
    [{}, {}, { kind: "corrupt", file: FILE, line: 3, problem: "its checksum does not fit" }],
  ],
  [
    "a changed line in the middle",
    (text) => text.replace("two", "twO"),
    [{}, { kind: "corrupt", file: FILE, line: 2, problem: "its checksum does not fit" }, {}],
  ],
  [
    "a line that is gone",
    (text) => text.replace(/^.*two.*\n/m, ""),
    [{}, { kind: "gap", file: FILE, line: 2, problem: "number 3 comes after number 1" }, {}],
  ],
  [
    "a first line that is gone",
    (text) => text.replace(/^.*one.*\n/m, ""),
    [{ kind: "gap", file: FILE, line: 1, problem: "number 2 comes after number 0" }, {}, {}],
  ],
  [
    "a line that is there twice",
    (text) => text.replace(/^.*two.*\n/m, (line) => line + line),
    [{}, {}, { kind: "gap", file: FILE, line: 3, problem: "number 2 comes after number 2" }, {}, {}],
  ],
  [
    "lines of another program",
    (text) => `${text}hello\n`,
    [{}, {}, {}, { kind: "corrupt", file: FILE, line: 4, problem: "its checksum does not fit" }],
  ],
  [
    "a line longer than any record",
    (text) => `${"x".repeat(MAX_RECORD + 1)}\n${text}`,
    [{ kind: "torn", file: FILE, line: 1 }, {}, {}, {}],
  ],
])("tells %s", async (_what, change, expected) => {
  expect(await damaged(change)).toMatchObject(expected);
});

test("whatever happens to a segment, reading it ends, and gives only notes that were written", async () => {
  const directory = makeDirectory();
  const notes = writer(directory, { newId: () => ID });
  const written = ["one", "two", "three", "four"];
  for (const body of written) notes.write(observation(body));
  const path = onlySegment(directory);
  const whole = readFileSync(path);
  const edit = fc.record({
    at: fc.nat(whole.length),
    remove: fc.nat({ max: 300 }),
    insert: fc.uint8Array({ maxLength: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(edit, async ({ at, remove, insert }) => {
      const changed = Buffer.concat([whole.subarray(0, at), insert, whole.subarray(at + remove)]);
      writeFileSync(path, changed);
      const entries = await read(directory);
      const found = entries.flatMap((entry) => (entry.kind === "note" ? entry.note.body : []));
      expect(written.filter((body) => found.includes(body))).toStrictEqual(found);
      const last = whole.lastIndexOf("\n", -2);
      if (!changed.equals(whole) && at + remove <= last)
        expect(entries.some(({ kind }) => kind !== "note")).toBe(!isBlankLines(whole, changed));
    }),
    { numRuns: 1000 },
  );
});

/** Whether a change is no more than empty lines between notes. */
function isBlankLines(whole: Buffer, changed: Buffer): boolean {
  const lines = (bytes: Buffer): string =>
    bytes
      .toString("latin1")
      .split("\n")
      .filter((line) => line !== "")
      .join("\n");
  return lines(whole) === lines(changed);
}

test("a line of a newer format is told by what is unknown in it", async () => {
  const newer = sealLine({ v: 2, seq: 1 }).line;
  const entries = await damaged(() => `${newer}\n`);
  expect(entries).toMatchObject([{ kind: "corrupt", line: 1 }]);
});

test("a sealed line that is no JSON is damage, not a crash", async () => {
  const { line } = sealLine({ a: 1 });
  const forged = sealLine(Object.assign(() => undefined, { toJSON: () => "x" })).line;
  expect(await damaged(() => `${forged}\n${line}\n`)).toMatchObject([
    { kind: "corrupt", line: 1 },
    { kind: "corrupt", line: 2 },
  ]);
});

test("a renamed segment does not fit its name", async () => {
  const directory = makeDirectory();
  const notes = writer(directory);
  notes.write(observation("one"));
  renameSync(onlySegment(directory), join(directory, "other.ndjson"));
  expect(await read(directory)).toMatchObject([
    { kind: "gap", file: "other.ndjson", line: 1, problem: "it was not written after the note before it" },
    { kind: "note" },
  ]);
});

test("a write that fell short costs its own note only, and is no damage", async () => {
  const directory = makeDirectory();
  // A limit on the file's size makes the system write a part and then refuse, as a full disk does.
  const script = `
    const { openNotes } = await import(${JSON.stringify(join(import.meta.dirname, "open-notes.ts"))});
    const { truncateSync, readdirSync } = await import("node:fs");
    process.on("SIGXFSZ", () => {});
    const notes = openNotes({ directory: ${JSON.stringify(directory)}, clock: Date.now });
    const note = (body) => notes.write({ type: "status", run: "r", body });
    console.log(JSON.stringify([note("one"), note("x".repeat(5000)), note("y".repeat(100)), notes.warning()]));
    `;
  const output = await run("bash", [
    "-c",
    `ulimit -f 4; exec "$0" --input-type=module -e "$1"`,
    process.execPath,
    script,
  ]);
  const [first, second, third, warning] = JSON.parse(output);
  expect([typeof first, second, third]).toStrictEqual(["string", null, null]);
  expect(warning).toMatch(
    /^Cannot write notes to .*: only \d+ of \d+ bytes were written\. The run goes on; such notes are lost\.$/,
  );
  expect(await read(directory)).toMatchObject([
    { kind: "note", note: { body: "one" } },
    { kind: "torn", line: 2 },
  ]);
});

test("after a write that fell short the next note starts on a line of its own", async () => {
  const directory = makeDirectory();
  const script = `
    const fs = (await import("node:fs")).default;
    const { syncBuiltinESMExports } = await import("node:module");
    const real = fs.writeSync;
    let calls = 0;
    fs.writeSync = (descriptor, bytes) => {
      calls += 1;
      if (calls === 2) return real(descriptor, bytes.subarray(0, 30));
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
  expect(await bodies(directory)).toStrictEqual(["one", "torn", "four", "five"]);
});

async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, [...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const chunk of child.stdout) output += String(chunk);
  return output;
}

test("deletes whole segments by age and by size, the oldest first, and the long bodies only they named", async () => {
  const directory = makeDirectory();
  const day = 24 * 60 * 60 * 1000;
  let now = TIME;
  for (const body of ["a", "b", "c", "d"]) {
    const notes = writer(directory, { clock: () => now });
    notes.write(observation(body));
    if (body !== "c") notes.write(observation(body.repeat(MAX_RECORD)));
    notes.write(observation("shared".repeat(MAX_RECORD)));
    notes.close();
    const name = segments(directory).at(-1) ?? "";
    utimesSync(join(directory, name), now / 1000, now / 1000);
    now += day;
  }
  const keep = { now, isAlive: () => false };
  const sizes = segments(directory).map((name) => statSync(join(directory, name)).size);
  expect(pruneNotes(directory, { ...keep, days: 30, totalBytes: 1e9 })).toStrictEqual({ segments: [], blobs: 0 });
  expect(pruneNotes(directory, { ...keep, days: 3, totalBytes: 1e9 })).toMatchObject({
    segments: [expect.stringMatching(/^20260102/)],
    blobs: 1,
  });
  expect(pruneNotes(directory, { ...keep, days: 30, totalBytes: (sizes[2] ?? 0) + (sizes[3] ?? 0) })).toMatchObject({
    segments: [expect.stringMatching(/^20260103/)],
    blobs: 1,
  });
  expect((await bodies(directory)).filter((body) => body.length === 1)).toStrictEqual(["c", "d"]);
  expect(readdirSync(join(directory, "blobs"))).toHaveLength(2);
});

test("a segment of a process that still runs is kept", () => {
  const directory = makeDirectory();
  writer(directory).write(observation("x"));
  expect(pruneNotes(directory, { days: 0, totalBytes: 0, now: Date.now() + 1e9 })).toStrictEqual({
    segments: [],
    blobs: 0,
  });
});

test("a segment that cannot be read is an error, never nothing", async () => {
  const directory = makeDirectory();
  mkdirSync(join(directory, FILE), { recursive: true });
  await expect(read(directory)).rejects.toThrow("EISDIR: illegal operation on a directory, read");
});
