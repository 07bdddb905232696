import type { IncomingMessage, ServerResponse } from "node:http";
import OpenAI from "openai";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import { writtenBaseline } from "../baseline/serialize-baseline.ts";
import { captureArtifactSync } from "../record/snapshot.ts";
import { recordGlobalFetch } from "../record/interceptors/fetch-recorder.ts";
import { PLACEHOLDER_KEY } from "../kernel/placeholder-keys.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";
import { serve } from "../../test-support/serve.ts";

const runner: { extend(matchers: object): void } = expect;
const stage = new MatcherStage(runner);
let hits = 0;
let reply = (_request: IncomingMessage, response: ServerResponse): unknown => response.end("{}");
let uninstall = (): void => undefined;

const { url, close } = await serve((request, response) => {
  hits += 1;
  request.resume().on("end", () => void reply(request, response));
});
afterAll(close);

beforeEach(() => {
  stage.begin();
  hits = 0;
  reply = (_request, response) => response.end('{"ok":true}');
  uninstall = recordGlobalFetch();
});

afterEach(() => uninstall());

function stepOf(ask: () => Promise<unknown>): AnyStep {
  return defineStep({
    name: "ask",
    input: z.object({}),
    output: z.object({ said: z.unknown() }),
    run: async () => ({ output: { said: await ask() } }),
  });
}
const textOf = async (path: string, init?: RequestInit): Promise<string> => (await fetch(`${url}${path}`, init)).text();
const post = async (body: RequestInit["body"], headers: Readonly<Record<string, string>> = {}): Promise<string> =>
  textOf("/a", { method: "POST", body: body ?? null, headers });
const live = { input: {}, adapters: {} };
/** An address that a request with a placeholder for its key is never sent to. */
const REMOTE = "https://api.openai.com/v1";
const recorded = { input: {} };

/** Records a step, and checks that another one gets the recorded responses, or has an unrecorded request. */
async function expectSame(one: AnyStep, other: AnyStep, isSame: boolean): Promise<void> {
  await expect(one).toMatchBaseline(live);
  stage.settle("none");
  const before = hits;
  const message = await stage.message(() => expect(other).toMatchBaseline(recorded));
  expect(message.includes("request_changed")).toBe(!isSame);
  expect(hits).toBe(before);
}

