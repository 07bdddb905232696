import { beforeAll, describe, expect, test } from "vitest";
import type { CheckProject } from "../../../../test-support/check-project.ts";
import {
  type ExportStyle,
  type ExportedRecord,
  aiSdkStyle,
  langfuseStyle,
  langsmithStyle,
  openaiStyle,
  otlpStyle,
  recordsOf,
  exportedRun,
} from "../../../../test-support/trace-exports.ts";
import { REPLAYABLE, comparedLines, tracedProject } from "../../../../test-support/traced-agent.ts";

const STYLES: readonly (readonly [source: string, style: ExportStyle, setting: string])[] = [
  ["otlp", otlpStyle, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_and_event"],
  ["ai-sdk", aiSdkStyle, "recordInputs and recordOutputs"],
  ["langfuse", langfuseStyle, "LANGFUSE_OBSERVE_DECORATOR_IO_CAPTURE_ENABLED=true"],
  ["langsmith", langsmithStyle, "LANGSMITH_HIDE_INPUTS"],
  ["openai", openaiStyle, "store: true"],
];

let project: CheckProject;

beforeAll(() => {
  project = tracedProject();
});

describe.each(STYLES)("an export of %s", (source, style, setting) => {
  const whole = recordsOf(exportedRun("4bf92f35"), style);
  const models = whole.filter(({ of }) => of === "model");
  const without = (gone: ExportedRecord | undefined): readonly ExportedRecord[] => whole.filter((one) => one !== gone);
  const eachOf = (of: ExportedRecord["of"], change: ExportStyle["withoutContent"]): readonly ExportedRecord[] =>
    whole.map((one) => (one.of === of ? { of, record: change(one.record) } : one));
  const graded = async (
    records: readonly ExportedRecord[],
    text = style.file(records.map(({ record }) => record)),
  ): Promise<string> => {
    project.write("export.jsonl", text);
    return comparedLines(await project.veritest(["import", source, "export.jsonl", "--dry-run"]));
  };

  test("replays if it is complete", { tags: "deep" }, async () => {
    expect(await graded(whole)).toMatch(REPLAYABLE);
  });

  test("replays in any order of its records", { tags: "deep" }, async () => {
    expect(await graded(whole.toReversed())).toMatch(REPLAYABLE);
  });

  test("replays with repeated records", async () => {
    expect(await graded([...whole, ...whole])).toMatch(REPLAYABLE);
  });

  test("replays without tool results, which the next model request contains", async () => {
    expect(await graded(eachOf("tool", style.withoutResult))).toMatch(REPLAYABLE);
  });

  test("replays without any tool records", async () => {
    expect(await graded(whole.filter(({ of }) => of !== "tool"))).toMatch(REPLAYABLE);
  });

  test("is one case if two traces have the same input, even interleaved", async () => {
    const other = recordsOf(exportedRun("77aa00bb"), style);
    const mixed = whole.flatMap((one, at) => [one, ...other.slice(at, at + 1)]);
    expect(await graded(mixed)).toMatch(/\n2 runs: 1 would be pending, 1 of the same input\n$/);
  });

  test("can only be compared if the first model response is missing", async () => {
    expect(await graded(without(models[0]))).toMatch(
      /compare-only {2}\S+ desk: .*\n1 run: 1 would be pending \(1 without calls\)\n$/s,
    );
  });

  test("can only be compared if the current step's result differs on the same responses", async () => {
    project.write("steps/mood.json", '{ "shout": true }');
    const said = await graded(whole);
    project.write("steps/mood.json", "{}");
    expect(said).toMatch(
      /^compare-only {2}\S+ desk: the current step returns a different result from the same responses\n/m,
    );
  });

  test("isn't reported as replayable without a note if the prompt changed since", async () => {
    project.write("steps/mood.json", '{ "system": "You are a good desk." }');
    const said = await graded(whole);
    project.write("steps/mood.json", "{}");
    expect(said).toMatch(
      /^request differs {2}\S+ desk: request 1 \(and 2 more\), message 1, system: "You are a desk\." → "You are a good desk\."$/m,
    );
    expect(said).toMatch(/\n1 run: 1 would be pending \(1 with requests that differ from the trace\)\n$/);
  });

  test("is refused without content, and names the setting that exports it", async () => {
    const bare = whole.map(({ of, record }) => ({ of, record: style.withoutContent(record) }));
    const said = await graded(bare);
    expect(said).toMatch(
      /^refused {7}\S+ desk: the trace doesn't have its input\. Fix: .*\n1 run: 0 would be pending, 1 refused\n$/,
    );
    expect(said).toContain(setting);
  });

  test("is reported in one line where the file was cut, and what is whole in it is read", async () => {
    const text = style.file([...recordsOf(exportedRun("aa", 8), style), ...whole].map(({ record }) => record));
    const said = await graded([], text.slice(0, -200));
    expect(said).toContain("veritest: export.jsonl ends in the middle of a record, so it is incomplete.\n");
    expect(said).toMatch(/2 runs: /);
  });
});
