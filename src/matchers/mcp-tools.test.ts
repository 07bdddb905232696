import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { type RecordTransportOptions, recordTransport } from "../record/interceptors/mcp-recorder.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly _meta?: object;
}

const LOOKUP: ListedTool = { name: "lookup", description: "Finds a customer.", inputSchema: { type: "object" } };
const REMOVE: ListedTool = { name: "remove", description: "Removes a customer." };
let offered: readonly ListedTool[] = [];
let requests: string[] = [];
let isAway = false;
let asksForList = true;

beforeEach(() => {
  stage.begin(temporaryProject("mcp-tools"));
  offered = [LOOKUP, REMOVE];
  requests = [];
  isAway = false;
  asksForList = true;
});

interface Message {
  readonly id: number;
  readonly method?: string;
  readonly params?: object;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A server in this process, behind a transport. */
class Server {
  onmessage: ((message: Message) => void) | undefined;

  async start(): Promise<void> {
    if (isAway) throw new Error("the server is away");
  }

  async send({ id, method = "" }: Message): Promise<void> {
    requests.push(method);
    const result = method === "tools/list" ? { tools: offered } : { content: [{ type: "text", text: "Oslo" }] };
    this.onmessage?.({ id, result });
  }

  async close(): Promise<void> {}
}

/** As much of a client as the tests need. */
class Client {
  readonly #transport: Server;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();

  constructor(transport: Server) {
    this.#transport = transport;
    const receive: Server["onmessage"] = ({ id, result, error }) => {
      if (error === undefined) this.#open.get(id)?.resolve(result);
      else this.#open.get(id)?.reject(new Error(error.message));
    };
    Reflect.set(transport, "onmessage", receive);
  }

  async request(method: string, params: object = {}): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    const id = this.#open.size + 1;
    this.#open.set(id, answer);
    await this.#transport.send({ id, method, params });
    return answer.promise;
  }
}

const READ = { effects: { "*": "read" } } as const;

function using(options: RecordTransportOptions, client?: Client): AnyStep {
  return defineStep({
    name: "crm",
    input: z.object({}),
    output: z.object({ city: z.string() }),
    run: async () => {
      const own = client ?? new Client(recordTransport(new Server(), { ...READ, ...options }));
      if (asksForList) await own.request("tools/list");
      const found = await own.request("tools/call", { name: "lookup", arguments: { id: 1 } });
      return { output: { city: JSON.stringify(found) } };
    },
  });
}

/** What may become of a server's tools, and the line that says so. */
const CHANGES: readonly (readonly [what: string, tools: readonly ListedTool[], line: string])[] = [
  [
    "description",
    [{ ...LOOKUP, description: "Finds and deletes a customer." }, REMOVE],
    'lookup.description: "Finds a customer." → "Finds and deletes a customer."',
  ],
  [
    "schema",
    [{ ...LOOKUP, inputSchema: { type: "object", required: ["id"] } }, REMOVE],
    '+ tools.tools/list: lookup.inputSchema.required: ["id"]',
  ],
  ["list: one is new", [LOOKUP, { name: "pay" }, REMOVE], '+ tools.tools/list: pay: {"name":"pay"}'],
  ["list: one is gone", [LOOKUP], '- tools.tools/list: remove: {"description":"Removes a customer.","name":"remove"}'],
];

test.each(CHANGES)("reports another %s of a server's tools as a change of calls live", async (_what, tools, line) => {
  await expect(using({})).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("none");
  offered = tools;
  const message = await stage.message(() =>
    expect(using({})).toMatchBaseline({ input: {}, mode: "live", adapters: {} }),
  );
  expect(message).toContain("calls_changed\n    cause: response (tools.tools/list responded differently)\n");
  expect(message).toContain(line);
});

test.each(
  CHANGES,
)("with compareTools another %s is a change in a replay too, and -u stores it", async (_what, tools, line) => {
  await expect(using({})).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("none");
  const step = using({ compareTools: true });
  await expect(step).toMatchBaseline({ input: {} });
  offered = tools;
  requests = [];
  expect(await stage.message(() => expect(step).toMatchBaseline({ input: {} }))).toContain(line);
  expect(new Set(requests)).toStrictEqual(new Set(["tools/list"]));
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean", "calls_changed"]);
  stage.settle("all");
  await expect(step).toMatchBaseline({ input: {} });
  stage.settle("none");
  await expect(step).toMatchBaseline({ input: {} });
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean"]);
});

test("with compareTools compares a step that only calls tools, and each case of a connection", async () => {
  asksForList = false;
  await expect(using({})).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("none");
  const shared = using({}, new Client(recordTransport(new Server(), { ...READ, compareTools: true })));
  offered = [LOOKUP];
  for (const _ of [1, 2])
    expect(await stage.message(() => expect(shared).toMatchBaseline({ input: {} }))).toContain(
      "- tools.tools/list: remove",
    );
});

test.each([
  ["another order", [REMOVE, LOOKUP]],
  ["other metadata", [{ ...LOOKUP, _meta: { etag: "b" } }, REMOVE]],
])("%s of the same tools is clean", async (_what, tools) => {
  await expect(using({})).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("none");
  offered = tools;
  await expect(using({})).toMatchBaseline({ input: {}, mode: "live", adapters: {} });
  await expect(using({ compareTools: true })).toMatchBaseline({ input: {} });
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean", "clean"]);
});

test("without compareTools a replay doesn't contact the server; with it a missing server is an error", async () => {
  await expect(using({})).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("none");
  isAway = true;
  await expect(using({})).toMatchBaseline({ input: {} });
  for (asksForList of [true, false])
    expect(await stage.message(() => expect(using({ compareTools: true })).toMatchBaseline({ input: {} }))).toContain(
      "the server is away",
    );
});