const multipart = (note: string, type: string, contentType = "multipart/form-data"): AnyStep =>
  stepOf(async () => {
    const boundary = `----part${Math.random().toString(36).slice(2)}`;
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="note"\r\n\r\n${note}\r\n--${boundary}--\r\n`;
    const bytes: Readonly<Record<string, RequestInit["body"]>> = { blob: new Blob([body]), bytes: Buffer.from(body) };
    return post(bytes[type] ?? body, { "Content-Type": `${contentType}; boundary="${boundary}"` });
  });

// axios sends multipart bodies with the other Content-Type.
test.each(
  ["text", "blob", "bytes"].flatMap((type) =>
    ["multipart/form-data", "application/x-www-form-urlencoded"].map((contentType) => [type, contentType] as const),
  ),
)("ignores the boundary of a multipart %s sent as %s, but not its fields", async (...row) => {
  await expectSame(multipart("late", ...row), multipart("late", ...row), true);
  stage.begin();
  await expectSame(multipart("late", ...row), multipart("broken", ...row), false);
});

test("treats a form written by fetch and the same form as text as one request", async () => {
  const form = new FormData();
  form.set("note", "late");
  await expectSame(
    stepOf(async () => post(form)),
    multipart("late", "text"),
    true,
  );
});

test("treats query parameters in another order and encoding as the same request", async () => {
  await expectSame(
    stepOf(async () => textOf("/a?q=x%20y&n=1")),
    stepOf(async () => textOf("/a?n=1&q=x+y")),
    true,
  );
});

test("reports an ignore rule that matches no request, even in the first run", async () => {
  const step = stepOf(async () => textOf("/a?ts=1"));
  const ignore = ["fetch[0].query.ts", "fetch[0].query.time", { path: "fetch[0].body", match: /\d+/ }];
  await expect(step).toMatchBaseline({ ...live, ignore });
  stage.settle("none");
  await expect(step).toMatchBaseline({ ...recorded, ignore });
  const unmatched = ['ignore "fetch[0].query.time"', 'ignore "fetch[0].body" (/\\d+/)'];
  expect(stage.checks.map(({ findings }) => findings.unmatchedRules)).toStrictEqual([unmatched]);
});

test("ignores a configured part of a prompt, but not the rest", async () => {
  const prompt = (text: string): AnyStep =>
    stepOf(async () => post(JSON.stringify({ messages: [{ role: "system", content: text }] })));
  const ignore = [{ path: "fetch[0].body.messages[0].content", match: /Today is .*?\./ }];
  await expect(prompt("Today is Monday. Be kind.")).toMatchBaseline({ ...live, ignore });
  stage.settle("none");
  await expect(prompt("Today is Friday. Be kind.")).toMatchBaseline({ ...recorded, ignore });
  const message = await stage.message(() =>
    expect(prompt("Today is Friday. Be rude.")).toMatchBaseline({ ...recorded, ignore }),
  );
  expect(message).toContain('request[0].body.messages[0].content: "… Be kind." → "… Be rude."');
});

test("names the tracing service that gets a request which isn't recorded or doesn't repeat", async () => {
  const sending = (trace: () => Promise<unknown>): AnyStep =>
    stepOf(async () => {
      await trace();
      return textOf("/rates");
    });
  const advice = "The request goes to OpenTelemetry, a service for traces and analytics. Turn it off in tests.";
  let kept: Promise<string> | undefined;
  expect(
    await stage.message(() => expect(sending(async () => (kept ??= textOf("/v1/traces")))).toMatchBaseline(live)),
  ).toContain(`a second run of the step doesn't call fetch GET ${url}/v1/traces again. ${advice}`);
  await expect(sending(async () => undefined)).toMatchBaseline(live);
  stage.settle("none");
  const changed = await stage.message(() =>
    expect(sending(async () => textOf("/v1/traces"))).toMatchBaseline(recorded),
  );
  expect(changed).toContain("request_changed");
  expect(changed.endsWith(`\n\n${advice}`), changed).toBe(true);
});

test("sends and records headers that can be read only once", async () => {
  reply = (request, response) => response.end(String(request.headers["x-tenant"]));
  const headers = (): RequestInit => {
    const init: object = { headers: new Map([["x-tenant", "north"]]).entries() };
    return init;
  };
  expect(await textOf("/a", headers())).toBe("north");
  await expect(stepOf(() => textOf("/a", headers()))).toMatchBaseline({ ...live, matchHeaders: ["x-tenant"] });
  expect(stage.stagedText()).toContain('"said": "north"');
});

test("compares headers in matchHeaders, including secrets, and no others", async () => {
  const asked = (headers: Readonly<Record<string, string>>): AnyStep => stepOf(async () => textOf("/a", { headers }));
  const matchHeaders = ["X-Tenant", "Authorization"];
  const headers = { "x-tenant": "north", authorization: "Bearer made-up-ana", "x-trace": "1" };
  await expect(asked(headers)).toMatchBaseline({ ...live, matchHeaders });
  expect(stage.stagedText()).not.toContain("made-up-ana");
  stage.settle("none");
  await expect(asked({ ...headers, "x-trace": "2" })).toMatchBaseline({ ...recorded, matchHeaders });
  const other = async (change: Readonly<Record<string, string>>): Promise<string> =>
    stage.message(() => expect(asked({ ...headers, ...change })).toMatchBaseline({ ...recorded, matchHeaders }));
  expect(await other({ "x-tenant": "south" })).toContain('request[0].headers.x-tenant: "north" → "south"');
  expect(await other({ authorization: "Bearer made-up-ben" })).toContain("request[0].headers.authorization.hash");
});

