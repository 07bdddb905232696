import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as fc from "fast-check";
import { type Zippable, strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { type PendingChange, pendingChange } from "../pending/pending-change.ts";
import { UPLOAD_LIMITS, type UploadLimits, readUpload } from "./upload.ts";
import { runCount } from "../../../test-support/run-count.ts";

const ROOT = "/project";

function makeDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-upload-")));
}

function change(name: string, after = `${name}\n`): PendingChange {
  const root = join(ROOT, "__baselines__");
  const update = {
    kind: "add",
    root,
    path: join(root, "step", `${name}.json`),
    group: "step",
    before: undefined,
    after,
  } as const;
  return pendingChange(
    { update, intent: "review", verdict: "missing", shown: [] },
    {
      projectRoot: ROOT,
      testPath: join(ROOT, "a.test.ts"),
      test: name,
      passed: false,
      run: "run",
      at: "2026-01-01T00:00:00.000Z",
    },
  );
}

const RUN_HERE = "Run its test with -u on your machine instead";

const [A, B] = [change("a"), change("b")];
const nameOf = ({ key }: PendingChange): string => `pending/${key}.json`;
const textOf = (each: PendingChange): string => `${JSON.stringify(each)}\n`;

function put(directory: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

function zipOf(bytes: Uint8Array): string {
  const path = join(makeDirectory(), "state.zip");
  writeFileSync(path, bytes);
  return path;
}

function zip(files: Readonly<Record<string, string>>): string {
  return zipOf(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))));
}

function read(path: string, limits: Partial<UploadLimits> = {}): ReturnType<typeof readUpload> {
  return readUpload(path, projectPaths(makeDirectory(), {}), { ...UPLOAD_LIMITS, ...limits });
}

function refusal(path: string, phrase: string, remedy = "Download the upload again"): object {
  return { ok: false, error: `Cannot read ${path}: ${phrase}. veritest didn't apply any of its changes. ${remedy}.` };
}

const FILES = { [nameOf(A)]: textOf(A), [nameOf(B)]: textOf(B), "lock/1.lock": "{}", "pending/notes.txt": "no" };

test.each([
  "",
  "one",
  "one/two",
  "one/two/three",
  "one/two/three/four/five",
])("reads a state directory under %j, unpacked or as a zip", (inside) => {
  const files = Object.fromEntries(
    Object.entries(FILES).map(([name, text]) => [inside === "" ? name : `${inside}/${name}`, text]),
  );
  expect(read(put(makeDirectory(), files))).toStrictEqual({ ok: true, value: [A, B] });
  expect(read(zip(files))).toStrictEqual({ ok: true, value: [A, B] });
});

test("ignores state directories nested too deep", () => {
  const files = { [`1/2/3/4/5/6/${nameOf(A)}`]: textOf(A) };
  expect(read(put(makeDirectory(), files))).toStrictEqual({ ok: true, value: [] });
  expect(read(zip(files))).toStrictEqual({ ok: true, value: [] });
});

test("reads a zip that another program made", () => {
  const directory = put(makeDirectory(), FILES);
  const { status } = spawnSync("zip", ["-qr", "state.zip", "pending", "lock"], { cwd: directory });
  // Not every machine has the program.
  if (status === 0) expect(read(join(directory, "state.zip"))).toStrictEqual({ ok: true, value: [A, B] });
});

test("reads only the state of this project", () => {
  const state = join(makeDirectory(), "0a1b2c3d");
  const files = { [`veritest/0a1b2c3d/${nameOf(A)}`]: textOf(A), [`veritest/ffffffff/${nameOf(B)}`]: textOf(B) };
  expect(readUpload(zip(files), { state })).toStrictEqual({ ok: true, value: [A] });
  const path = put(makeDirectory(), files);
  expect(readUpload(path, { state: join(dirname(state), "none") })).toStrictEqual(
    refusal(
      path,
      "it contains the state of several projects (veritest/0a1b2c3d, veritest/ffffffff). Pass the directory of one project",
    ),
  );
});

test.each<[string, string, string]>([
  [
    "a climbing name",
    "../pending/0123456789ab.json",
    'its entry "../pending/0123456789ab.json" would be outside of it',
  ],
  [
    "a name that climbs on its way",
    "a/../../pending/0123456789ab.json",
    'its entry "a/../../pending/0123456789ab.json" would be outside of it',
  ],
  ["a climbing name of something else", "../../.bashrc", 'its entry "../../.bashrc" would be outside of it'],
  ["an absolute name", "/pending/0123456789ab.json", 'its entry "/pending/0123456789ab.json" would be outside of it'],
  ["a Windows path", "C:/pending/0123456789ab.json", 'its entry "C:/pending/0123456789ab.json" would be outside of it'],
  [
    "a backslash",
    "..\\pending\\0123456789ab.json",
    'its entry "..\\\\pending\\\\0123456789ab.json" would be outside of it',
  ],
  ["a zero byte", "pending/x\0.json", 'its entry "pending/x\\u0000.json" would be outside of it'],
  ["an escape sequence", "../\u001b]52;c;x\u0007", 'its entry "../\\u001b]52;c;x\\u0007" would be outside of it'],
])("refuses a zip with %s", (_what, name, phrase) => {
  const path = zip({ [nameOf(A)]: textOf(A), [name]: textOf(B) });
  expect(read(path)).toStrictEqual(refusal(path, phrase));
});

