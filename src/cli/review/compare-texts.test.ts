import { expect, test } from "vitest";
import type { BaselineMeta } from "../../baseline/baseline.ts";
import { createStepBaseline, createValueBaseline } from "../../baseline/create-baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { captureArtifactSync } from "../../record/snapshot.ts";
import { otherChanges } from "../../check/update/other-changes.ts";
import { age, pendingReason } from "./render-review.ts";
import { compareTexts, fullText, withTone } from "./compare-texts.ts";

interface Case {
  readonly output?: object;
  readonly labels?: readonly string[];
  readonly meta?: BaselineMeta;
  readonly emitted?: string;
  readonly unnamed?: readonly string[];
}

function textOf({ output = { total: 1, lines: ["a"] }, labels = [], meta = {}, emitted, unnamed }: Case): string {
  const artifacts = [
    ...(emitted === undefined ? [] : [captureArtifactSync("note", emitted, { hashOnly: true })]),
    ...(unnamed === undefined ? [] : [captureArtifactSync("unnamed-output", unnamed)]),
  ];
  const result = {
    input: "q",
    output,
    events: [],
    commands: [],
    artifacts,
    stepName: "ask",
    workflowId: "w",
    workflowVersion: "1",
  };
  return serializeBaseline(createStepBaseline(result, [], { labels, meta }));
}

function lines(before: Case | undefined, after: Case | undefined): string[] {
  const [old, next] = [before, after].map((part) => (part === undefined ? undefined : textOf(part)));
  return compareTexts(old, next, "file").map(({ text }) => text);
}

test("names paths of the output without prefix, and other paths with their part", () => {
  expect(lines({}, { output: { total: 2, lines: ["a", "b"] }, labels: ["new"], meta: { kind: "x" } })).toStrictEqual([
    '  + labels[0]: "new"',
    '  + meta.kind: "x"',
    '  + lines[1]: "b"',
    "    total: 1 → 2",
  ]);
});

test("names a value that isn't an object output", () => {
  const [before, after] = [1, 2].map((value) =>
    serializeBaseline(createValueBaseline(value, { test: "a.test.ts", name: "n" })),
  );
  expect(compareTexts(before, after, "file")).toStrictEqual([{ text: "    output: 1 → 2", tone: "changed" }]);
  expect(compareTexts(before, undefined, "file")).toStrictEqual([{ text: "  - 1", tone: "removed" }]);
});

test("reports if only stored hashes differ", () => {
  expect(lines({}, { emitted: "more" })).toStrictEqual(["    the content is the same; only stored hashes differ"]);
});

test("names output fields that the schema doesn't name", () => {
  expect(lines({}, { unnamed: ["ssn"] })).toStrictEqual(['  + unnamed: ["ssn"]']);
  expect(lines({ unnamed: ["ssn"] }, { unnamed: ["lines.admin", "ssn"] })).toStrictEqual([
    '  + unnamed[0]: "lines.admin"',
  ]);
});

test("counts encoded texts and numbers of long lists, and shows changes in JSON strings", () => {
  const output = (letter: string, step: number): object => ({
    image: `data:image/png;base64,${letter.repeat(300)}`,
    json: JSON.stringify({ total: step }),
    vector: Array.from({ length: 99 }, (_, at) => at * step),
  });
  expect(lines({ output: output("A", 1.5) }, { output: output("B", 2.5) })).toStrictEqual([
    "    image: encoded text differs (322 characters, the first 22 are equal)",
    "    json.total: 1.5 → 2.5",
    "    vector[*]: 98 numbers differ",
  ]);
});

test("shows output and commands of an added step, and the old ones of a removed one", () => {
  expect(lines(undefined, {})).toStrictEqual([
    "  + {",
    '  +   "lines": [',
    '  +     "a"',
    "  +   ],",
    '  +   "total": 1',
    "  + }",
  ]);
  expect(lines({ output: { a: 1 } }, undefined)).toStrictEqual(["  - {", '  -   "a": 1', "  - }"]);
});