test.each([
  ["changed", { "x-tenant": "south", "user-agent": "b" }, "x-tenant"],
  ["dropped", {}, "x-tenant"],
  ["new", { "x-tenant": "north", "x-region": "south" }, "x-region"],
])("a header that is %s and isn't compared explains another response of a model", async (_what, headers: Record<
  string,
  string
>, name) => {
  reply = (request, response) =>
    response.end(
      JSON.stringify({ choices: [request.headers["x-tenant"] ?? "none"], at: request.headers["x-region"] ?? "" }),
    );
  const ask = (sent: Readonly<Record<string, string>>): AnyStep =>
    stepOf(async () =>
      textOf("/v1/chat/completions", { method: "POST", body: '{"model":"gpt-5","messages":[]}', headers: sent }),
    );
  await expect(ask({ "x-tenant": "north", "user-agent": "a" })).toMatchBaseline(live);
  stage.settle("none");
  expect(await stage.message(() => expect(ask(headers)).toMatchBaseline({ ...live, mode: "live" }))).toContain(
    `cause: code (request headers differ: ${name})`,
  );
});

test("normalizeRequest of a check and of the recorder changes the stored and compared request", async () => {
  const withoutNonce = (request: unknown): unknown => {
    const fields = Object(request);
    return { ...fields, body: { ...fields.body, nonce: undefined } };
  };
  const step = (): AnyStep => stepOf(async () => post(JSON.stringify({ q: 1, nonce: Math.random() })));
  await expect(step()).toMatchBaseline({ ...live, normalizeRequest: withoutNonce });
  expect(stage.stagedText()).not.toContain("nonce");
  stage.settle("none");
  await expect(step()).toMatchBaseline({ ...recorded, normalizeRequest: withoutNonce });
  const again = recordGlobalFetch({ normalizeRequest: withoutNonce });
  await expect(step()).toReplay();
  again();
  uninstall();
  uninstall = recordGlobalFetch();
  expect(await stage.message(() => expect(step()).toReplay())).toContain("nonce");
});

test("parallel requests in another order are the same requests", async () => {
  const parallel = (paths: readonly string[]): AnyStep =>
    stepOf(async () => {
      const texts = await Promise.all(paths.map(async (path) => textOf(path)));
      return texts.length;
    });
  await expect(parallel(["/a", "/b", "/c"])).toMatchBaseline(live);
  stage.settle("none");
  await expect(parallel(["/c", "/a", "/b"])).toMatchBaseline({ ...live, mode: "live" });
  expect(stage.checks.map(({ verdict }) => verdict)).toStrictEqual([expect.objectContaining({ kind: "clean" })]);
  expect(stage.checks[0]?.verdict).not.toHaveProperty("asksOtherwise");
});

test("doesn't store a rate-limited attempt as the response", async () => {
  reply = (_request, response) =>
    hits === 1 ? response.writeHead(429, { "retry-after": "0" }).end("slow down") : response.end("{}");
  const client = new OpenAI({ apiKey: "made-up", baseURL: `${url}/v1`, maxRetries: 2 });
  await expect(stepOf(async () => Object.keys(await client.models.list()).length > 0)).toMatchBaseline(live);
  expect(hits).toBe(2);
  expect(JSON.parse(stage.stagedText()).calls).toStrictEqual([
    expect.objectContaining({ response: expect.objectContaining({ status: 200 }) }),
  ]);
});

test("stores an attempt that the step reads, which is equal live", async () => {
  reply = (_request, response) => response.writeHead(hits % 2 === 1 ? 503 : 200).end("{}");
  const step = stepOf(async () => {
    const first = await fetch(`${url}/a`);
    const second = first.ok ? first : await fetch(`${url}/a`);
    return [first.status, second.status, await first.text(), second.bodyUsed || (await second.text())];
  });
  await expect(step).toMatchBaseline(live);
  expect(JSON.parse(stage.stagedText()).calls).toHaveLength(2);
  stage.settle("none");
  expect(await stage.message(() => expect(step).toMatchBaseline({ ...live, mode: "live" }))).toBe("it passed");
  expect(stage.checks.at(-1)?.verdict).not.toHaveProperty("asksOtherwise");
});

