import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import type { StepContext } from "../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { recordGlobalFetch } from "../../record/interceptors/fetch-recorder.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";

/** Status and body of each path. */
type Services = Readonly<Record<string, readonly [status: number, body: string]>>;

interface Customer {
  readonly lines?: readonly number[];
  /** Fields of a failed result of an MCP server. */
  readonly content?: readonly object[];
  readonly isError?: boolean;
}

interface Adapters {
  readonly llm: { readonly ask: (prompt: string) => Promise<string> };
  readonly crm: { readonly get: (id: number) => Promise<Customer> };
}

const stage = new MatcherStage(expect);
let uninstall = (): void => undefined;
let services: Services = {};

beforeEach(() => {
  stage.begin();
  vi.stubGlobal("fetch", async (url: string) => {
    const [status, body] = services[new URL(url).pathname] ?? [404, "{}"];
    return new Response(body, { status, headers: { "content-type": "application/json" } });
  });
  uninstall = recordGlobalFetch();
});
afterEach(() => {
  uninstall();
  vi.unstubAllGlobals();
});

const ROWS: Services = { "/rows": [200, '{"rows":[1,2]}'] };
const CHAT: Services = { "/v1/chat/completions": [200, '{"text":"ok"}'] };

async function load(path: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(`https://api.shop.test${path}`, init);
  if (!response.ok) throw new Error(`${path} failed: ${response.status}`);
  return response;
}

const countRows = async (response: Response): Promise<number> =>
  z.object({ rows: z.array(z.number()) }).parse(await response.json()).rows.length;
const ask = async (prompt: string): Promise<Response> =>
  load("/v1/chat/completions", { method: "POST", body: JSON.stringify({ model: "m", messages: [prompt] }) });

function stepOf(run: (adapters: Adapters) => Promise<unknown>): AnyStep {
  return defineStep({
    name: "end",
    input: z.object({}),
    output: z.object({ read: z.unknown() }),
    run: async (_input, { adapters }: StepContext<Adapters>) => ({ output: { read: await run(adapters) } }),
  });
}

function adaptersOf(text: string, get: Adapters["crm"]["get"]): Adapters {
  return { llm: { ask: async () => text }, crm: { get } };
}

const CRM = adaptersOf("a lamp", async () => ({ lines: [1] }));

/** Captures a step, and returns the message of a live run after a change. */
async function messageAfter(
  step: AnyStep,
  change: {
    readonly before?: Services;
    readonly now?: Services;
    readonly step?: AnyStep;
    readonly adapters?: Adapters;
  },
): Promise<string> {
  services = change.before ?? { ...ROWS, ...CHAT };
  await expect(step).toMatchBaseline({ input: {}, adapters: CRM });
  stage.settle("new");
  services = { ...services, ...change.now };
  const options = { input: {}, adapters: change.adapters ?? CRM, mode: "live" } as const;
  return stage.message(() => expect(change.step ?? step).toMatchBaseline(options));
}

const rowsStep = stepOf(async () => countRows(await load("/rows")));
const BUSY = "A service that a live adapter called is busy or unavailable (503). The step isn't the cause.";

test.each<[what: string, now: Services, step: AnyStep, advice: string]>([
  ["whose status the step reads", { "/rows": [503, "{}"] }, rowsStep, BUSY],
  [
    "whose body the step can't read",
    { "/rows": [503, "<html>"] },
    stepOf(async () => countRows(await fetch("https://api.shop.test/rows"))),
    BUSY,
  ],
  [
    "that refuses the credentials",
    { "/rows": [401, "{}"] },
    rowsStep,
    "The credentials were refused (401). The step isn't the cause.",
  ],
  [
    "that is a model",
    { "/v1/chat/completions": [429, "{}"] },
    stepOf(async () => (await ask("Hello")).json()),
    "busy or unavailable (429)",
  ],
  [
    "that is a model and refuses the request",
    { "/v1/chat/completions": [400, "{}"] },
    stepOf(async () => (await ask("Hello")).json()),
    "A service refused the request (400)",
  ],
  [
    "that was called at once with others",
    { "/rows": [503, "{}"] },
    stepOf(async () =>
      Promise.all([load("/rows").then(countRows), ask("Hello").then(async (answer) => answer.json())]),
    ),
    BUSY,
  ],
])("doesn't name a cause if a service %s fails, and the step throws its own error", async (_, now, step, advice) => {
  const message = await messageAfter(step, { now });
  expect(message).toContain(advice);
  expect(message).not.toContain("cause:");
  expect(message).not.toContain("Fix the step");
});