test("refuses a Zip64 archive, and the message says to unpack it", () => {
  const bytes = Buffer.from(zipSync({ [nameOf(A)]: strToU8(textOf(A)) }));
  const end = bytes.length - 22;
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50);
  record.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) record.writeBigUInt64LE(1n, at);
  record.writeBigUInt64LE(BigInt(bytes.readUInt32LE(end + 12)), 40);
  record.writeBigUInt64LE(BigInt(bytes.readUInt32LE(end + 16)), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50);
  locator.writeBigUInt64LE(BigInt(end), 8);
  locator.writeUInt32LE(1, 16);
  const path = zipOf(Buffer.concat([bytes.subarray(0, end), record, locator, bytes.subarray(end)]));
  expect(read(path)).toStrictEqual({
    ok: false,
    error: `Cannot read ${path}: it is a Zip64 archive, which isn't supported. veritest didn't apply any of its changes. Unpack it and pass the directory.`,
  });
});

test("refuses a zip with a duplicate name", () => {
  const [first, second] = [
    zipSync({ [nameOf(A)]: strToU8(textOf(A)), "pending/0123456789ac.json": strToU8("x") }),
    nameOf(A),
  ];
  // Renamed in place, because no writer makes it: both names have the same length.
  const path = zipOf(
    Buffer.from(Buffer.from(first).toString("latin1").replaceAll("pending/0123456789ac.json", second), "latin1"),
  );
  expect(read(path)).toStrictEqual(refusal(path, `it has "${nameOf(A)}" twice`));
});

test("reads a link in a zip as text, and refuses it", () => {
  const link: Zippable = { [nameOf(A)]: [strToU8("/etc/passwd"), { os: 3, attrs: 0o120777 << 16 }] };
  const path = zipOf(zipSync(link));
  expect(read(path)).toStrictEqual(
    refusal(path, `${basename(nameOf(A))}: this version of veritest can't read its format`),
  );
});

test.each([
  ["lists", "[", "]"],
  ["objects", '{"a":', "}"],
])("refuses an update of %s that are nested deeper than functions can call themselves", (_what, open, close) => {
  const nested = (depth: number): PendingChange => change("a", `${open.repeat(depth)}1${close.repeat(depth)}`);
  const path = zip({ [nameOf(A)]: textOf(nested(9000)) });
  expect(read(path)).toStrictEqual(refusal(path, `the update ${A.key} is nested deeper than 1000 levels`, RUN_HERE));
  const text = change("a", JSON.stringify(`${open.repeat(9000)}"\\`));
  for (const each of [nested(900), text])
    expect(read(zip({ [nameOf(A)]: textOf(each) }))).toStrictEqual({ ok: true, value: [each] });
});

test.each([
  ["numbers", `[${"1,".repeat(250_000)}1]`],
  ["objects", `[${"{},".repeat(250_000)}{}]`],
  ["fields", `{${'"a":1,'.repeat(250_000)}"b":1}`],
])("refuses an update with a small text that takes a large memory, of %s", (_what, text) => {
  const path = zip({ [nameOf(A)]: textOf(change("a", text)) });
  expect(read(path)).toStrictEqual(refusal(path, `the update ${A.key} has more than 250000 values`, RUN_HERE));
});

test("reads an update with a long string of commas", () => {
  const text = change("a", JSON.stringify("a,".repeat(250_001)));
  expect(read(zip({ [nameOf(A)]: textOf(text) }))).toStrictEqual({ ok: true, value: [text] });
});

test("refuses a link in a directory, and doesn't follow a link to one", () => {
  const outside = put(makeDirectory(), { [nameOf(A)]: textOf(A) });
  const directory = makeDirectory();
  symlinkSync(outside, join(directory, "linked"));
  expect(read(directory)).toStrictEqual({ ok: true, value: [] });
  put(directory, { "pending/notes.txt": "" });
  symlinkSync(join(outside, nameOf(A)), join(directory, nameOf(A)));
  expect(read(directory)).toStrictEqual(refusal(directory, `${basename(nameOf(A))} isn't a regular file`));
});

test("refuses a zip bomb by its declared size, before inflating it", { tags: "deep" }, () => {
  const path = zipOf(zipSync({ [nameOf(A)]: [new Uint8Array(32 * 1024 * 1024), { level: 9 }] }));
  const before = process.memoryUsage().arrayBuffers;
  expect(read(path, { fileBytes: 8 * 1024 * 1024 })).toStrictEqual(
    refusal(path, `${nameOf(A)} has 33554432 bytes, which is more than 8388608`),
  );
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
});

