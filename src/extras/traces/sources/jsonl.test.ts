import { beforeAll, describe, expect, test } from "vitest";
import type { CheckProject } from "../../../../test-support/check-project.ts";
import { langfuseStyle, recordsOf, type ExportedRun, exportedRun } from "../../../../test-support/trace-exports.ts";
import { REPLAYABLE, comparedLines, tracedProject } from "../../../../test-support/traced-agent.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A line as somebody writes it who has no tracer: messages and answers in OpenAI's notation. */
interface Line extends Fields {
  readonly calls: readonly Fields[];
}

function lineOf(run: ExportedRun): Line {
  const calls = recordsOf(run, langfuseStyle).flatMap(({ of, record }): Fields[] => {
    const { name, input, output, metadata } = record;
    if (of === "model") return [{ model: "gpt-5", messages: input, answer: output }];
    return of === "tool" ? [{ tool: name, arguments: input, result: output, ...toolId(metadata) }] : [];
  });
  const { trace, question, answer } = run;
  return {
    trace,
    step: "desk",
    at: "2025-11-24T16:00:00Z",
    input: { text: question },
    output: { text: answer },
    calls,
  };
}

function toolId(metadata: unknown): Fields {
  return typeof metadata === "object" && metadata !== null ? { id: Reflect.get(metadata, "tool_call_id") } : {};
}

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
const textOf = (...lines: readonly unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

const RUN = lineOf(exportedRun("4bf92f35"));
const OTHER = lineOf(exportedRun("77aa00bb", 8));

let project: CheckProject;

beforeAll(() => {
  project = tracedProject();
});

async function graded(text: string): Promise<string> {
  project.write("runs.jsonl", text);
  return comparedLines(await project.veritest(["import", "jsonl", "runs.jsonl", "--dry-run"]));
}

describe("runs in the custom JSON lines format", () => {
  test("replay if they are complete, as lines or as a list", { tags: "deep" }, async () => {
    expect(await graded(textOf(RUN))).toMatch(REPLAYABLE);
    expect(await graded(JSON.stringify([RUN], undefined, 2))).toMatch(REPLAYABLE);
  });

  test("replay in any order of lines and fields", { tags: "deep" }, async () => {
    const reversed = Object.fromEntries(Object.entries(RUN).toReversed());
    expect(await graded(textOf(OTHER, reversed))).toMatch(/\n2 runs: 2 would be pending\n$/);
  });

  test("are one run if a line is repeated", async () => {
    expect(await graded(textOf(RUN, RUN))).toMatch(REPLAYABLE);
  });

  test("replay without tool results, which the next model request contains", async () => {
    const calls = RUN.calls.map((call) => without(call, "result"));
    expect(await graded(textOf({ ...RUN, calls }))).toMatch(REPLAYABLE);
  });

  test("replay without any tool calls", async () => {
    const calls = RUN.calls.filter((call) => !("tool" in call));
    expect(await graded(textOf({ ...RUN, calls }))).toMatch(REPLAYABLE);
  });

  test("are one case if two traces have the same input", async () => {
    expect(await graded(textOf(RUN, { ...RUN, trace: "00ff" }))).toMatch(
      /\n2 runs: 1 would be pending, 1 of the same input\n$/,
    );
  });

  test("can only be compared if a model response is missing", async () => {
    const calls = RUN.calls.map((call, at) => (at === 0 ? without(call, "answer") : call));
    expect(await graded(textOf({ ...RUN, calls }))).toMatch(
      /\ncompare-only {2}jsonl\/4bf92f35 desk: .*\n1 run: 1 would be pending \(1 without calls\)\n$/s,
    );
  });

  test("are refused without an input, with advice", async () => {
    const calls = RUN.calls.map((call) => without(call, "messages"));
    expect(await graded(textOf({ ...without(RUN, "input"), calls }))).toBe(
      "refused       jsonl/4bf92f35 desk: the trace doesn't have its input. Fix: " +
        'write "trace", "input", "output" and "calls" into each line.\n1 run: 0 would be pending, 1 refused\n',
    );
  });

  test("are read up to the end of a cut-off file", async () => {
    const said = await graded(textOf(RUN, OTHER).slice(0, -100));
    expect(said).toMatch(/^would add {5}jsonl\/4bf92f35 desk → .*\n1 run: 1 would be pending\n/);
    expect(said).toMatch(/\nveritest: runs\.jsonl ends in the middle of a record, so it is incomplete\.\n$/);
  });

  test.each<[what: string, line: unknown, says: string]>([
    ["calls that are none", { ...RUN, calls: [null, 7, "x", [RUN.calls]] }, "would add     jsonl/4bf92f35 desk → "],
    ["a trace that draws on the screen", { ...RUN, trace: "\u001b[2J\n" }, String.raw`would add     jsonl/\u001b[2J`],
    [
      "fields of other types",
      { ...RUN, at: [], input: 7, output: [], calls: 7 },
      "refused       jsonl/4bf92f35 desk: ",
    ],
    [
      "nothing of a run",
      7,
      "0 runs: 0 would be pending\nveritest: runs.jsonl isn't an export of JSON lines: its first record has no fields, because it is number.",
    ],
  ])("are read safely with %s", async (_what, line, says) => {
    const said = await graded(textOf(line));
    expect(said.startsWith(says)).toBe(true);
    expect(said).not.toContain("\u001b");
  });

  test("with a __proto__ key are refused, without effect", async () => {
    const text = textOf(RUN).replace('"input":', '"__proto__":{"polluted":1},"input":');
    expect(await graded(text)).toBe("0 runs: 0 would be pending\nveritest: runs.jsonl has a key named __proto__.\n");
    expect("polluted" in {}).toBe(false);
  });
});
