import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../redact/create-redactor.ts";
import { recordingRules } from "../recording-rules.ts";
import { decode } from "../encode/decode.ts";
import { encode } from "../encode/encode.ts";
import { changedFrame, readFrame, repairedFrame, splitFrames } from "./event-frames.ts";
import { recordedResponse, responseFrom } from "./http-response.ts";
import { WatchedBody } from "./watched-body.ts";

const PARTS = ["sk-proj-Ab3dE5fG7h", "I9jK1lM3nO5pQ7rS9t", "U1vW3xY5zA7bC9dE1fG3h"];
const FRAMES = "application/vnd.amazon.eventstream";

function header(name: string, value: string): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), size, Buffer.from(value)]);
}

function frame(payload: string | Buffer, texts: Readonly<Record<string, string>> = { ":event-type": "chunk" }): Buffer {
  // A time and a flag are headers without text.
  const others = Buffer.from([2, 0x61, 0x74, 8, 0, 0, 1, 2, 3, 4, 5, 6, 2, 0x6f, 0x6e, 0]);
  const headers = Buffer.concat([...Object.entries(texts).map(([name, value]) => header(name, value)), others]);
  const content = Buffer.from(payload);
  const bytes = Buffer.alloc(16 + headers.length + content.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(headers.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  headers.copy(bytes, 12);
  content.copy(bytes, 12 + headers.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

/** Reads a stream as a client does, and checks its lengths and checksums. */
function contentOf(bytes: Buffer): readonly string[] {
  const contents: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const one = bytes.subarray(at, at + bytes.readUInt32BE(at));
    expect(one.readUInt32BE(8)).toBe(crc32(one.subarray(0, 8)));
    expect(one.readUInt32BE(one.length - 4)).toBe(crc32(one.subarray(0, -4)));
    contents.push(one.toString("utf8", 12 + one.readUInt32BE(4), one.length - 4));
    at += one.length;
  }
  return contents;
}

/** Records a response that arrives in packets, and returns its body of a replay. */
async function replayed(
  packets: readonly (string | Buffer)[],
  type: string,
): Promise<{ readonly chunks: unknown; readonly body: Buffer; readonly stored: string }> {
  const response = new Response(
    new ReadableStream({
      start(controller) {
        for (const packet of packets) controller.enqueue(Buffer.from(packet));
        controller.close();
      },
    }),
    { headers: { "content-type": type } },
  );
  if (response.body === null) throw new TypeError("the response has no body");
  const watched = new WatchedBody(response.body);
  await watched.responseLike(response).arrayBuffer();
  const rules = recordingRules({ redact: createRedactor() });
  const recorded = rules.response(
    "fetch",
    encode(await recordedResponse(response, watched, { href: "https://a.test/", rules })),
  );
  const stored = JSON.stringify(recorded);
  const body = Buffer.from(await responseFrom(decode(JSON.parse(stored)), "https://a.test/").arrayBuffer());
  const { body: { chunks } = {} }: { body?: { chunks?: unknown } } = Object(decode(recorded));
  return { chunks, body, stored };
}

const converse = (text: string): string => JSON.stringify({ contentBlockIndex: 0, delta: { text }, p: "abc" });
const invoke = (text: string): string => {
  const event = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
  return JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString("base64"), p: "abcd" });
};

describe("a secret in the frames of Bedrock", () => {
  test.each([
    ["a delta", [converse(`a ${PARTS.join("")} b`)], [converse("a «redacted:openai-key#1» b")]],
    ["deltas that split it", PARTS.map(converse), ["«redacted:openai-key#1»", "", ""].map(converse)],
    ["an event in base64", [invoke(PARTS.join(""))], [invoke("«redacted:openai-key#1»")]],
    ["events in base64 that split it", PARTS.map(invoke), ["«redacted:openai-key#1»", "", ""].map(invoke)],
    ["a text", [`no JSON: ${PARTS.join("")}`], ["no JSON: «redacted:openai-key#1»"]],
  ])("is redacted, and the frames stay valid: %s", async (_where, payloads, redacted) => {
    const bytes = Buffer.concat(payloads.map((payload) => frame(payload)));
    // Packets end anywhere.
    const { body } = await replayed([bytes.subarray(0, 30), bytes.subarray(30)], FRAMES);
    expect(contentOf(body)).toStrictEqual(redacted);
  });

  test("is redacted in the text of a header, and other headers stay", async () => {
    const headers = { ":message-type": "error", ":error-message": `key ${PARTS.join("")} is wrong` };
    const { body } = await replayed([frame("{}", headers)], FRAMES);
    const expected = { ...headers, ":error-message": "key «redacted:openai-key#1» is wrong" };
    expect(readFrame(body)).toStrictEqual({ headers: expected, payload: {} });
    expect(body).toStrictEqual(frame("{}", expected));
  });

  test("is not in what is left of a frame that was cut off", async () => {
    const cut = frame(converse(PARTS[1] ?? "")).subarray(0, -5);
    const { body, chunks } = await replayed([frame(converse(PARTS[0] ?? "")), cut], FRAMES);
    expect([body.includes(PARTS[1] ?? ""), chunks]).toStrictEqual([
      false,
      [frame(converse(PARTS[0] ?? "")), cut.subarray(0, 12)],
    ]);
  });
});

test("frames without a secret are the same bytes, one for each chunk", async () => {
  const frames = [
    frame(converse("a")),
    frame(Buffer.from([255, 0, 1])),
    frame(""),
    frame('{"n": 12345678901234567890}'),
  ];
  const bytes = Buffer.concat(frames);
  const { body, chunks } = await replayed([bytes.subarray(0, 5), bytes.subarray(5, 90), bytes.subarray(90)], FRAMES);
  expect(body).toStrictEqual(bytes);
  expect(chunks).toStrictEqual(frames);
});

test("other bytes with this type stay as they arrived", async () => {
  const { body } = await replayed([Buffer.from([1, 2]), Buffer.alloc(40, 255)], FRAMES);
  expect(body).toStrictEqual(Buffer.concat([Buffer.from([1, 2]), Buffer.alloc(40, 255)]));
});

test("a frame of an earlier recording, redacted without its length and checksums, is valid in a replay", async () => {
  const valid = frame(converse(PARTS.join("")));
  const broken = Buffer.from(valid.toString("latin1").replace(PARTS.join(""), "Â«redacted:openai-key#1Â»"), "latin1");
  expect(repairedFrame(broken)).toStrictEqual(frame(converse("«redacted:openai-key#1»")));
  const headers = { "content-type": FRAMES };
  const body = { chunks: [broken, valid] };
  const bytes = await responseFrom({ status: 200, headers, body }, "https://a.test/").arrayBuffer();
  expect(contentOf(Buffer.from(bytes))).toHaveLength(2);
});

test.each([
  ["no frame", Buffer.alloc(8)],
  ["headers beyond the frame", Buffer.from("000000100000ffff0000000000000000", "hex")],
  ["a length without content", Buffer.alloc(64)],
])("%s can't be split", (_name, bytes) => {
  expect(splitFrames(bytes)).toBeUndefined();
});

test("malformed headers keep their bytes", () => {
  const malformed = frame("{}");
  malformed[12] = 250;
  const parts = readFrame(malformed);
  expect(parts?.payload).toStrictEqual({});
  expect(changedFrame(malformed, { headers: {}, payload: {} }).subarray(12, -4)).toStrictEqual(
    malformed.subarray(12, -4),
  );
});

describe("a secret that is split between the events of a stream", () => {
  const chat = (content: string): object => ({ choices: [{ index: 0, delta: { content } }] });
  const gemini = (text: string): object => ({ candidates: [{ content: { parts: [{ text }] } }] });
  const long = (text: string, end = "\n"): string =>
    `data: {"choices":[{"index":0,${end}data: "delta":{"content":${JSON.stringify(text)}}}]}${end}${end}`;
  test.each([
    [
      "a JSON list in lines",
      "application/json",
      [`[${PARTS.map((text) => JSON.stringify(gemini(text))).join(",\r\n")}]`],
    ],
    ["a JSON list in one line", "application/json", [JSON.stringify(PARTS.map(gemini))]],
    ["a JSON list with a space after each comma", "application/json", [JSON.stringify(PARTS.map(chat))]],
    ["a sequence of JSON texts", "application/json-seq", PARTS.map((text) => `\x1e${JSON.stringify(chat(text))}\n`)],
    ["events in several lines", "text/event-stream", PARTS.map((text) => long(text))],
    ["events in several lines that end in CRLF", "text/event-stream", PARTS.map((text) => long(text, "\r\n"))],
    [
      "events in one and in several lines",
      "text/event-stream",
      [long(PARTS[0] ?? ""), `data: ${JSON.stringify(chat(PARTS[1] ?? ""))}\n\n`, long(PARTS[2] ?? "")],
    ],
  ])("is redacted: %s", async (_name, type, packets) => {
    const { body, stored } = await replayed(packets, type);
    for (const part of PARTS) expect(stored).not.toContain(part);
    expect(body.toString().match(/«redacted:openai-key#1»/g)).toHaveLength(1);
    const texts = body
      .toString()
      .replaceAll(/^(?:data: ?|\x1e)/gm, "")
      .match(/"(?:content|text)":"[^"]*"/g);
    expect(texts).toHaveLength(3);
  });

  test("lists of data, whose items are no events, are redacted item by item", async () => {
    const items = PARTS.map((text) => ({ id: text }));
    const { body } = await replayed([JSON.stringify(items.slice(1))], "application/json");
    expect(JSON.parse(body.toString())).toStrictEqual(items.slice(1));
  });
});