test("stores headers that the result has, and those that the step reads", async () => {
  reply = (_request, response) =>
    response.writeHead(200, { "x-ratelimit-remaining": "41", "x-runtime": "7" }).end("{}");
  const shows = stepOf(async () => (await fetch(`${url}/a`)).headers.get("x-ratelimit-remaining"));
  await expect(shows).toMatchBaseline(live);
  expect(stage.stagedText()).toContain('"x-ratelimit-remaining": "41"');
  expect(stage.stagedText()).not.toContain("x-runtime");
  stage.begin();
  const decides = stepOf(async () => Number((await fetch(`${url}/a`)).headers.get("x-ratelimit-remaining")) > 10);
  await expect(decides).toMatchBaseline(live);
  expect(stage.stagedText()).toContain('"x-ratelimit-remaining": "41"');
});

test("a baseline of an earlier version, with query and form as text and few headers, is clean", async () => {
  reply = (_request, response) => response.writeHead(200, { "content-type": "application/json", etag: "1" }).end("{ }");
  const step = stepOf(async () => {
    const response = await fetch(`${url}/a?q=1`, { method: "POST", body: "a=1&b=2" });
    return [await response.json(), response.status];
  });
  await expect(step).toMatchBaseline(live);
  const [update] = stage.staged.values();
  const parsed = parseBaseline(stage.stagedText(), "a");
  const [call] = parsed.ok && parsed.value.kind === "step" ? parsed.value.calls : [];
  if (update === undefined || call === undefined || !parsed.ok || parsed.value.kind !== "step")
    throw new Error("no call");
  const older = {
    ...call,
    request: [{ method: "POST", origin: url, path: "/a", query: "q=1", body: "a=1&b=2" }],
    response: { status: 200, statusText: "OK", headers: { "content-type": "application/json" }, body: { json: {} } },
  };
  const artifacts = parsed.value.artifacts.map((artifact) =>
    artifact.kind === "adapter-call" ? captureArtifactSync("adapter-call", older, { hashOnly: true }) : artifact,
  );
  const after = writtenBaseline({ ...parsed.value, calls: [older], artifacts });
  stage.staged.set(update.path, { ...update, after });
  stage.settle("none");
  expect(await stage.message(() => expect(step).toMatchBaseline(recorded))).toBe("it passed");
  expect(await stage.message(() => expect(step).toMatchBaseline({ ...live, mode: "live" }))).toBe("it passed");
  expect(stage.checks.at(-1)?.verdict).not.toHaveProperty("asksOtherwise");
  reply = (_request, response) => response.writeHead(200, { "x-next-page": "2" }).end('{"a":1}');
  expect(await stage.message(() => expect(step).toMatchBaseline({ ...live, mode: "live" }))).toMatch(
    /cause: response \(fetch (?:GET|POST) http:\S+ responded differently\)/,
  );
});

const HEADERS = "Add them to matchHeaders if the response depends on them";

test.each<[string, Record<string, string>, Record<string, string>, readonly string[]]>([
  ["another value", { "x-tenant": "north" }, { "x-tenant": "south" }, [`request headers differ: x-tenant. ${HEADERS}`]],
  ["a new one", {}, { "x-tenant": "south" }, [`request headers differ: x-tenant. ${HEADERS}`]],
  [
    "two",
    { "accept-language": "de", "x-tenant": "north" },
    { "x-plan": "pro", "accept-language": "de" },
    [`request headers differ: x-plan, x-tenant. ${HEADERS}`],
  ],
  ["another trace", { traceparent: "a", "x-tenant": "n" }, { traceparent: "b", "x-tenant": "n" }, []],
  ["another key", { authorization: "Bearer a1b2c3d4e5f6" }, { authorization: "Bearer f6e5d4c3b2a1" }, []],
])("a replay names a request with %s if its headers differ", async (_what, before, now, remarks) => {
  await expect(stepOf(() => textOf("/a", { headers: before }))).toMatchBaseline(live);
  stage.settle("none");
  await expect(stepOf(() => textOf("/a", { headers: now }))).toMatchBaseline(recorded);
  expect(stage.notes).toStrictEqual([remarks]);
});

