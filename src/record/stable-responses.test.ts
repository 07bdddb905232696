import { expect, test } from "vitest";
import type { AdapterCall } from "./adapter-call.ts";
import { comparableOutcomes } from "./stable-responses.ts";
import { stableCalls } from "./stable-calls.ts";

const request = (path: string): unknown => [{ method: "GET", origin: "http://a.test", path }];
const call = (response: object, { path = "/a", occurrence = 0 } = {}): AdapterCall => ({
  adapter: "fetch",
  occurrence,
  returns: "promise",
  request: request(path),
  response: { status: 200, type: "basic", headers: {}, ...response },
});
const headersOf = (calls: readonly AdapterCall[]): unknown => Reflect.get(Object(calls[0]?.response), "headers");
const nothing = (): string => "";

test("removes headers that differ between responses, and keeps others", () => {
  const steady = {
    "content-type": "text/plain",
    etag: '"1"',
    "x-next-page": "2",
    "retry-after": "1",
    "x-goog-upload-url": "/u",
  };
  const varying = {
    date: "Thu, 01 Jan 2026 00:00:00 GMT",
    "cf-ray": "8f-FRA",
    "content-length": "12",
    "openai-processing-ms": "31",
    "server-timing": "a;dur=1",
    "x-ratelimit-remaining-tokens": "39",
    "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:00Z",
    "x-amzn-requestid": "b7",
    "x-github-request-id": "C1:2",
    traceparent: "00-1-2-01",
  };
  expect(headersOf(stableCalls([call({ headers: { ...steady, ...varying } })], nothing))).toStrictEqual(steady);
});

test("keeps a varying header whose value the result has as a word", () => {
  const calls = [call({ headers: { "x-ratelimit-remaining": "41", "content-length": "12", age: "7" } })];
  expect(headersOf(stableCalls(calls, () => '{"left":"41","size":1200,"name":"a-7"}'))).toStrictEqual({
    "x-ratelimit-remaining": "41",
  });
});

test("removes an empty header that varies", () => {
  expect(headersOf(stableCalls([call({ headers: { via: "" } })], () => "approved"))).toStrictEqual({});
});

test("replaces a request id by a placeholder of its kind, unless the result has it", () => {
  const calls = [call({ headers: { "x-request-id": "req_0b54f7" } })];
  expect(headersOf(stableCalls(calls, nothing))).toStrictEqual({ "x-request-id": "req_000001" });
  expect(headersOf(stableCalls(calls, () => '{"id":"req_0b54f7"}'))).toStrictEqual({ "x-request-id": "req_0b54f7" });
  expect(headersOf(stableCalls([call({ headers: { "request-id": "17" } })], nothing))).toStrictEqual({});
});

test("removes single cookies of proxies", () => {
  const cookies = ["__cf_bm=x.1; Path=/", "theme=dark"];
  expect(headersOf(stableCalls([call({ headers: { "set-cookie": cookies } })], nothing))).toStrictEqual({
    "set-cookie": "theme=dark",
  });
});

test("replaces ids in JSON that is kept as text too", () => {
  const text = (id: string, created: number): AdapterCall =>
    call({
      body: { text: `{ "id": "chatcmpl-${id}", "object": "chat.completion", "created": ${created}, "choices": [] }` },
    });
  const [one, other] = [text("a1b2c3", 1_795_269_729), text("d4e5f6", 1_795_300_000)].map((made) =>
    stableCalls([made], nothing),
  );
  expect(one).toStrictEqual(other);
  expect(JSON.stringify(one)).toContain("chatcmpl-000001");
});

test("removes packets", () => {
  const [stable] = stableCalls([call({ body: { chunks: ["data: 1\n\n"], packets: [3, 6] } })], nothing);
  expect(Reflect.get(Object(stable?.response), "body")).toStrictEqual({ chunks: ["data: 1\n\n"] });
});

test.each([429, 503, 529])("removes an attempt that ended in %i and was retried with success", (status) => {
  const failed = call({ status });
  const answered = call({}, { occurrence: 1 });
  expect(stableCalls([failed, answered], nothing)).toStrictEqual([{ ...answered, occurrence: 0 }]);
});

const isSame = (recorded: AdapterCall, now: AdapterCall): boolean => {
  const [one, other] = comparableOutcomes(recorded, now);
  return JSON.stringify(one) === JSON.stringify(other);
};

test("a recording without the type of its responses has fewer headers, without a change", () => {
  const older: AdapterCall = {
    ...call({}),
    response: {
      status: 200,
      headers: { "content-type": "text/event-stream" },
      body: { chunks: ["data: 1\n", "\ndata: 2\n\n"] },
    },
  };
  const headers = { "content-type": "text/event-stream", etag: "1" };
  const chunks = ["data: 1\n\n", "data: 2\n\n"];
  expect(isSame(older, call({ headers, body: { chunks, packets: [1] } }))).toBe(true);
  expect(isSame(older, call({ headers, body: { chunks: [...chunks, "data: 3\n\n"] } }))).toBe(false);
  expect(isSame(older, call({ headers: { ...headers, location: "/b" }, body: { chunks } }))).toBe(false);
});

