import { spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hashText } from "../../kernel/json/hash.ts";
import { ok } from "../../kernel/result.ts";
import { anyText } from "../../../test-support/arbitraries.ts";
import { type LogContent, type LogQuery, appendToLog, logLine, logSize, readLogFile } from "./log-file.ts";
import { runCount } from "../../../test-support/run-count.ts";
import { timesAsLong } from "../../../test-support/cpu-ms.ts";

function makePath(): string {
  return join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-log-"))), "logs", "some.ndjson");
}

function logOf(...texts: readonly string[]): string {
  const path = makePath();
  for (const text of texts) appendToLog(path, logLine({ text }).text, false);
  return path;
}

function textOf(value: unknown): string {
  return String(Object(value).text);
}

function read(path: string, query: Partial<LogQuery<string>> = {}): LogContent<string> {
  return readLogFile(path, { parse: (value) => ok(textOf(value)), ...query });
}

function changed(change: (text: string) => string): LogContent<string> {
  const path = logOf("one", "two", "three");
  writeFileSync(path, change(readFileSync(path, "utf8")));
  return read(path);
}

const DAMAGED = "its checksum doesn't match";

test("writes one line of JSON for each value, with its format first and its checksum last", () => {
  const { text, value } = logLine({ a: "é", b: [1] });
  expect(value).toStrictEqual({ v: 1, a: "é", b: [1], id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  expect(text).toBe(`{"v":1,"a":"é","b":[1],"id":"${value.id}"}\n`);
});

test("reads a missing file as empty", () => {
  expect([read(makePath()), logSize(makePath())]).toStrictEqual([{ values: [], problems: [], torn: 0 }, 0]);
});

test("only the owner can read the file and its directory", () => {
  const path = logOf("one");
  expect([statSync(path).mode & 0o777, statSync(join(path, "..")).mode & 0o777]).toStrictEqual([0o600, 0o700]);
});

test("refuses a directory with the path of the file, and a link on writing", () => {
  const path = makePath();
  mkdirSync(path, { recursive: true });
  expect(() => read(path)).toThrow("EISDIR: illegal operation on a directory, read");
  symlinkSync("elsewhere", `${path}.link`);
  expect(() => appendToLog(`${path}.link`, "x\n", false)).toThrow(/^ELOOP: /);
});

test("reads any text back unchanged, even characters that other readers take for line ends", { tags: "deep" }, () => {
  fc.assert(
    fc.property(fc.array(anyText(), { minLength: 1, maxLength: 4 }), (texts) => {
      const path = logOf(...texts);
      expect(read(path)).toStrictEqual({ values: texts, problems: [], torn: 0 });
      expect(readFileSync(path, "utf8").split("\n")).toHaveLength(texts.length + 1);
    }),
    { numRuns: 100 },
  );
});

test("reads lines longer than one read", () => {
  const texts = ["a".repeat(200_000), "b", "ü".repeat(70_000), "c".repeat(65_536 - 90)];
  expect(read(logOf(...texts)).values).toStrictEqual(texts);
});

test.each<[string, (text: string) => string, LogContent<string>]>([
  ["an empty file", () => "", { values: [], problems: [], torn: 0 }],
  ["a torn last line", (text) => text.slice(0, -20), { values: ["one", "two"], problems: [], torn: 1 }],
  [
    "a last line without its line feed",
    (text) => text.slice(0, -1),
    { values: ["one", "two", "three"], problems: [], torn: 0 },
  ],
  [
    "a torn line that others were appended to",
    (text) => `{"v":1,"text":"to${text}`,
    { values: ["one", "two", "three"], problems: [], torn: 1 },
  ],
  [
    "zeros that a power cut left, and a line after them",
    (text) => `\0\0\0\0${text}`,
    { values: ["one", "two", "three"], problems: [], torn: 1 },
  ],
  [
    "complete lines without a line feed between them",
    (text) => text.replace("\n", ""),
    { values: ["one", "two", "three"], problems: [], torn: 0 },
  ],
  [
    "empty lines",
    (text) => `\n${text.replace("\n", "\n\n")}\n`,
    { values: ["one", "two", "three"], problems: [], torn: 0 },
  ],
  [
    "a changed line in the middle",
    (text) => text.replace("two", "twO"),
    { values: ["one", "three"], problems: [`some.ndjson, line 2: ${DAMAGED}`], torn: 0 },
  ],
  [
    "a changed last line",
    (text) => text.replace("three", "threE"),
    { values: ["one", "two"], problems: [`some.ndjson, line 3: ${DAMAGED}`], torn: 0 },
  ],
  [
    "a changed line feed",
    (text) => text.replace("\n", "x"),
    { values: ["two", "three"], problems: [`some.ndjson, line 1: ${DAMAGED}`], torn: 0 },
  ],
  [
    "several damaged lines, among them some of another program",
    (text) => `hello\n${text.replace("two", "twO")}{}\n`,
    {
      values: ["one", "three"],
      problems: [1, 3, 5].map((line) => `some.ndjson, line ${line}: ${DAMAGED}`),
      torn: 0,
    },
  ],
  [
    "a newer format",
    (text) => `${text}${sealed('{"v":2}')}`,
    {
      values: ["one", "two", "three"],
      problems: [
        "some.ndjson, line 4: it has format 2, and this version of veritest only reads formats up to 1. Update veritest",
      ],
      torn: 0,
    },
  ],
  [
    "a line with a correct checksum that isn't JSON",
    (text) => `${sealed("x}")}${text}`,
    { values: ["one", "two", "three"], problems: ["some.ndjson, line 1: it isn't JSON"], torn: 0 },
  ],
])("reads every complete line, and reports the others, of %s", (_what, change, expected) => {
  expect(changed(change)).toStrictEqual(expected);
});

/** Puts a correct checksum into any text. */
function sealed(text: string): string {
  return `${text.slice(0, -1)},"id":"${hashText(text)}"}\n`;
}

test("a change of any byte is reported, and every other line is read", { tags: "deep" }, () => {
  const texts = ["one", "a \ufffd 😀", "three", "four"];
  const path = logOf(...texts);
  const bytes = readFileSync(path);
  const change = fc.record({ at: fc.nat(bytes.length - 1), bits: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(change, ({ at, bits }) => {
      const other = Buffer.from(bytes);
      other[at] = (bytes[at] ?? 0) ^ bits;
      fc.pre(other[at] !== 0x0a);
      writeFileSync(path, other);
      const line = bytes.subarray(0, at).toString("latin1").split("\n").length;
      const { values, problems, torn } = read(path);
      expect(values.length).toBeGreaterThanOrEqual(texts.length - 1);
      expect(texts.filter((text) => values.includes(text))).toStrictEqual(values);
      expect(problems.length + torn).toBeGreaterThan(0);
      if (problems.length > 0) expect(problems[0]).toMatch(new RegExp(`^some\\.ndjson, line ${line}: `));
    }),
    { numRuns: runCount(500) },
  );
});

test("reads only lines that were written, in order, however the file is damaged", () => {
  const texts = ["one", "two", "three", "four"];
  const path = logOf(...texts);
  const bytes = readFileSync(path);
  const edit = fc.record({
    at: fc.nat(bytes.length),
    remove: fc.nat({ max: 300 }),
    insert: fc.uint8Array({ maxLength: 20 }),
  });
  fc.assert(
    fc.property(edit, ({ at, remove, insert }) => {
      writeFileSync(path, Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)]));
      const { values } = read(path);
      expect(texts.filter((text) => values.includes(text))).toStrictEqual(values);
    }),
    { numRuns: runCount(500) },
  );
});

