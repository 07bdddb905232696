import { beforeAll, describe, expect, test } from "vitest";
import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import type { CheckProject } from "../../../../test-support/check-project.ts";
import {
  langfuseStyle,
  otlpStyle,
  recordsOf,
  type ExportedRecord,
  exportedRun,
} from "../../../../test-support/trace-exports.ts";
import { REPLAYABLE, gradedExport, tracedProject } from "../../../../test-support/traced-agent.ts";

type Fields = Readonly<Record<string, unknown>>;

const RUN = exportedRun("4bf92f35");
const SPANS = recordsOf(RUN, otlpStyle);
/** The same records with messages in OpenAI's notation, at the same places. */
const CHATS = recordsOf(RUN, langfuseStyle);

let project: CheckProject;

beforeAll(() => {
  project = tracedProject();
});

const graded = async (source: string, text: string): Promise<string> => gradedExport(project, [source, text]);

/** A value of OTLP, whole: events have data in their attributes where spans have texts. */
function anyValue(value: unknown): Fields {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { intValue: String(value) };
  if (isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return isPlainObject(value) ? { kvlistValue: { values: attributes(value) } } : {};
}

function attributes(fields: Fields): readonly Fields[] {
  return Object.entries(fields).map(([key, value]) => ({ key, value: anyValue(value) }));
}

const event = (name: string, fields: Fields): Fields => ({ timeUnixNano: "1", name, attributes: attributes(fields) });

/** The file with the content of its model spans in events of them. */
function withEvents(eventsOf: (chat: Fields) => readonly Fields[]): string {
  return otlpStyle.file(
    SPANS.map(({ of, record }, at) =>
      of === "model"
        ? { ...otlpStyle.withoutContent(record), events: eventsOf(CHATS[at]?.record ?? {}) }
        : otlpStyle.withoutContent(record),
    ),
  );
}

const listOf = (value: unknown): readonly Fields[] => (isArray(value) ? value.filter(isPlainObject) : []);

describe("span events of conventions up to 1.36", () => {
  // semantic-conventions v1.27, docs/gen-ai/gen-ai-spans.md, "Events": a JSON text in each.
  const content = ({ input, output }: Fields): readonly Fields[] => [
    event("gen_ai.content.prompt", { "gen_ai.prompt": JSON.stringify(input) }),
    event("gen_ai.content.completion", { "gen_ai.completion": JSON.stringify([output]) }),
  ];
  // semantic-conventions v1.28 to v1.36, docs/gen-ai/gen-ai-events.md.
  const messages = ({ input, output }: Fields): readonly Fields[] => [
    ...listOf(input).map(({ role, tool_call_id: id, ...rest }) =>
      event(`gen_ai.${String(role)}.message`, { ...rest, ...(id !== undefined && { id }) }),
    ),
    event("gen_ai.choice", { index: 0, finish_reason: "stop", message: output }),
  ];

  test.each([
    ["gen_ai.content.*", content],
    ["gen_ai.*.message", messages],
  ])("%s replay, with tool results from the next model request and the input that the step's span doesn't have", async (_name, eventsOf) => {
    expect(await graded("otlp", withEvents(eventsOf))).toMatch(REPLAYABLE);
  });

  test("without events the same spans are refused", async () => {
    expect(
      await graded(
        "otlp",
        withEvents(() => []),
      ),
    ).toContain("desk: the trace doesn't have its input.");
  });
});

describe("the event gen_ai.client.inference.operation.details", () => {
  const NAME = "gen_ai.client.inference.operation.details";
  // semantic-conventions-genai v0.1.0, docs/gen-ai/gen-ai-events.md: attributes as data, not as texts.
  const detailsOf = ({ record }: ExportedRecord): readonly Fields[] =>
    listOf(record["attributes"]).map(({ key, value }) => {
      const text = isPlainObject(value) ? value["stringValue"] : undefined;
      return typeof text === "string" && text.startsWith("[")
        ? { key, value: anyValue(JSON.parse(text)) }
        : { key, value };
    });

  test("replays as a span event", async () => {
    const spans = SPANS.map((one) =>
      one.of === "model"
        ? { ...otlpStyle.withoutContent(one.record), events: [{ name: NAME, attributes: detailsOf(one) }] }
        : one.record,
    );
    expect(await graded("otlp", otlpStyle.file(spans))).toMatch(REPLAYABLE);
  });

  test("replays as a log record before or after its span, or without one", async () => {
    const logs = SPANS.filter(({ of }) => of === "model").map((one) => {
      const { traceId, spanId, startTimeUnixNano } = one.record;
      const log = { timeUnixNano: startTimeUnixNano, eventName: NAME, traceId, spanId, attributes: detailsOf(one) };
      return `${JSON.stringify({ resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords: [log] }] }] })}\n`;
    });
    const bare = SPANS.map(({ of, record }) => (of === "model" ? otlpStyle.withoutContent(record) : record));
    const spans = otlpStyle.file(bare);
    expect(await graded("otlp", spans + logs.join(""))).toMatch(REPLAYABLE);
    expect(await graded("otlp", logs.join("") + spans)).toMatch(REPLAYABLE);
    const others = SPANS.filter(({ of }) => of !== "model").map(({ record }) => record);
    expect(await graded("otlp", otlpStyle.file(others) + logs.join(""))).toMatch(REPLAYABLE);
    expect(await graded("otlp", spans)).toMatch(/\ncompare-only {2}/);
  });
});

describe("a complete trace of Langfuse", () => {
  // api.reference.langfuse.com: TraceWithFullDetails, and TraceWithDetails, which has ids where that has observations.
  const observations = CHATS.filter(({ of }) => of !== "run").map(
    ({ record }): Fields => ({
      ...record,
      parentObservationId: null,
    }),
  );
  const trace = {
    id: RUN.trace,
    timestamp: "2025-11-24T16:00:00.000Z",
    name: "desk",
    input: { text: RUN.question },
    output: { text: RUN.answer },
    metadata: null,
    observations,
  };

  test("replays with its observations", async () => {
    expect(await graded("langfuse", JSON.stringify(trace))).toMatch(REPLAYABLE);
  });

  test("replays with its observations on another page", async () => {
    const page = { data: [{ ...trace, observations: observations.map(({ id }) => id) }], meta: { page: 1 } };
    const text = `${JSON.stringify(page)}\n${JSON.stringify({ data: observations })}\n`;
    expect(await graded("langfuse", text)).toMatch(REPLAYABLE);
  });

  test("can only be compared with the ids of its observations", async () => {
    const bare = { ...trace, observations: observations.map(({ id }) => id) };
    expect(await graded("langfuse", JSON.stringify(bare))).toMatch(
      /\ncompare-only {2}langfuse\/4bf92f35 desk: .*\n1 run: 1 would be pending \(1 without calls\)\n$/s,
    );
  });

  test("names its step in its metadata, with any name of the trace", async () => {
    const named = { ...trace, name: "POST /chat", metadata: { veritest_step: "desk" } };
    expect(await graded("langfuse", JSON.stringify(named))).toMatch(REPLAYABLE);
  });
});