test("a replay doesn't advise matchHeaders for a header that a rebase changed", async () => {
  const options = { matchHeaders: ["x-tenant"] };
  const tenant = (value: string): AnyStep => stepOf(() => textOf("/a", { headers: { "x-tenant": value } }));
  await expect(tenant("north")).toMatchBaseline({ ...live, ...options });
  stage.settle("none");
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ harmless: ["fetch[0].headers.x-tenant"] }));
  stage.mode = "all";
  expect(await stage.message(() => expect(tenant("south")).toMatchBaseline({ ...recorded, ...options }))).toBe(
    "it passed",
  );
  stage.settle("none");
  vi.unstubAllEnvs();
  stage.mode = "none";
  await expect(tenant("south")).toMatchBaseline({ ...recorded, ...options });
  expect(stage.notes.at(-1)).toStrictEqual([]);
});

test.each([
  [
    "Anthropic",
    (content: string) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content }] }),
  ],
  ["OpenAI's chat", (content: string) => ({ role: "tool", tool_call_id: "t1", content })],
  ["OpenAI's responses", (output: string) => ({ type: "function_call_output", call_id: "t1", output })],
])("names tools of a loop by %s that aren't recorded as the cause of a failed replay", async (_name, resultOf) => {
  let refunds = 0;
  const loop = stepOf(async () => {
    await post(JSON.stringify({ messages: ["Refund order 7."] }));
    refunds += 1;
    return post(JSON.stringify({ messages: ["Refund order 7.", resultOf(`refunds: ${refunds}`)] }));
  });
  const message = await stage.message(() => expect(loop).toMatchBaseline(live));
  expect(message).toMatch(
    /"refunds: 1" → "refunds: \d"\. Its tools aren't recorded, so they ran again\. Wrap them with rec/,
  );

  stage.begin();
  const same = stepOf(async () => {
    await post(JSON.stringify({ messages: ["Refund order 7."] }));
    return post(JSON.stringify({ messages: ["Refund order 7.", resultOf("refunded")] }));
  });
  await expect(same).toMatchBaseline(live);
  expect(stage.notes.flat()).toEqual([
    "its tools aren't recorded, so each test runs them. Wrap them with recordTools(tools)",
  ]);

  stage.begin();
  const clocked = stepOf(async () => post(JSON.stringify({ messages: [String(refunds++)] })));
  expect(await stage.message(() => expect(clocked).toMatchBaseline(live))).toMatch(
    /Read the value that varies \(time, random/,
  );
});

/** Returns the step with a result for the errors that it throws. */
function catching(step: AnyStep, said: string): AnyStep {
  return {
    ...step,
    run: async (input, ctx) => {
      try {
        return await step.run(input, ctx);
      } catch {
        return { output: { said } };
      }
    },
  };
}

describe("a model at an address from a variable", () => {
  /** A step that asks a client which is an adapter. */
  const asking = (ask: (client: OpenAI) => Promise<unknown>): AnyStep =>
    defineStep({
      name: "ask",
      input: z.object({}),
      output: z.object({ said: z.unknown() }),
      run: async (_input, ctx: StepContext<{ openai: OpenAI }>) => ({
        output: { said: await ask(ctx.adapters.openai) },
      }),
    });
  const chat = (baseURL: string, content: string, apiKey: string | null = "test"): AnyStep =>
    stepOf(async () => {
      const client = new OpenAI({ apiKey, baseURL, maxRetries: 5 });
      const { choices } = await client.chat.completions.create({ model: "m", messages: [{ role: "user", content }] });
      return choices[0]?.message.content;
    });
  beforeEach(() => {
    reply = (_request, response) =>
      response
        .setHeader("content-type", "application/json")
        .end('{"choices":[{"index":0,"message":{"role":"assistant","content":"Good."},"finish_reason":"stop"}]}');
  });

  test("another address is a change of the environment, which can be ignored", async () => {
    await expect(chat(`${url}/v1`, "How is it?")).toMatchBaseline(live);
    stage.settle("none");
    const message = await stage.message(() =>
      expect(chat("https://api.openai.com/v1", "How is it?")).toMatchBaseline(recorded),
    );
    expect(message.replaceAll(url, "URL")).toBe(`ask: 1 of 1 baseline failed (recorded calls)

  ROOT/ask/the-test-HASH.json  request_changed
    cause: environment (fetch request[0].origin: "URL" → "https://api.openai.com")
    adapter "fetch" was called with a request that wasn't recorded (1 recorded for it)
    request[0].origin: "URL" → "https://api.openai.com"

Only the host of the request differs. Check variables such as OPENAI_BASE_URL. \
If the host can vary, ignore it in veritest.config: recording: { ignore: ["fetch[0].origin"] }.
Is the new request intended? Pass the current adapters ({ adapters: {} }) to the matcher and record its response:

  npx vitest run src/matchers/fetch-requests.test.ts -t "^the test$" -u`);
  });

  test.each<[string, RequestInit]>([
    ["GET", {}],
    ["POST", { method: "POST", headers: { "content-type": "application/json" }, body: '{"query":"harbours"}' }],
  ])("a search (%s) whose response is added to a prompt is a change of the code", async (method, init) => {
    const ask = chat(`${url}/v1`, "How is it?");
    await expect(ask).toMatchBaseline(live);
    stage.settle("none");
    const searching: AnyStep = {
      ...ask,
      run: async (input, ctx) => {
        const found = await textOf("/search", init);
        return chat(`${url}/v1`, `How is it?${found}`).run(input, ctx);
      },
    };
    const message = await stage.message(() => expect(searching).toMatchBaseline(recorded));
    const body = init.body === undefined ? "" : `"body":{"query":"harbours"},`;
    expect(message.replaceAll(url, "URL")).toBe(`ask: 1 of 1 baseline failed (recorded calls)

  ROOT/ask/the-test-HASH.json  request_changed
    cause: code (with the same responses, it sends different requests: 1 more call to fetch ${method} URL/search)
    adapter "fetch" was called with a request that wasn't recorded (1 recorded for it)
    + fetch({${body}"method":"${method}","origin":"URL","path":"/search"})

Is the new request intended? Pass the current adapters ({ adapters: {} }) to the matcher and record its response:

  npx vitest run src/matchers/fetch-requests.test.ts -t "^the test$" -u`);
  });

  test("a changed prompt has the cause prompt if the address is ignored", async () => {
    const ignore = ["fetch[0].origin"];
    await expect(chat(`${url}/v1`, "How is it?")).toMatchBaseline({ ...live, ignore });
    stage.settle("none");
    await expect(chat("https://api.openai.com/v1", "How is it?")).toMatchBaseline({ ...recorded, ignore });
    const message = await stage.message(() =>
      expect(chat("https://api.openai.com/v1", "How are you?")).toMatchBaseline({ ...recorded, ignore }),
    );
    expect(message).toBe(`ask: 1 of 1 baseline failed (recorded calls)

  ROOT/ask/the-test-HASH.json  request_changed
    cause: prompt
    adapter "fetch" was called with a request that wasn't recorded (1 recorded for it)
    request[0].body.messages[0].content: "How is it?" → "How are you?"

Is the new request intended? Pass the current adapters ({ adapters: {} }) to the matcher and record its response:

  npx vitest run src/matchers/fetch-requests.test.ts -t "^the test$" -u`);
  });

  test("a live run without a key names the variable and the replay, not the code", async () => {
    await expect(chat(`${url}/v1`, "How is it?")).toMatchBaseline(live);
    stage.settle("none");
    vi.stubEnv("OPENAI_API_KEY", "");
    const keyless = chat(`${url}/v1`, "How is it?", null);
    const message = await stage.message(() => expect(keyless).toMatchBaseline({ ...live, mode: "live" }));
    expect(message).toBe(`ask: 1 of 1 baseline failed (live adapters)

  ROOT/ask/the-test-HASH.json  failed
    key_missing: A client doesn't have an API key: Missing credentials. Please pass an \`apiKey\`, \`workloadIdentity\`, \`adminAPIKey\`, or set the \`OPENAI_API_KEY\` or \`OPENAI_ADMIN_KEY\` environment variable.
    Set the provider's key (OPENAI_API_KEY), or replay the recorded responses: VERITEST_MODE=replay`);
    expect(await stage.message(() => expect(keyless).toMatchBaseline(recorded))).toContain(
      "environment variable.\n    Set the provider's key (OPENAI_API_KEY). A replay doesn't send it, so any text will do.",
    );
    for (const variable of ["VERITEST_MODE", "VERITEST_PROJECT_MODE"]) {
      vi.stubEnv(variable, "live");
      expect(await stage.message(() => expect(keyless).toRecomputeClean())).toContain(
        "environment variable.\n    Set the provider's key (OPENAI_API_KEY), or replay the recorded responses: VERITEST_MODE=replay",
      );
      vi.stubEnv(variable, undefined);
    }
    stage.mode = "new";
    expect(await stage.message(() => expect(keyless).toMatchBaseline({ ...live, name: "new" }))).toContain(
      "environment variable.\n    Set the provider's key (OPENAI_API_KEY), and run the test again.",
    );
    vi.unstubAllEnvs();
  });

  test("doesn't send a request with the placeholder key, and names the variable", async () => {
    const message = await stage.message(() =>
      expect(chat(REMOTE, "How is it?", PLACEHOLDER_KEY)).toMatchBaseline(live),
    );
    expect(message).toBe(`ask: 1 of 1 baseline missing (live adapters)

  ROOT/ask/the-test-HASH.json  missing
    there is no such baseline

To capture it, set the provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, MISTRAL_API_KEY, CO_API_KEY), and run the test again.`);
    expect(hits).toBe(0);
  });

  test("names an input that changed, if the new case needs a key", async () => {
    const asks = (apiKey: string): AnyStep =>
      defineStep({
        name: "ask",
        input: z.object({ text: z.string(), locale: z.string().optional() }),
        output: z.object({ said: z.unknown() }),
        run: async ({ text }) => {
          const client = new OpenAI({
            apiKey,
            baseURL: apiKey === PLACEHOLDER_KEY ? REMOTE : `${url}/v1`,
            maxRetries: 5,
          });
          const said = await client.chat.completions.create({
            model: "m",
            messages: [{ role: "user", content: text }],
          });
          return { output: { said: said.choices[0]?.message.content } };
        },
      });
    const [text, adapters] = ["How is it?", {}];
    await expect(asks("test")).toMatchBaseline({ input: { text }, adapters });
    stage.settle("new");
    const message = await stage.message(() =>
      expect(asks(PLACEHOLDER_KEY)).toMatchBaseline({ input: { text, locale: "de" }, adapters }),
    );
    expect(message.replaceAll(/-[0-9a-f]{8}\.json/g, "-HASH.json")).toBe(`ask: 1 of 1 baseline changed (live adapters)

  ROOT/ask/the-test-HASH.json  input_changed
    input changed (+ locale)
    the result is unknown, because no responses are recorded for it
    compared with the most similar baseline that no test in this file has used so far: the-test-HASH.json

Is the new input intended? To capture its result as pending, set the provider's key (OPENAI_API_KEY, \
ANTHROPIC_API_KEY, GEMINI_API_KEY, MISTRAL_API_KEY, CO_API_KEY), and run the test again. Then accept it with: npx veritest review`);
  });

  test("doesn't capture a step that catches the error of a missing key", async () => {
    const step = catching(chat(REMOTE, "How is it?", PLACEHOLDER_KEY), "Nobody answers.");
    const message = await stage.message(() => expect(step).toMatchBaseline(live));
    expect(message).toContain("there is no such baseline\n\nTo capture it, set the provider's key");
  });

  test("doesn't send the placeholder key of a client that is passed as an adapter", async () => {
    const step = asking(async (client) => client.models.list());
    const openai = new OpenAI({ apiKey: PLACEHOLDER_KEY, baseURL: REMOTE });
    for (const each of [step, catching(step, "Nobody answers.")]) {
      const message = await stage.message(() => expect(each).toMatchBaseline({ input: {}, adapters: { openai } }));
      expect(message).toContain("there is no such baseline\n\nTo capture it, set the provider's key");
    }
    expect(hits).toBe(0);
  });

  test("doesn't capture the result of an adapter that handles the error of a missing key", async () => {
    const client = new OpenAI({ apiKey: PLACEHOLDER_KEY, baseURL: REMOTE, maxRetries: 0 });
    const answer = async (): Promise<string> => client.models.list().then(String, () => "");
    const step = defineStep({
      name: "ask",
      input: z.object({}),
      output: z.object({ said: z.string() }),
      run: async (_input, { adapters }: StepContext<{ llm: { answer: typeof answer } }>) => ({
        output: { said: await adapters.llm.answer() },
      }),
    });
    const options = { input: {}, adapters: { llm: { answer } } };
    const message = await stage.message(() => expect(step).toMatchBaseline(options));
    expect(message).toContain("there is no such baseline\n\nTo capture it, set the provider's key");
    await expect(step).toMatchBaseline({ ...options, adapters: { llm: { answer: async () => "Fine." } } });
    stage.settle("none");
    stage.mode = "all";
    expect(await stage.message(() => expect(step).toMatchBaseline({ ...options, mode: "live" }))).toContain(
      "key_missing: This request wasn't sent",
    );
    expect(stage.changes).toStrictEqual([]);
  });

  describe("a step that handles an outage", () => {
    const handling = (content: string): AnyStep => catching(chat(`${url}/v1`, content), "");
    const fail = (status: number): void => {
      reply = (_request, response) => response.writeHead(status, { "x-should-retry": "false" }).end("{}");
    };

    test.each([401, 503])("doesn't replace its recorded response by its result (%s)", async (status) => {
      await expect(handling("How is it?")).toMatchBaseline(live);
      stage.settle("none");
      fail(status);
      stage.mode = "all";
      const message = await stage.message(() =>
        expect(handling("How are you?")).toMatchBaseline({ ...live, mode: "live" }),
      );
      expect(message).toBe(`ask: 1 of 1 baseline failed (live adapters)

  ROOT/ask/the-test-HASH.json  failed
    model_failed: 1 request to a model failed (${status}), and the step handled the error. Its result isn't stored, \
because the recording has a response. Run the test again when the model responds, or with recorded responses: \
VERITEST_MODE=replay`);
      expect(stage.changes).toStrictEqual([]);
    });

    test("is captured with a remark, and its baseline can be replaced by one with an outage", async () => {
      fail(503);
      await expect(handling("How is it?")).toMatchBaseline(live);
      expect(stage.notes.at(-1)).toStrictEqual([
        "1 request to a model failed (503), and the step handled the error. A new baseline has this result",
      ]);
      stage.settle("all");
      await expect(handling("How are you?")).toMatchBaseline({ ...live, mode: "live" });
      expect(stage.stagedText()).toContain("How are you?");
    });
  });

  test("a recorded client needs no key for a server on this machine", async () => {
    await expect(chat(`${url}/v1`, "How is it?", PLACEHOLDER_KEY)).toMatchBaseline(live);
    expect(hits).toBe(1);
  });

  test("a client that is an adapter needs no key for a server on this machine", async () => {
    const step = asking(async (client) => {
      const said = await client.chat.completions.create({ model: "m", messages: [] });
      return said.choices[0]?.message.content;
    });
    const openai = new OpenAI({ apiKey: PLACEHOLDER_KEY, baseURL: `${url}/v1` });
    await expect(step).toMatchBaseline({ input: {}, adapters: { openai } });
    expect(hits).toBe(1);
  });

  test("a live run of a stored case without a key fails without a cause", async () => {
    await expect(chat(`${url}/v1`, "How is it?")).toMatchBaseline(live);
    stage.settle("none");
    const message = await stage.message(() =>
      expect(chat(REMOTE, "How is it?", PLACEHOLDER_KEY)).toMatchBaseline({ ...live, mode: "live" }),
    );
    expect(message).toBe(`ask: 1 of 1 baseline failed (live adapters)

  ROOT/ask/the-test-HASH.json  failed
    key_missing: This request wasn't sent, because its API key is only veritest's placeholder for replays. \
To record it, set the provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, MISTRAL_API_KEY, CO_API_KEY).`);
  });
});