test("compares responses by their JSON in any layout, and by the remaining headers", () => {
  const text = call({ body: { text: '{ "a" : 1 }' } });
  expect(isSame(text, call({ body: { json: { a: 1 }, layout: { indent: " " } } }))).toBe(true);
  expect(isSame(text, call({ body: { json: { a: 2 } } }))).toBe(false);
  expect(isSame(call({ headers: { date: "a" } }), call({ headers: { date: "b" } }))).toBe(true);
  expect(isSame(call({}), call({ headers: { "x-next-page": "2" } }))).toBe(false);
});

const failed = (error: unknown, adapter = "llm.ask"): AdapterCall => ({
  adapter,
  occurrence: 0,
  returns: "promise",
  request: [],
  error,
});
const sdkError = (data: object, cause?: object): object => ({
  $t: "error",
  v: { class: "Error", name: "Error", message: "429", ...(cause && { cause: sdkError(cause) }), data },
});
const headers = (fields: object): object => ({ $t: "headers", v: Object.entries(fields) });

test("removes varying headers of errors of any adapter, also in a cause and as plain data", () => {
  const [steady, varying] = [{ "retry-after": "7" }, { date: "today", "x-ratelimit-remaining": "41", "cf-ray": "8f" }];
  const all = { ...steady, ...varying };
  const received = failed(
    sdkError({ status: 429, headers: headers(all) }, { response: { headers: { ...all, Date: "now" } } }),
  );
  expect(stableCalls([received], nothing)).toStrictEqual([
    failed(sdkError({ status: 429, headers: headers(steady) }, { response: { headers: steady } })),
  ]);
  const isRead = stableCalls([received], () => '{"left":"41"}');
  expect(isRead).toStrictEqual([
    failed(
      sdkError(
        { status: 429, headers: headers({ ...steady, "x-ratelimit-remaining": "41" }) },
        { response: { headers: { ...steady, "x-ratelimit-remaining": "41" } } },
      ),
    ),
  ]);
});

test("replaces the request id of an error in its field and its headers", () => {
  const received = failed(sdkError({ requestID: "req_0b54f7", headers: headers({ "x-request-id": "req_0b54f7" }) }));
  expect(stableCalls([received], nothing)).toStrictEqual([
    failed(sdkError({ requestID: "req_000001", headers: headers({ "x-request-id": "req_000001" }) })),
  ]);
  expect(stableCalls([failed(sdkError({ headers: headers({ "request-id": "req_0b54f7" }) }))], nothing)).toStrictEqual([
    failed(sdkError({ headers: headers({ "request-id": "req_000001" }) })),
  ]);
});

test("compares errors without varying headers, and with the recordings of earlier versions without any", () => {
  const compared = (before: object, now: object): readonly unknown[] =>
    comparableOutcomes(failed(sdkError({ headers: before })), failed(sdkError({ headers: now }))).map(
      ({ error }) => error,
    );
  const [was, is] = compared(
    headers({ "retry-after": "7", date: "a", "x-request-id": "a" }),
    headers({ "retry-after": "7", date: "b", "x-request-id": "b" }),
  );
  expect(was).toStrictEqual(is);
  const [seven, eight] = compared(headers({ "retry-after": "7" }), headers({ "retry-after": "8" }));
  expect(seven).not.toStrictEqual(eight);
  const [older, now] = compared({ $t: "omitted", v: "Headers" }, headers({ "retry-after": "8" }));
  expect(older).toStrictEqual(now);
});

const promised = (response: object): AdapterCall => ({
  adapter: "llm.create(0123abcd#0).withResponse",
  occurrence: 0,
  returns: "promise",
  request: [],
  response,
});

test("removes varying headers of withResponse(), unless the result has their value", () => {
  const headers = { "content-type": "application/json", date: "today", "x-ratelimit-remaining-tokens": "39" };
  const calls = [promised({ status: 200, request_id: null, headers })];
  expect(headersOf(stableCalls(calls, nothing))).toStrictEqual({ "content-type": "application/json" });
  expect(headersOf(stableCalls(calls, () => '{"left":"39"}'))).toStrictEqual({
    "content-type": "application/json",
    "x-ratelimit-remaining-tokens": "39",
  });
});

test("withResponse() is compared without request ids, and without headers that only one recording has", () => {
  const older = promised({ status: 200, request_id: "req_1" });
  const now = promised({ status: 200, request_id: "req_2", headers: { "content-type": "application/json" } });
  const [before, after] = comparableOutcomes(older, now);
  expect(before).toStrictEqual(after);
  const [one, other] = comparableOutcomes(now, promised({ status: 200, headers: { "content-type": "text/plain" } }));
  expect(one).not.toStrictEqual(other);
});

test("compares errors of lost connections without the sockets that earlier versions recorded", () => {
  const socket = (localPort: number): object => ({
    localAddress: "127.0.0.1",
    localPort,
    remotePort: 443,
    bytesRead: 0,
  });
  const lost = (data: object): AdapterCall => failed(sdkError({}, { code: "UND_ERR_SOCKET", ...data }), "fetch");
  const expected = sdkError({}, { code: "UND_ERR_SOCKET" });
  const outcomes = comparableOutcomes(lost({ socket: socket(48_180) }), lost({}));
  expect(outcomes.map(({ error }) => error)).toStrictEqual([expected, expected]);
  const ports = comparableOutcomes(lost({ localPort: 1, localAddress: "::1" }), lost({ socket: "A1" }));
  expect(ports.map(({ error }) => error)).toStrictEqual([
    expected,
    sdkError({}, { code: "UND_ERR_SOCKET", socket: "A1" }),
  ]);
});
