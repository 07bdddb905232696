// @module-tag deep
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { checkInputCase, checkStoredCase } from "../../../test-support/check-stored-case.ts";
import {
  CAUSE_ROADS,
  type RoadMessage,
  type RoadQuestion,
  type RoadServices,
  type CauseRoad,
  type RoadAdapters,
  roadAdapters,
  roadFetch,
} from "../../../test-support/cause-roads.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { causeLine } from "../../explain/cause-line.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import type { Check } from "../check.ts";
import { type LocalSettings, withLocalSettings } from "./local-settings.ts";
import { recordAiSdk } from "../../record/interceptors/ai-sdk-recorder.ts";
import { recordGlobalFetch } from "../../record/interceptors/fetch-recorder.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

let restore: readonly (() => void)[] = [];
let services: RoadServices;

beforeEach(() => {
  vi.stubGlobal(
    "fetch",
    roadFetch(() => services),
  );
  restore = [recordGlobalFetch(), recordAiSdk()];
});

afterEach(() => {
  for (const undo of restore) undo();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

type Road = keyof typeof CAUSE_ROADS;
type Has = (change: string) => boolean;

const MODEL_ROADS: readonly Road[] = ["adapter", "fetch", "AI SDK"];
const TOOL_ROADS: readonly Road[] = ["adapter", "fetch", "tools", "MCP"];

/** Path and query of the model. */
function endpointOf(has: Has): string {
  const path = has("azure") ? `/openai/deployments/${has("deployment") ? "large" : "small"}` : "/v1";
  return `${has("path") ? "/eu" : ""}${path}/chat/completions?api-version=${has("query") ? 2 : 1}`;
}

const ROWS = "Ada owes 7 EUR; Bob paid on Monday; Eve has 2 orders; Max owes 3 EUR; Zoe paid nothing";

/** Services that changed in some ways. */
function servicesOf(has: Has): RoadServices {
  const status = [429, 500, 503, 401, 400].find((code) => has(`status ${code}`)) ?? 200;
  let failures = has("fails") && !has("works") ? 1 : 0;
  const failOnce = (name: string): void => {
    if (name !== "test" || failures === 0) return;
    failures -= 1;
    throw new Error("2 failed");
  };
  return {
    endpoint: endpointOf(has),
    host: has("host") ? "https://api.shop.test" : "http://localhost:3000",
    complete: (model) => ({
      status,
      text: JSON.stringify({
        company: has("response") ? "Bob" : "Ada",
        total: model === "large" ? 8 : 7,
        note: "n",
        ...(has("response with admin") && { admin: true }),
      }),
    }),
    find: (company) => {
      failOnce(company);
      if (has("rows")) return ROWS;
      return has("response") ? `other rows of ${company}` : `rows of ${company}`;
    },
    post: (order) => {
      failOnce(order);
      return `ordered ${order}`;
    },
  };
}

const AT = new Date("2026-03-01T14:30:00.000Z");
const RESULT: RoadMessage = { role: "tool", content: "Ada Lovelace owes 7." };

/** A step that asks a model, once before each change and once after it. */
function modelStep(road: Road, has: Has): AnyStep {
  const answer = z.object({
    company: z.string(),
    total: has("bound") ? z.number().max(5) : z.number(),
    ...(has("field added") && { currency: z.string() }),
    ...(has("description added") && { description: z.string() }),
    ...(has("model added") && { model: z.string() }),
    ...(!has("field removed") && { note: z.string() }),
  });
  const tone = has("default") ? z.string().default("dry") : z.string().optional();
  return defineStep({
    name: "read",
    input: z.object({ text: z.string(), tone }),
    output: z.looseObject({
      company: has("output trimmed") ? z.string().trim() : z.string(),
      total: z.number().max(has("bound") || has("output bound") ? 5 : 100),
      ...(has("output default") && { currency: z.string().default("EUR") }),
    }),
    run: async ({ text, tone: given }, { adapters }: StepContext<RoadAdapters>) => {
      const ways: CauseRoad = CAUSE_ROADS[road];
      const system = has("prompt") ? "Read the receipt briefly." : "Read the receipt.";
      const question: RoadQuestion = {
        model: has("model") ? "large" : "small",
        system,
        messages: [{ role: "user", content: text }, ...(has("result dropped") ? [] : [RESULT])],
        schema: answer,
      };
      const ask = async (changed: Partial<RoadQuestion> = {}): Promise<string> =>
        ways.ask({ ...question, ...changed }, services, adapters);
      if (has("one before")) await ask({ system: "Is it a receipt?" });
      const once = async (): Promise<z.infer<typeof answer>> => answer.parse(JSON.parse(await ask()));
      const read = await (has("retries") ? once().catch(once) : once());
      const own = [503, 401, 404].find((status) => has(`own error ${status}`)) ?? (read.company === "Bob" ? 422 : 0);
      if (own > 0 && (own !== 422 || has("refuses Bob"))) throw Object.assign(new Error("unfit"), { status: own });
      if (has("one more")) await ask({ system: "Is that right?" });
      if (has("twice")) await ask();
      for (const system of ["2", "3", "4"]) if (has("many questions")) await ask({ system });
      return {
        output: { ...read, company: `${has("code") ? read.company.toUpperCase() : read.company} `, tone: given ?? "" },
      };
    },
  });
}

const KEY = "AKIAIOSFODNN7EXAMPLQ";
const OTHER_KEY = "AKIAJ2FODNN7EXAMPLEZ";

/** A step that calls tools. */
function toolStep(road: Road, has: Has): AnyStep {
  return defineStep({
    name: "order",
    input: z.object({ company: z.string() }),
    output: z.looseObject({ rows: z.string() }),
    roles: { "db.post": "write" },
    run: async ({ company }, { adapters }: StepContext<RoadAdapters>) => {
      const ways: CauseRoad = CAUSE_ROADS[road];
      const find = async (name: string): Promise<string> => (await ways.find?.(name, services, adapters)) ?? "";
      const post = async (order: string): Promise<string> => (await ways.post?.(order, services, adapters)) ?? "";
      const known = has("secret read") ? KEY : company;
      if (has("read before")) await find("Max");
      for (const name of ["2", "3", "4"]) if (has("many reads")) await find(name);
      for (const order of ["2", "3", "4"]) if (has("many writes")) await post(order);
      const rows = has("read dropped") ? "none" : await find(has("argument") ? "bob" : known);
      if (has("read twice")) await find(company);
      if (has("secrets")) await find(KEY);
      if (has("secrets")) await find(has("other secret") ? OTHER_KEY : KEY);
      const orders = [`a ${company}`, has("write argument") ? "b other" : `b ${company}`];
      const made: string[] = [];
      if (has("write before")) await post("first");
      for (const order of has("writes reordered") ? orders.toReversed() : orders) made.push(await post(order));
      if (has("write twice")) await post(`b ${company}`);
      if (has("follows")) await post(rows);
      return { output: { rows: has("code") ? rows.toUpperCase() : rows, made: made.toSorted() } };
    },
  });
}

/** A step that puts rows of a response into a prompt: as one text, as JSON, or as a message for each. */
function retrievalStep(road: Road, has: Has): AnyStep {
  const ways: CauseRoad = CAUSE_ROADS[road];
  return defineStep({
    name: "retrieve",
    input: z.object({ company: z.string() }),
    output: z.looseObject({ read: z.string() }),
    run: async ({ company }, { adapters }: StepContext<RoadAdapters>) => {
      const found = (await ways.find?.(company, services, adapters)) ?? "";
      const all = found.split("; ").map((text, index) => ({ id: index + 1, text }));
      const rows = all.slice(0, 4 - Number(has("fewer rows")) + Number(has("more rows")));
      const lead = has("words") ? "Use these rows of the list" : "Use these rows";
      const shown = has("as JSON") ? JSON.stringify(rows) : rows.map(({ id, text }) => `${id}. ${text}`).join("\n");
      const messages = has("as messages") ? rows.map(({ text }) => ({ role: "user", content: text }) as const) : [];
      const system = has("as messages") ? `${lead}.` : `${lead}:\n${shown}`;
      return { output: { read: await ways.ask({ model: "small", system, messages }, services, adapters) } };
    },
  });
}

/** A step that reads local settings and the clock: in a request, in its result, or in both. */
function localStep(road: Road, has: Has): AnyStep {
  const ways: CauseRoad = CAUSE_ROADS[road];
  return defineStep({
    name: "report",
    input: z.object({ company: z.string() }),
    output: z.looseObject({ at: z.string() }),
    run: async ({ company }, { adapters }: StepContext<RoadAdapters>) => {
      const local = `${AT.toLocaleString()} and ${AT.getHours()} h, ${(1234.5).toLocaleString()} EUR`;
      const today = new Date().toISOString().slice(0, 10);
      const limit = has("limit") ? 3 : 5;
      const sent = `${company} ${has("sent, today") ? `${limit} rows at ${today}` : ""} ${has("sent, local") ? local : ""}`;
      const question = { model: "small", system: sent, messages: [RESULT] };
      const read =
        ways.find !== undefined && has("found")
          ? await ways.find(sent, services, adapters)
          : await ways.ask(question, services, adapters);
      if (has("result, today")) return { output: { at: `${limit} rows at ${today}`, read } };
      return { output: { at: has("result, local") ? local : "none", read } };
    },
  });
}

/** Narrows a value without a look at its fields: a step may return another type than its schema says. */
function isShape(value: unknown): value is { at: string; names: string[] } {
  return typeof value === "object" && value !== null;
}

/** A step that collects responses as they come, or a date. */
function shapeStep(road: Road, has: Has): AnyStep {
  const ways: CauseRoad = CAUSE_ROADS[road];
  return defineStep({
    name: "collect",
    input: z.object({ company: z.string() }),
    output: z.looseObject({ at: z.string(), names: z.array(z.string()) }),
    run: async ({ company }, { adapters }: StepContext<RoadAdapters>) => {
      const names: string[] = [];
      const find = async (name: string, ms: number): Promise<void> => {
        const rows = await ways.find?.(name, services, adapters);
        // Code after the response takes its time.
        await new Promise((resolve) => setTimeout(resolve, ms));
        names.push(`${rows}`);
      };
      const isSlow = has("order");
      await Promise.all([find(company, isSlow ? 25 : 0), find("second", isSlow ? 0 : 25)]);
      const output: unknown = { at: has("a Date") ? AT : AT.toISOString(), names };
      return isShape(output) ? { output } : { output: {} };
    },
  });
}

/** A step whose service fails at first: it tests, edits and tests again, or pays twice. */
function failingStep(_road: Road, has: Has): AnyStep {
  return defineStep({
    name: "fail",
    input: z.object({ company: z.string() }),
    output: z.looseObject({ made: z.number() }),
    roles: { "db.post": "write" },
    run: async ({ company }, { adapters: { db } }: StepContext<RoadAdapters>) => {
      let failed = 0;
      const count = (): void => {
        failed += 1;
      };
      const use = async (name: string): Promise<unknown> =>
        (has("writes") ? db.post({ order: name }) : db.find({ company: name })).catch(count);
      const other = async (): Promise<unknown> => (has("writes") ? db.find({ company }) : db.post({ order: "edit" }));
      await use("test");
      if (has("other later")) await use("test").then(other);
      else if (has("other before")) await other().then(async () => use("test"));
      else if (has("retry") && failed > 0) await use("test");
      if (has("again")) await use("test");
      return { output: { made: 1 } };
    },
  });
}

/** A step whose output's schema doesn't name each field that it returns. */
function unnamedStep(road: Road, has: Has): AnyStep {
  return defineStep({
    name: "user",
    input: z.object({ company: z.string() }),
    output: z.object({ company: z.string(), total: z.number(), note: z.string() }),
    run: async ({ company }, { adapters }: StepContext<RoadAdapters>) => {
      const question = { model: "small", system: "Read.", messages: [{ role: "user", content: company } as const] };
      const read = z
        .looseObject({ company: z.string() })
        .parse(JSON.parse(await CAUSE_ROADS[road].ask(question, services, adapters)));
      return { output: { ...read, ...(has("code with flag") && { flag: true }) } };
    },
  });
}

/** A step that makes no call before a change. */
function silentStep(road: Road, has: Has): AnyStep {
  const ways: CauseRoad = CAUSE_ROADS[road];
  return defineStep({
    name: "silent",
    input: z.object({ company: z.string() }),
    output: z.looseObject({ read: z.string() }),
    roles: { "db.post": "write" },
    run: async ({ company }, { adapters }: StepContext<RoadAdapters>) => {
      const ask = async (): Promise<string> =>
        ways.ask(
          { model: "small", system: "Read.", messages: [{ role: "user", content: company }] },
          services,
          adapters,
        );
      if (has("model call")) await ask();
      if (has("read call")) await ways.find?.(company, services, adapters);
      if (has("write call")) await ways.post?.(company, services, adapters);
      for (const order of ["2", "3", "4"]) if (has("many writes")) await ways.post?.(order, services, adapters);
      if (has("returned")) return { output: { read: await ask() } };
      return { output: { read: has("code") ? "other" : "none" } };
    },
  });
}

/** Cause of a change with recorded and with live responses; null if there is none, absent if it can't be seen so. */
interface Row {
  readonly change: string;
  readonly recorded?: string | null;
  readonly live?: string | null;
  readonly roads?: readonly Road[];
  /** Changes that the captured step has already. */
  readonly always?: string;
  /** Settings at capture. */
  readonly captured?: LocalSettings;
}

const both = (change: string, cause: string): Row => ({ change, recorded: cause, live: cause });

const MODEL_ROWS: readonly Row[] = [
  both("code", "code"),
  both("prompt", "prompt"),
  both("model", "model"),
  { change: "response", live: "model" },
  both("one more", "prompt"),
  both("one before", "prompt"),
  both("one before, prompt", "prompt"),
  both("one before, model", "mixed"),
  both("one before, code", "mixed"),
  both("twice", "code"),
  both("field added", "schema"),
  both("field removed", "schema"),
  ...["retries", "retries; one more"].map((always) => ({ ...both("field added", "schema"), always })),
  { ...both("prompt", "prompt"), always: "retries" },
  both("description added", "schema"),
  both("model added", "schema"),
  both("bound", "schema"),
  both("default", "schema"),
  both("output trimmed", "schema"),
  both("output default", "schema"),
  both("output default, code", "mixed"),
  { change: "output default, response", live: "mixed" },
  both("output bound", "schema"),
  both("output bound, prompt", "mixed"),
  both("result dropped", "code"),
  both("code, prompt", "mixed"),
  both("code, model", "mixed"),
  { change: "code, response", live: "mixed" },
  { ...both("host", "environment"), roads: ["fetch"] },
  { ...both("path", "environment"), roads: ["fetch"] },
  { ...both("query", "environment"), roads: ["fetch"] },
  { ...both("deployment", "model"), roads: ["fetch"], always: "azure" },
  // An error that the step itself throws isn't one of the service, whatever its status is.
  ...[503, 401, 404].map((status) => both(`own error ${status}`, "code")),
  { change: "response", always: "refuses Bob", live: "model" },
  ...[429, 500, 503, 401, 400].map((status): Row => ({ change: `status ${status}`, live: null })),
];

const TOOL_ROWS: readonly Row[] = [
  both("code", "code"),
  both("argument", "code"),
  both("read dropped", "code"),
  both("read twice", "code"),
  both("read before", "code"),
  both("write before", "code"),
  both("write argument", "code"),
  both("writes reordered", "code"),
  both("write twice", "code"),
  { ...both("other secret", "code"), always: "secrets" },
  { change: "other secret, response", always: "secrets", live: "mixed" },
  { change: "other secret, response", always: "secrets; secret read", live: "mixed" },
  { change: "response", live: "response" },
  { change: "code, response", live: "mixed" },
  { ...both("host", "environment"), roads: ["fetch"] },
];

const ZONE: LocalSettings = { timeZone: "Asia/Tokyo" };
const LOCALE: LocalSettings = { locale: "de-DE" };
const PLACE: LocalSettings = { ...ZONE, ...LOCALE };
const EARLIER: LocalSettings = { clockShift: -40 * 86_400_000 };

const local = (always: string, captured: LocalSettings, cause: string): Row => ({
  ...both("nothing", cause),
  always,
  captured,
});

const LOCAL_ROWS: readonly Row[] = [
  local("result, local", ZONE, "environment"),
  local("result, local", LOCALE, "environment"),
  local("result, local", PLACE, "environment"),
  local("sent, local", ZONE, "environment"),
  local("sent, local", LOCALE, "environment"),
  local("sent, local", PLACE, "environment"),
  local("sent, today", EARLIER, "code"),
  local("result, today", EARLIER, "code"),
  // A changed response isn't hidden by the time zone, locale or clock.
  { change: "response", always: "result, local", captured: ZONE, recorded: "environment", live: "mixed" },
  { change: "response", always: "result, local", captured: LOCALE, recorded: "environment", live: "mixed" },
  { change: "response", always: "result, today", captured: EARLIER, recorded: "code", live: "mixed" },
  // An edit of a text that contains the date isn't another date.
  { ...both("limit", "prompt"), always: "sent, today" },
  { ...both("limit", "code"), always: "result, today" },
  // A response to another request says nothing about the model.
  { change: "response", always: "sent, local", captured: ZONE, live: "environment" },
];
const FOUND_ROWS: readonly Row[] = [
  local("sent, local; found", ZONE, "environment"),
  local("sent, local; found", PLACE, "environment"),
  // An edit isn't another place.
  { ...both("limit", "code"), always: "sent, today; sent, local; found" },
  local("sent, today; found", EARLIER, "code"),
  { ...both("limit", "code"), always: "sent, today; found" },
  { change: "response", always: "result, local; found", captured: ZONE, recorded: "environment", live: "mixed" },
  { change: "response", always: "result, today; found", captured: EARLIER, recorded: "code", live: "mixed" },
];
const RETRIEVAL_ROWS: readonly Row[] = ["as text", "as JSON", "as messages"].flatMap((form) =>
  [both("fewer rows", "code"), both("more rows", "code"), both("words", "prompt")].map((row) => ({
    ...row,
    always: `rows; ${form}`,
  })),
);
const SHAPE_ROWS: readonly Row[] = [both("order", "code"), both("a Date", "code")];

const FAILING_ROWS: readonly Row[] = ["fails", "fails; writes"].flatMap((always) => [
  { ...both("other later", "code"), always: `${always}; other before` },
  { ...both("again", "code"), always: `${always}; retry` },
  { change: "works, again", recorded: "code", live: "code", always: `${always}; retry` },
  { change: "works", recorded: null, live: null, always: `${always}; retry` },
]);

const UNNAMED_ROWS: readonly Row[] = [
  { change: "response with admin", live: "model" },
  both("code with flag", "code"),
  { change: "response with admin, code with flag", live: "mixed" },
  { change: "nothing", always: "response with admin", recorded: null, live: null },
];
const FIRST_MODEL_ROWS: readonly Row[] = [both("model call", "prompt"), both("returned", "prompt")];
const FIRST_TOOL_ROWS: readonly Row[] = [
  both("code", "code"),
  both("read call", "code"),
  both("write call", "code"),
  both("read call, code", "code"),
  // Without a response to the new question, the rest of the run is unknown.
  { change: "model call, write call", recorded: "prompt", live: "mixed" },
];

type Make = typeof modelStep;
type Case = readonly [road: Road, what: string, mode: "recorded" | "live", cause: string | null, row: Row, make: Make];

function casesOf(rows: readonly Row[], roads: readonly Road[], make: Make): readonly Case[] {
  return rows.flatMap((row) => {
    const { change, recorded, live, always = "", captured = {} } = row;
    const settings = Object.values(captured).map((value) => `as at ${value}`);
    const what = [...[change, always].filter((part) => !["", "nothing"].includes(part)), ...settings].join(", ");
    return (row.roads ?? roads).flatMap((road): Case[] => [
      ...(recorded === undefined ? [] : [[road, what, "recorded", recorded, row, make] as const]),
      ...(live === undefined ? [] : [[road, what, "live", live, row, make] as const]),
    ]);
  });
}

const CASES = [
  ...casesOf(MODEL_ROWS, MODEL_ROADS, modelStep),
  ...casesOf(TOOL_ROWS, TOOL_ROADS, toolStep),
  ...casesOf(LOCAL_ROWS, MODEL_ROADS, localStep),
  ...casesOf(FOUND_ROWS, TOOL_ROADS, localStep),
  ...casesOf(RETRIEVAL_ROWS, TOOL_ROADS, retrievalStep),
  ...casesOf(SHAPE_ROWS, TOOL_ROADS, shapeStep),
  ...casesOf(UNNAMED_ROWS, MODEL_ROADS, unnamedStep),
  ...casesOf(FIRST_MODEL_ROWS, MODEL_ROADS, silentStep),
  ...casesOf(FIRST_TOOL_ROWS, TOOL_ROADS, silentStep),
  ...casesOf(FAILING_ROWS, ["adapter"], failingStep),
];

async function check(
  road: Road,
  mode: string,
  { change, always = "", captured = {} }: Row,
  make: Make,
): Promise<Check> {
  const root = join(temporaryProject("cause"), "__baselines__");
  const library = openLibrary(root);
  const had = new Set(always.split("; "));
  services = servicesOf((name) => had.has(name));
  const before = make(road, (name) => had.has(name));
  const input = make === modelStep ? { text: "A receipt." } : { company: "ada" };
  const adapters = { ...roadAdapters(services) };
  const first = await withLocalSettings(captured, async () =>
    checkInputCase(before, { input, label: "case", mayCapture: true, adapters, executesWrites: true }, library),
  );
  if (first.update === undefined) throw new Error(JSON.stringify(first.verdict));
  putBaseline(first.path, first.update.propose().after ?? "");
  const [stored] = library.all(before.name);
  if (stored === undefined) throw new Error("nothing is stored");
  const changes = new Set([...had, ...change.split(", ")]);
  services = servicesOf((name) => changes.has(name));
  const now = { ...roadAdapters(services) };
  const step = make(road, (name) => changes.has(name));
  return checkStoredCase(step, stored, { root, executesWrites: true, ...(mode === "live" && { adapters: now }) });
}

test("the table has at least 60 rows", () => {
  expect(CASES.length).toBeGreaterThanOrEqual(60);
});

test("an additional call has no diff from another request", async () => {
  const { verdict } = await check("adapter", "recorded", both("one more", "prompt"), modelStep);
  const cause = verdict.kind === "request_changed" ? verdict.cause : undefined;
  expect(cause === undefined ? "none" : causeLine(cause, verdict)).toBe("cause: prompt (1 more call to llm.ask)");
});

test.each([
  ["sent, today", "cause: prompt"],
  ["result, today", "cause: code (same requests, same responses, new output)"],
  ["sent, today; found", "cause: code (with the same responses, it sends different requests)"],
])("an edit of a text that contains the date isn't explained by the time: %s", async (always, line) => {
  const { verdict } = await check("adapter", "recorded", { change: "limit", always }, localStep);
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect(cause === undefined ? "none" : causeLine(cause, verdict)).toBe(line);
});

test.each([
  ["recorded", "cause: code (with the same responses, it sends different requests)"],
  ["live", "cause: code (with the same responses, it sends different requests: llm.ask request[0].system changed)"],
])("fewer rows of a response in a prompt are a change of the code with %s responses", async (mode, line) => {
  const row: Row = { change: "fewer rows", always: "rows; as text" };
  const { verdict } = await check("adapter", mode, row, retrievalStep);
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect(cause === undefined ? "none" : causeLine(cause, verdict)).toBe(line);
});

test.each(["recorded", "live"])("names the location of another secret with %s responses", async (mode) => {
  const { verdict } = await check("adapter", mode, { change: "other secret", always: "secrets" }, toolStep);
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect(cause === undefined ? "none" : causeLine(cause, verdict)).toBe(
    "cause: code (it sends different secrets: db.find company)",
  );
});

test.each(["recorded", "live"])("counts the calls of an agent that tests twice before it edits: %s", async (mode) => {
  const row: Row = { change: "other later", always: "fails; other before" };
  const { verdict } = await check("adapter", mode, row, failingStep);
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect([verdict.kind, cause === undefined ? "none" : causeLine(cause, verdict)]).toStrictEqual([
    "calls_changed",
    "cause: code (with the same responses, it sends different requests: 1 fewer call to db.find)",
  ]);
});

test("a second payment in the place of a retry is a call more", async () => {
  const row: Row = { change: "works, again", always: "fails; writes; retry" };
  const { verdict } = await check("adapter", "live", row, failingStep);
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect([verdict.kind, cause === undefined ? "none" : causeLine(cause, verdict)]).toStrictEqual([
    "calls_changed",
    "cause: code (with the same responses, it sends different requests: 1 more call to db.post)",
  ]);
});

test.each<[change: string, mode: "recorded" | "live", make: Make, line: string]>([
  [
    "many reads",
    "recorded",
    toolStep,
    "code (with the same responses, it sends different requests: 3 more calls to db.find)",
  ],
  [
    "many reads",
    "live",
    toolStep,
    "code (with the same responses, it sends different requests: 3 more calls to db.find)",
  ],
  [
    "many writes",
    "live",
    toolStep,
    "code (with the same responses, it sends different requests: 3 more calls to db.post)",
  ],
  [
    "many reads, many writes",
    "live",
    toolStep,
    "code (with the same responses, it sends different requests: 3 more calls to db.find, 3 more calls to db.post)",
  ],
  [
    "many reads, argument",
    "live",
    toolStep,
    "code (with the same responses, it sends different requests: db.find request[0].company changed, 3 more calls to db.find)",
  ],
  ["many questions", "recorded", modelStep, "prompt (3 more calls to llm.ask)"],
  ["many questions", "live", modelStep, "prompt (3 more calls to llm.ask)"],
  // The responses of the baseline don't include any for these.
  [
    "many writes",
    "live",
    silentStep,
    "code (with the same responses, it sends different requests: 3 more calls to db.post)",
  ],
])("counts the new calls of %s with %s responses", async (change, mode, make, line) => {
  const { verdict } = await check("adapter", mode, { change }, make);
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect(cause === undefined ? "none" : causeLine(cause, verdict)).toBe(`cause: ${line}`);
});

test("a new write isn't hidden behind the first question to a model", async () => {
  const { verdict } = await check("adapter", "live", { change: "model call, write call" }, silentStep);
  expect(verdict).toMatchObject({
    kind: "calls_changed",
    changes: [{ part: "calls", diff: { entries: [{ path: ["db.post"], after: { order: "ada" } }] } }],
  });
});

test("names a time zone and a locale that both differ", async () => {
  const { verdict } = await check("adapter", "recorded", local("result, local", PLACE, "environment"), localStep);
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect(cause === undefined ? "none" : causeLine(cause, verdict)).toBe(
    "cause: environment (the result matches the baseline in time zone Asia/Tokyo with locale de-DE, but not in UTC with en-US)",
  );
});

test("names a changed response beside another time zone", async () => {
  const row: Row = { change: "response", always: "result, local", captured: ZONE };
  const { verdict } = await check("adapter", "live", row, localStep);
  const cause = "cause" in verdict ? verdict.cause : undefined;
  expect(cause === undefined ? "none" : causeLine(cause, verdict)).toBe(
    "cause: mixed: environment (the result matches the baseline in time zone Asia/Tokyo, but not in UTC), model (same requests, different responses: llm.ask)",
  );
});

test.each(CASES)("for %s, %s, %s: the cause is %s", async (road, _what, mode, cause, row, make) => {
  const { verdict } = await check(road, mode, row, make);
  const found = "cause" in verdict ? verdict.cause : undefined;
  const line = found === undefined ? "none" : causeLine(found, verdict);
  expect({ kind: verdict.kind, cause: found?.kind ?? null, line }).toMatchObject({ cause, kind: verdict.kind, line });
});