const LATER = "Run the test again later, or with recorded responses: VERITEST_MODE=replay.";

test.each<[client: string, thrown: object, status: string]>([
  ["AWS", { name: "ThrottlingException", $metadata: { httpStatusCode: 429 } }, " (429)"],
  ["AWS with status 400", { name: "ThrottlingException", $metadata: { httpStatusCode: 400 } }, ""],
  ["axios", { response: { status: 429 } }, " (429)"],
  ["gRPC", { message: "14 UNAVAILABLE: no connection", code: 14, details: "no connection" }, ""],
  ["Google", { code: 429, status: "RESOURCE_EXHAUSTED" }, " (429)"],
  ["a client with a text as status", { status: "503" }, " (503)"],
  ["a client with only a message", { message: "429 Too Many Requests" }, " (429)"],
])("an outage that an error of %s reports has no cause, also within the step's own error", async (_, thrown, status) => {
  const adapters = adaptersOf("a lamp", async () => Promise.reject(Object.assign(new Error("busy"), thrown)));
  const own = async (): Promise<never> => Promise.reject(new Error("no customer"));
  const steps = [
    stepOf(async ({ crm }) => (await crm.get(7)).lines),
    stepOf(async ({ crm }) => (await crm.get(7).catch(own)).lines),
  ];
  for (const step of steps) {
    const message = await messageAfter(step, { adapters });
    expect(message).toContain(
      `A service that a live adapter called is busy or unavailable${status}. The step isn't the cause. ${LATER}`,
    );
    expect(message).not.toContain("cause:");
    stage.begin();
  }
});

test.each([
  "HTTP 503 Service Unavailable",
  "no tool result",
])("a failed tool of an MCP server has no cause if its text reports an outage, and the step throws %j", async (text) => {
  const content = [{ type: "text", text: "HTTP 503 Service Unavailable" }];
  const adapters = adaptersOf("a lamp", async () => ({ content, isError: true }));
  const step = stepOf(async ({ crm }) => {
    const { lines } = await crm.get(7);
    if (lines === undefined) throw new Error(text);
    return lines;
  });
  const message = await messageAfter(step, { adapters });
  expect(message).toContain(`${BUSY} ${LATER}`);
  expect(message).not.toContain("cause:");
});

test("doesn't name a cause if a step wraps the error of a service, and a model's text differs, too", async () => {
  const step = stepOf(async ({ llm, crm }) => {
    const text = await llm.ask("Describe 7");
    const { lines } = await crm.get(7).catch(({ message }) => Promise.reject(new Error(`no customer: ${message}`)));
    return { text, lines };
  });
  const adapters = adaptersOf("one lamp", async () =>
    Promise.reject(Object.assign(new Error("busy"), { status: 503 })),
  );
  const message = await messageAfter(step, { adapters });
  expect(message).toContain(BUSY);
  expect(message).not.toContain("cause:");
});

test("the code is the cause if it also fails with the recorded responses", async () => {
  const failing = stepOf(async () => {
    await load("/rows").catch(() => undefined);
    throw new Error("no total");
  });
  const message = await messageAfter(rowsStep, { now: { "/rows": [503, "{}"] }, step: failing });
  expect(message).toContain("cause: code (it fails with the recorded responses)");
  expect(message).toContain("Fix the step");
});

test("a failure that the recording has, too, isn't the cause", async () => {
  const before: Services = { "/rate": [503, "{}"], ...CHAT };
  const step = stepOf(async ({ crm }) => {
    const { lines } = await crm.get(7);
    await load("/rate").catch(() => undefined);
    if (lines === undefined) throw new Error("no lines");
    return lines.length;
  });
  const message = await messageAfter(step, { before, adapters: adaptersOf("a lamp", async () => ({})) });
  expect(message).toContain("cause: response (crm.get responded differently)");
});

test("a service that isn't a model may refuse a request because its data changed", async () => {
  const message = await messageAfter(rowsStep, { now: { "/rows": [404, "{}"] } });
  expect(message).toContain("cause: response (fetch GET https://api.shop.test/rows failed with status 404)");
});

test("only the response without which the step has a result is the cause of a failure", async () => {
  const step = stepOf(async ({ llm, crm }) => {
    const text = await llm.ask("Describe 7");
    const { lines } = await crm.get(7);
    return { text, count: z.array(z.number()).parse(lines).length };
  });
  const message = await messageAfter(step, { adapters: adaptersOf("one lamp", async () => ({})) });
  expect(message).toContain("    cause: response (crm.get responded differently)\n");
});