test("an append after an incomplete line loses no line", { tags: "deep" }, () => {
  const path = logOf("one", "two");
  const bytes = readFileSync(path);
  for (let end = 0; end <= bytes.length; end += 1) {
    writeFileSync(path, bytes.subarray(0, end));
    appendToLog(path, logLine({ text: "three" }).text, true);
    const before = ["one", "two"].slice(
      0,
      bytes
        .subarray(0, end + 1)
        .toString()
        .split("\n").length - 1,
    );
    expect(read(path)).toMatchObject({ values: [...before, "three"], problems: [] });
  }
});

test("reads no further back than its limit, its filter and its first byte require", () => {
  const path = logOf("one", "two", "three", "four");
  writeFileSync(path, readFileSync(path, "utf8").replace("one", "onE"));
  expect(read(path, { limit: 3 })).toStrictEqual({ values: ["two", "three", "four"], problems: [], torn: 0 });
  const choose = (text: string): "keep" | "skip" | "stop" => {
    if (text === "two") return "stop";
    return text === "three" ? "skip" : "keep";
  };
  expect(read(path, { choose })).toStrictEqual({ values: ["four"], problems: [], torn: 0 });
  const size = logSize(path);
  appendToLog(path, logLine({ text: "five" }).text, false);
  expect(read(path, { from: size })).toStrictEqual({ values: ["five"], problems: [], torn: 0 });
  writeFileSync(path, logLine({ text: "other" }).text);
  expect(read(path, { from: size }).values).toStrictEqual(["other"]);
});

test("reads the last lines of a large file in a moment", { tags: "deep" }, async () => {
  const path = logOf("first");
  appendFileSync(path, logLine({ text: "x".repeat(300) }).text.repeat(20_000));
  expect(read(path, { limit: 20 }).values).toHaveLength(20);
  const factor = await timesAsLong(
    () => read(path, { limit: 20 }),
    () => read(path, {}),
    1,
  );
  expect(factor).toBeGreaterThan(4);
});

test("concurrent processes lose and mix no lines", { tags: "deep" }, async () => {
  const path = makePath();
  const script = `
    const { appendToLog, logLine } = await import(${JSON.stringify(join(import.meta.dirname, "log-file.ts"))});
    for (let index = 0; index < 200; index += 1)
      appendToLog(${JSON.stringify(path)}, logLine({ text: process.argv[1] + index + "x".repeat(index * 500) }).text, false);`;
  await Promise.all(["a", "b", "c", "d"].map(async (name) => runNode(["--input-type=module", "-e", script, name])));
  const { values, problems, torn } = read(path);
  const names = values.map((text) => text.replace(/x*$/, ""));
  for (const name of ["a", "b", "c", "d"])
    expect(names.filter((text) => text.startsWith(name))).toStrictEqual(
      Array.from({ length: 200 }, (_, index) => `${name}${index}`),
    );
  expect([names.length, problems, torn]).toStrictEqual([800, [], 0]);
});

async function runNode(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [...args], { stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((resolve) => {
    child.on("exit", resolve);
  });
  expect(code).toBe(0);
}
