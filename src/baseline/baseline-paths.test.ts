import { join, normalize, relative, sep } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { baselineRoot, caseFileName, matchesCaseFile, caseHash, groupDirectory, slug } from "./baseline-paths.ts";
import { runCount } from "../../test-support/run-count.ts";

const RUNS = { numRuns: runCount(1000) };
const SAFE = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

const name = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 }).map((codes) => String.fromCharCode(...codes)),
  fc.string({ minLength: 200, maxLength: 400 }),
  fc.constantFrom(
    "..",
    ".",
    "../../etc/passwd",
    "CON",
    "con.txt",
    "LPT9",
    "a/b",
    "a\\b",
    "\u0000",
    ".hidden",
    "-",
    "a".repeat(61),
  ),
);

test.each([
  ["a title of words", "Reads a Receipt, twice!", "reads-a-receipt-twice"],
  ["accents, composed or not", "Café", "cafe"],
  ["accents, decomposed", "Cafe\u0301", "cafe"],
  ["compatibility forms", "ﬁne № ½", "fine-no-1-2"],
  ["an emoji between words", "party 🎉 time", "party-time"],
  ["nothing but an emoji", "🎉", "case"],
  ["an empty text", "", "case"],
  ["a script without a-z", "領収書", "case"],
  ["newlines and tabs", "a\nb\tc", "a-b-c"],
  ["path separators and dots", "../../etc/passwd", "etc-passwd"],
  ["backslashes", "..\\..\\boot.ini", "boot-ini"],
  ["leading dots", "...hidden", "hidden"],
  ["a NUL", "a\u0000b", "a-b"],
  ["a lone surrogate", "a\ud800b", "a-b"],
  ["hyphens at both ends", "--a--b--", "a-b"],
  ["a cut that would end in a hyphen", `${"a".repeat(59)} b`, "a".repeat(59)],
  ["a very long text", "ab".repeat(200), "ab".repeat(30)],
])("makes a safe slug of %s", (_what, text, expected) => {
  expect(slug(text)).toBe(expected);
});

test("every slug is made of a-z, 0-9 and single hyphens, with at most 60 characters", () => {
  fc.assert(
    fc.property(name, (text) => {
      const found = slug(text);
      expect(found).toMatch(SAFE);
      expect(found.length).toBeLessThanOrEqual(60);
      expect(slug(found)).toBe(found);
    }),
    RUNS,
  );
});

test("composed and decomposed spellings have the same slug", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(slug(text.normalize("NFD"))).toBe(slug(text.normalize("NFC")));
    }),
    RUNS,
  );
});

test.each([
  "extract-receipt",
  "receipt.test.ts",
  "a",
  "1",
  "a.b-c",
])("uses the safe name %s as its directory", (group) => {
  expect(groupDirectory(group)).toBe(group);
});

test.each([
  ["Receipt", "receipt-"],
  ["receipt.Test.ts", "receipt-test-ts-"],
  ["con", "con-"],
  ["aux.test.ts", "aux-test-ts-"],
  ["com1", "com1-"],
  ["..", "case-"],
  [".", "case-"],
  ["", "case-"],
  ["a--b", "a-b-"],
  ["a/b", "a-b-"],
  ["a\n", "a-"],
  ["extract_receipt", "extract-receipt-"],
  [`${"a".repeat(245)}.test.ts`, `${"a".repeat(60)}-`],
])("gives the name %j a slug and a hash as its directory", (group, start) => {
  expect(groupDirectory(group)).toMatch(new RegExp(`^${start}[0-9a-f]{8}$`));
});

test("group directories stay in the root, and aren't Windows devices, case variants or long", () => {
  fc.assert(
    fc.property(name, (group) => {
      const directory = groupDirectory(group);
      expect(directory).toMatch(/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/);
      expect(directory).not.toMatch(WINDOWS_DEVICE);
      expect(directory.length).toBeLessThanOrEqual(69);
      expect(relative("/root", normalize(join("/root", directory))).split(sep)).toStrictEqual([directory]);
    }),
    RUNS,
  );
});

test("different groups have different directories", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(name, fc.stringMatching(/^[a-cA-C.-]{1,4}$/)), { maxLength: 60 }), (groups) => {
      expect(new Set(groups.map(groupDirectory)).size).toBe(groups.length);
    }),
    RUNS,
  );
});

test("names that differ only in case have different directories, ignoring case", () => {
  const directories = ["receipt", "Receipt", "RECEIPT"].map(groupDirectory);
  expect(new Set(directories.map((directory) => directory.toLowerCase())).size).toBe(3);
});

test("a case's hash is of its input, or of its name, with as many digits as requested", () => {
  const inputHash = `sha256:${"0123456789abcdef".repeat(4)}`;
  expect(caseHash({ inputHash })).toBe("01234567");
  expect(caseHash({ inputHash }, 16)).toBe("0123456789abcdef");
  expect(caseHash({ name: "march receipt" })).toBe("f375c8b9");
  expect(caseHash({ name: inputHash })).not.toBe(caseHash({ inputHash }));
});

test("a case's file name is its label's slug and its hash", () => {
  expect(caseFileName("CON", "01234567")).toBe("con-01234567.json");
  expect(caseFileName("../🎉", "01234567")).toBe("case-01234567.json");
});

test("file names of a case are reported whatever label they carry, with 8 digits or 16", () => {
  const isCaseFile = matchesCaseFile({ inputHash: `sha256:${"0123456789abcdef".repeat(4)}` });
  const names = [
    "a-01234567.json",
    "b-c-01234567.json",
    "a-0123456789abcdef.json",
    "a-0123456.json",
    "a-01234567.json.tmp",
    "01234567.json",
    "a-11234567.json",
  ];
  expect(names.filter(isCaseFile)).toStrictEqual(["a-01234567.json", "b-c-01234567.json", "a-0123456789abcdef.json"]);
});

test("every case file name matches only its own case", () => {
  fc.assert(
    fc.property(name, name, (label, caseName) => {
      const fileName = caseFileName(label, caseHash({ name: caseName }));
      expect(fileName).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{8}\.json$/);
      expect(fileName.length).toBeLessThanOrEqual(74);
      expect(matchesCaseFile({ name: caseName })(fileName)).toBe(true);
      expect(matchesCaseFile({ name: `${caseName}x` })(fileName)).toBe(false);
    }),
    RUNS,
  );
});

test("baselines are next to the runner's snapshot directory", () => {
  expect(baselineRoot(join("/app", "steps", "__snapshots__", "a.test.ts.snap"))).toBe(
    join("/app", "steps", "__baselines__"),
  );
});

test("baselines are next to the test if a resolver puts snapshots there", () => {
  expect(baselineRoot(join("/app", "steps", "a.test.ts.snap"))).toBe(join("/app", "steps", "__baselines__"));
});

test("baselines are below the directory of a snapshot resolver", () => {
  expect(baselineRoot(join("/app", "snapshots", "steps", "a.snap"))).toBe(
    join("/app", "snapshots", "steps", "__baselines__"),
  );
});

test("a directory whose name only ends like the snapshot directory is kept", () => {
  expect(baselineRoot(join("/app", "my__snapshots__", "a.snap"))).toBe(
    join("/app", "my__snapshots__", "__baselines__"),
  );
});