test("reports a new text that isn't a baseline", () => {
  expect(compareTexts(undefined, "{}", "file")).toStrictEqual([
    {
      text: '    Cannot read file: "version" is missing, expected 2. Restore the file with npx veritest repair --restore, or delete it and capture the case again.',
      tone: "strong",
    },
  ]);
});

test("limits a very long diff and very long lines, and counts the rest", { tags: "deep" }, () => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`k${index}`, "x".repeat(3000)]));
  const found = lines({ output: {} }, { output: many });
  expect(found).toHaveLength(2001);
  expect(found.at(-1)).toBe("    … and 1000 more changes");
  expect(Math.max(...found.map(({ length }) => length))).toBeLessThan(2100);
});

test("the sign of a line sets its tone", () => {
  expect(["  + a: 1", "  - a: 1", "    a: 1 → 2", "    a note"].map((line) => withTone(line).tone)).toStrictEqual([
    "added",
    "removed",
    "changed",
    "plain",
  ]);
});

test("shows common lines around the difference of complete texts", () => {
  expect(fullText("a\nb\nc\n", "a\nx\ny\nc\n").map(({ text }) => text)).toStrictEqual([
    "  a",
    "- b",
    "+ x",
    "+ y",
    "  c",
  ]);
  expect(fullText(undefined, "a\n").map(({ text }) => text)).toStrictEqual(["+ a"]);
  expect(fullText("a\n", undefined).map(({ text }) => text)).toStrictEqual(["- a"]);
  expect(fullText("a\n", "a\n").map(({ text }) => text)).toStrictEqual(["  a"]);
  expect(fullText("a\na\n", "a\n").map(({ text }) => text)).toStrictEqual(["  a", "- a"]);
  expect(fullText("x\u001b[2J\r", "y").map(({ text }) => text)).toStrictEqual(["- x\\u001b[2J\\r", "+ y"]);
});

test.each([
  [0, "just now"],
  [59_999, "just now"],
  [60_000, "1 min ago"],
  [3_599_999, "59 min ago"],
  [10_800_000, "3 h ago"],
  [200_000_000, "2 d ago"],
  [-5000, "just now"],
])("%d ms later, a time is shown as %s", (passed, words) => {
  expect(age("2026-01-01T00:00:00.000Z", Date.parse("2026-01-01T00:00:00.000Z") + passed)).toBe(words);
});

test("shows an invalid time unchanged", () => {
  expect(age("yesterday", 0)).toBe("yesterday");
});

test.each([
  [{ intent: "review", passed: false, contradicted: false, verdict: "missing", test: "sorts" }, "its test failed"],
  [
    { intent: "write", passed: true, contradicted: false, verdict: "missing", test: "sorts" },
    "its test passed, but the run couldn't write it",
  ],
  [
    { intent: "write", passed: false, contradicted: false, verdict: "missing", test: "veritest import otlp otlp/a" },
    "its test failed after this check",
  ],
  [
    { intent: "write", passed: true, contradicted: true, verdict: "missing", test: "sorts" },
    "its test had a different result when it ran again",
  ],
  [
    {
      intent: "review",
      passed: false,
      contradicted: false,
      verdict: "request_changed",
      test: "x",
      answers: "recorded",
    },
    "it keeps the recorded responses, because only harmless parts of requests changed",
  ],
  [
    { intent: "review", passed: false, contradicted: false, verdict: "request_changed", test: "x", answers: "live" },
    "its test failed",
  ],
  ...(["veritest capture --from", "veritest import otlp"] as const).flatMap((test) =>
    (["missing", "value_changed"] as const).map(
      (verdict) =>
        [
          { intent: "review", passed: false, contradicted: false, verdict, test: `${test} a/1`, from: "a/1" },
          `imported from a ${test.endsWith("otlp") ? "trace" : "stored run"}${verdict === "missing" ? "" : ", with a different result"}`,
        ] as const,
    ),
  ),
] as const)("%j is pending because %s", (change, why) => {
  expect(pendingReason(change)).toBe(why);
});