test("inflates a bomb with a false size only up to that size", { tags: "deep" }, () => {
  const bytes = Buffer.from(zipSync({ [nameOf(A)]: [new Uint8Array(32 * 1024 * 1024), { level: 9 }] }));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(32 * 1024 * 1024);
  for (let at = bytes.indexOf(size); at !== -1; at = bytes.indexOf(size, at)) bytes.writeUInt32LE(100, at);
  const path = zipOf(bytes);
  const before = process.memoryUsage().arrayBuffers;
  expect(read(path)).toStrictEqual(
    refusal(path, `its entry "${nameOf(A)}" has a different length than it declares, or is damaged`),
  );
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
});

test("refuses a small archive that inflates too much, even below the limits", { tags: "deep" }, () => {
  const path = zipOf(zipSync({ [nameOf(A)]: [new Uint8Array(32 * 1024 * 1024), { level: 9 }] }));
  const limit = 8 * 1024 * 1024 + statSync(path).size * 100;
  expect(read(path)).toStrictEqual(refusal(path, `its pending changes have more than ${limit} bytes together`));
});

test("names an update with a byte order mark, and says what to do", () => {
  const path = zip({ [nameOf(A)]: `\ufeff${textOf(A)}` });
  const [, name] = nameOf(A).split("/");
  expect(read(path)).toStrictEqual(
    refusal(path, `${name}: it begins with a byte order mark that a tool added. Upload the directory unchanged`),
  );
});

test("refuses too many updates by their sum, entries by their number, and a large file", () => {
  const files = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`pending/00000000000${index}.json`, "x".repeat(100)]),
  );
  const path = zip(files);
  expect(read(path, { totalBytes: 500 })).toStrictEqual(
    refusal(path, "its pending changes have more than 500 bytes together"),
  );
  expect(read(path, { entries: 9 })).toStrictEqual(refusal(path, "it has more than 9 entries"));
  expect(read(path, { archiveBytes: 100 })).toStrictEqual(
    refusal(path, `it has ${statSync(path).size} bytes, which is more than 100`),
  );
  const directory = put(makeDirectory(), files);
  expect(read(directory, { totalBytes: 500 })).toStrictEqual(
    refusal(directory, "its pending changes have more than 500 bytes together"),
  );
  expect(read(directory, { entries: 9 })).toStrictEqual(refusal(directory, "it has more than 9 entries"));
  expect(read(directory, { fileBytes: 99 })).toStrictEqual(
    refusal(directory, "000000000000.json has 100 bytes, which is more than 99"),
  );
});

test("refuses a changed update, one under another name, and one that isn't text", () => {
  const changed = zip({ [nameOf(A)]: textOf({ ...A, text: "another" }) });
  expect(read(changed)).toStrictEqual(refusal(changed, `${basename(nameOf(A))}: its text doesn't match its hash`));
  const renamed = zip({ "pending/0123456789ab.json": textOf(A) });
  expect(read(renamed)).toStrictEqual(refusal(renamed, `the update ${A.key} is in a file with a different name`));
  const binary = zipOf(zipSync({ [nameOf(A)]: new Uint8Array([0xff, 0xfe, 0]) }));
  expect(read(binary)).toStrictEqual(refusal(binary, `its entry "${nameOf(A)}" isn't UTF-8 text`));
});

test.each<[string, Uint8Array]>([
  ["an empty file", new Uint8Array()],
  ["a text", strToU8("no zip at all, but longer than the smallest one is")],
])("refuses %s", (_what, bytes) => {
  const path = zipOf(bytes);
  expect(read(path)).toStrictEqual(refusal(path, "it isn't a zip archive, or it is damaged"));
});

test("a zip cut off or changed anywhere gives an error or the same updates", {
  tags: "deep",
}, () => {
  const whole = zipSync({ [nameOf(A)]: strToU8(textOf(A)), [nameOf(B)]: strToU8(textOf(B)) });
  const path = zipOf(whole);
  for (let size = whole.length - 1; size >= 0; size -= 7) {
    truncateSync(path, size);
    expect(read(path).ok).toBe(false);
  }
  const proposals = new Set([A, B].map(({ key, text }) => key + text));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }), (edits) => {
      const bytes = whole.slice();
      for (const [at, byte] of edits) bytes[at] = byte;
      writeFileSync(path, bytes);
      const result = read(path);
      if (result.ok) expect(result.value.every(({ key, text }) => proposals.has(key + text))).toBe(true);
    }),
    { numRuns: runCount(1000) },
  );
});

test("reports a missing file", () => {
  expect(read("/none/state.zip")).toStrictEqual({ ok: false, error: "Cannot read /none/state.zip: it doesn't exist." });
});
