/** A line to insert. */
export interface SampleLine {
  readonly text: string;
  /** Beginning of the line before which it goes. */
  readonly before: string;
}

/** A sample of one kind of addition. */
export interface Sample {
  /** Kind as CONTRIBUTING's table names it. */
  readonly kind: string;
  /** Name of the file in place of `…`, and its text. */
  readonly file?: { readonly name: string; readonly text: string };
  /** A line for each table of CONTRIBUTING's row. */
  readonly lines: readonly SampleLine[];
  readonly documentation?: SampleLine;
  readonly tests?: SampleLine;
}

const MATCHER = `import type { MatcherContext, MatcherResult } from "./matcher-context.ts";
import { withResult } from "./received.ts";

/**
 * Passes for a step result with this number of events.
 *
 * @example
 * expect(result).toCountEvents(2);
 */
export function toCountEvents(this: MatcherContext, received: unknown, count: number): MatcherResult {
  return withResult("toCountEvents", received, ({ events }) => ({
    pass: events.length === count,
    message: () => \`toCountEvents: expected \${count}, received \${events.length}\`,
  }));
}
`;

const FORMAT = `import type { RunModel } from "../../explain/run-model.ts";

/** Renders the number of cases of each status as a CSV table. */
export function renderCsv({ counts }: RunModel): string {
  return Object.entries(counts).map(([status, count]) => \`\${status},\${count}\`).join("\\n");
}
`;

const CLIENT = `import { type OpenAIConfig, createOpenAI } from "./openai.ts";
import type { LLMProvider } from "./provider.ts";

/**
 * Makes an adapter of a service with OpenAI's interface and a default model.
 *
 * @example
 * const llm = createSample({ client: new OpenAI({ baseURL }) });
 */
export function createSample(config: OpenAIConfig): LLMProvider {
  return createOpenAI({ model: "sample-1", ...config });
}
`;

const SOURCE = `import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { jsonlSource } from "./jsonl.ts";
import type { TraceSource } from "./source.ts";

/** Runs in lines of the format of \`jsonl\`, each as the field \`run\`. */
export const nestedSource: TraceSource = {
  ...jsonlSource,
  name: "nested",
  title: "Nested lines",
  observer: (file) => (record) => (isPlainObject(record) ? jsonlSource.observer(file)(record["run"]) : []),
};
`;

const COMMAND = `import type { CliCommand } from "../command.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { printLines } from "../terminal/print.ts";

/** \`veritest where\`: prints the project's directory. */
export const whereCommand: CliCommand = {
  examples: ["veritest where   # the project's directory"],
  run: (_input, io) => {
    printLines(io, [io.cwd]);
    return EXIT.clean;
  },
};
`;

/** A sample of each kind, each about ten lines. */
export const SAMPLES: readonly Sample[] = [
  {
    kind: "a matcher",
    file: { name: "to-count-events", text: MATCHER },
    lines: [{ text: 'export { toCountEvents } from "./to-count-events.ts";', before: "export * from" }],
    documentation: {
      text: "| `toCountEvents(count)` | a result has this number of events |",
      before: "| `toEqualByKey(",
    },
  },
  {
    kind: "a report format",
    file: { name: "render-csv", text: FORMAT },
    lines: [
      { text: '  "csv",', before: "] as const;" },
      {
        text: `  csv: {
    file: "counts.csv",
    render: async (model: RunModel): Promise<string> => (await import("./render-csv.ts")).renderCsv(model),
  },`,
        before: "} satisfies Readonly",
      },
    ],
    documentation: { text: "| `csv` | `counts.csv` | the number of cases of each status |", before: "| `html` |" },
  },
  {
    kind: "a model client",
    file: { name: "sample", text: CLIENT },
    lines: [{ text: 'export { createSample } from "./extras/llm/sample.ts";', before: "export type { SdkResource }" }],
    documentation: { text: "| `createSample({ client })` | a client of the service | – |", before: "| `fromAISDK(" },
  },
  {
    kind: "a trace source",
    file: { name: "nested", text: SOURCE },
    lines: [{ text: 'export { nestedSource } from "./nested.ts";', before: "export { openaiSource }" }],
    documentation: { text: "| `nested` | a run of `jsonl` in each line, as the field `run` |", before: "| `jsonl` |" },
  },
  {
    kind: "a command",
    file: { name: "where", text: COMMAND },
    lines: [
      {
        text: `  {
    name: "where",
    group: "Start",
    summary: "print the project's directory",
    load: async () => (await import("./cli/commands/where.ts")).whereCommand,
  },`,
        before: "  {",
      },
    ],
    documentation: { text: "| `where` | prints the project's directory | – | – |", before: "| `init` |" },
    tests: {
      text: `  refused("where", ["x"], "too many arguments for 'where'. Expected 0 arguments but got 1: x."),`,
      before: '  refused("ground"',
    },
  },
  {
    kind: "a redaction pattern",
    lines: [{ text: '  prefixed("sample-key", "smpl_", "smpl_[A-Za-z0-9]{32,}"),', before: '  prefixed("aws-key-id"' }],
    tests: { text: "sample SAMPLE_API_KEY=<smpl_{w32}>", before: "aws-access " },
  },
  {
    kind: "a property of steps",
    lines: [
      {
        text: `  {
    name: "few-events",
    description: "it emits at most ten events",
    check: ({ observed: { ran } }) => (ran?.ok === true && ran.value.events.length > 10 ? "it emits more" : undefined),
  },`,
        before: '  { name: "order-free"',
      },
    ],
    documentation: { text: "| `few-events` | it emits at most ten events |", before: "| `order-free` |" },
  },
];