test("repeats only changed lines of a complete text", () => {
  const text = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const tones = fullText(text.join("\n"), text.with(1, "one").with(38, "thirty-eight").join("\n")).map(
    ({ tone }) => tone,
  );
  const of = (wanted: string): number => tones.filter((tone) => tone === wanted).length;
  expect([of("plain"), of("removed"), of("added")]).toStrictEqual([38, 2, 2]);
});

test("compares a text of several lines by all its lines", () => {
  const poem = (word: string): object => ({ poem: `roses\n${word}\nviolets\nblue` });
  expect(lines({ output: poem("red") }, { output: poem("\u001b[2Jwhite") })).toStrictEqual([
    "    poem: 4 lines",
    "        roses",
    "      - red",
    "      + \\u001b[2Jwhite",
    "        violets",
    "        blue",
  ]);
});

/** The text of a baseline of a run with this output and these calls. */
function textOfRun(output: object, calls: readonly AdapterCall[]): string {
  const run = { input: "q", output, events: [], commands: [], artifacts: [] };
  const names = { stepName: "ask", workflowId: "w", workflowVersion: "1" };
  return serializeBaseline(createStepBaseline({ ...run, ...names }, calls, { labels: [], meta: {} }));
}

test("shows recorded calls in lines of 120 columns, cut around their change", () => {
  const call = (body: string): AdapterCall => ({
    adapter: "tools.mail",
    occurrence: 0,
    returns: "promise",
    request: [{ body }],
    response: 1,
  });
  const text = (calls: readonly AdapterCall[]): string => textOfRun({}, calls);
  const long = "x".repeat(2000);
  const shown = (before: readonly AdapterCall[], after: readonly AdapterCall[]): string[] =>
    compareTexts(text(before), text(after), "file").map((line) => line.text);
  const [added = "", ...more] = shown([], [call(long)]);
  expect(added).toMatch(/^ {2}\+ calls\[0\]: \{"adapter":"tools.mail",.*…$/);
  expect(added.length).toBeLessThanOrEqual(120);
  expect(more).toStrictEqual([]);
  const changed = shown([call(`${long}A${long}`)], [call(`${long}B${long}`)]);
  expect(changed.map((line) => line.slice(0, 59))).toStrictEqual([
    "    calls[0].request[0].body:",
    `      - (+1971 characters) …${"x".repeat(30)}A`,
    `      + (+1971 characters) …${"x".repeat(30)}B`,
  ]);
  expect(Math.max(...changed.map(({ length }) => length))).toBeLessThanOrEqual(120);
});

test("names the changed, added and removed tools of a request, and the lines that are also written do too", () => {
  const text = (...tools: readonly object[]): string =>
    textOfRun({ tools: [{ name: "a" }, { name: String(tools.length) }] }, [
      { adapter: "llm.ask", occurrence: 0, returns: "promise", request: [{ tools }], response: 1 },
    ]);
  const find = (description: string): object => ({ type: "function", function: { name: "find", description } });
  const pay = { name: "pay", input_schema: {} };
  const [before, after] = [text(find("a"), pay), text(find("b"), { name: "list" }, { name: "mail" })];
  expect(compareTexts(before, after, "file").map((line) => line.text)).toStrictEqual([
    '    calls[0].request[0].tools.find.function.description: "a" → "b"',
    "  - calls[0].request[0].tools.list.input_schema: {}",
    '    calls[0].request[0].tools.list.name: "pay" → "list"',
    '  + calls[0].request[0].tools.mail: {"name":"mail"}',
    '    tools[1].name: "2" → "3"',
  ]);
  const paths = otherChanges({ before, after, verdict: { kind: "missing" } }).map(({ path }) => path.join("."));
  expect(paths.filter((path) => path.includes("tools"))).toContain("calls.0.request.0.tools.find.function.description");
  expect(paths.join("\n")).not.toMatch(/tools\.\d/);
});
