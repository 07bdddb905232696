import { expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { RevealedSecrets } from "./revealed-secrets.ts";

/** Put together at run time, so that no scanner takes this file for a leak. */
const KEY = ["sk-ant-", "api03-", "aB3dE5fG7h".repeat(5)].join("");
const PASSWORD = ["Xk7p", "Q2mZt", "9Lw4"].join("");

function piecesOf(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_unused, at) => text.slice(at * size, (at + 1) * size));
}

/** Every run of 6 characters of a secret that a text still has. */
function leftOf(secret: string, text: string): readonly string[] {
  return piecesOf(secret, 1).flatMap((_one, at) => {
    const part = secret.slice(at, at + 6);
    return part.length === 6 && text.includes(part) ? [part] : [];
  });
}

const logprob = (token: string): object => ({
  token,
  logprob: -0.1,
  bytes: [...Buffer.from(token)],
  top_logprobs: [{ token, logprob: -0.1, bytes: [...Buffer.from(token)] }],
});

/** The text that tokens and their bytes spell. */
function spelled(value: unknown): string {
  const texts: string[] = [];
  JSON.stringify(value, (key, item: unknown) => {
    if (key === "token") texts.push(String(item));
    if (key === "bytes" && Array.isArray(item)) texts.push(Buffer.from(item.map(Number)).toString());
    return item;
  });
  return texts.join("");
}

test.each([1, 3, 4, 9])("redacts a key in tokens of %i characters and their bytes, streamed or not", (size) => {
  const content = piecesOf(`Use ${KEY} here`, size).map(logprob);
  const whole = createRedactor().redact({ choices: [{ index: 0, logprobs: { content } }] }).value;
  const chunks = content.map((one) => ({ choices: [{ index: 0, logprobs: { content: [one] } }] }));
  const streamed = createRedactor().redactChunks(chunks).value;
  const inPairs = createRedactor().redactChunks([
    { choices: [{ index: 0, logprobs: { content: content.slice(0, 5) } }] },
    { choices: [{ index: 0, logprobs: { content: content.slice(5) } }] },
  ]).value;
  for (const value of [whole, streamed, inPairs]) {
    expect(leftOf(KEY, spelled(value))).toStrictEqual([]);
    expect(spelled(value)).toContain("«redacted:anthropic-key#");
  }
  const tokens = { logprobs: { tokens: piecesOf(KEY, size), token_logprobs: [0] } };
  expect(leftOf(KEY, JSON.stringify(createRedactor().redact(tokens).value).replaceAll('","', ""))).toStrictEqual([]);
});

test("keeps tokens without a secret, with their bytes and alternatives", () => {
  const value = { logprobs: { content: piecesOf("The token is spent", 4).map(logprob) } };
  expect(createRedactor().redact(value).value).toBe(value);
});

const STREAMS: readonly (readonly [string, (pieces: readonly string[]) => string, (line: string) => string])[] = [
  ["AI SDK 4", (all) => all.map((one) => `0:${JSON.stringify(one)}\n`).join(""), (line) => JSON.parse(line.slice(2))],
  [
    "AI SDK 4, reasoning",
    (all) => `f:{"messageId":"m"}\n${all.map((one) => `g:${JSON.stringify(one)}\n`).join("")}`,
    (line) => (line.startsWith("g:") ? JSON.parse(line.slice(2)) : ""),
  ],
  ["plain data lines", (all) => all.map((one) => `data: ${one}\n\n`).join(""), (line) => line.slice(6)],
  ["data lines of one event", (all) => `${all.map((one) => `data: ${one}`).join("\n")}\n\n`, (line) => line.slice(6)],
  [
    "events in bytes",
    (all) =>
      all
        .map((one) => `{"bytes":"${Buffer.from(JSON.stringify({ type: "d", delta: one })).toString("base64")}"}\n`)
        .join(""),
    (line) => JSON.parse(Buffer.from(JSON.parse(line).bytes, "base64").toString()).delta,
  ],
];

test.each(STREAMS)("redacts a key split in a text of %s", (_name, write, read) => {
  for (const size of [5, 8, 20, 200])
    for (const secret of [KEY, `password=${PASSWORD}`]) {
      const text = write([..."I use it:".split(" "), ...piecesOf(secret, size), " so"]);
      const shown = createRedactor().redactText(text);
      const joined = shown.split("\n").flatMap((line) => (line === "" ? [] : [read(line)]));
      expect(leftOf(secret.replace("password=", ""), joined.join(""))).toStrictEqual([]);
      expect(joined.join("")).toContain("«redacted:");
      expect(createRedactor().redactText(shown)).toBe(shown);
    }
});

test("reads a JSON text on several data lines as one", () => {
  const text = `data: {\ndata: "password":\ndata: "${PASSWORD}"\ndata: }\n\n`;
  expect(createRedactor().redactText(text)).toMatch(
    /^data: \{\ndata: "password":\ndata: "«redacted:password#1»"\ndata: \}\n\n$/,
  );
});

test.each([" ", "  ", "\t"])("writes JSON after %j on several data lines once", (space) => {
  const line = (secret: string): string => `data:${space}{"password":"${secret}"}\n`;
  expect(createRedactor().redactText(line(PASSWORD) + line(`${PASSWORD}x`))).toBe(
    line("«redacted:password#1»") + line("«redacted:password#2»"),
  );
});

test.each([Symbol("token"), Object.create(null), 3n])("keeps tokens that aren't texts, as %s", (token) => {
  expect(createRedactor().redact({ tokens: [token] }).value).toEqual({ tokens: [token] });
});

test("redacts events in the bytes of a chunk together, and returns bytes", () => {
  const chunk = (event: unknown): unknown => ({
    chunk: { bytes: Buffer.from(JSON.stringify(event)).toString("base64") },
  });
  const events = piecesOf(`Use ${KEY}!`, 7).map((text) => ({ type: "content_block_delta", index: 0, delta: { text } }));
  const shown = createRedactor().redactChunks(events.map(chunk)).value;
  const said = shown.map((one) => Buffer.from(Object(one).chunk.bytes, "base64").toString());
  expect(said.map((event) => JSON.parse(event).delta.text).join("")).toMatch(/^Use «redacted:anthropic-key#1»!$/);
  const whole = createRedactor().redact({
    body: { bytes: Buffer.from(JSON.stringify({ key: KEY })).toString("base64") },
  });
  expect(whole.secrets).toHaveLength(1);
  const plain = ["a", "b"].map((text) => chunk({ text }));
  expect(createRedactor().redactChunks(plain).value).toStrictEqual(plain);
});

test("redacts two streams of a recording whose events repeat a key, joined too long for an expression", () => {
  const key = `sk-${"aB3dE5fG7h".repeat(13)}`;
  const chunks = Array.from({ length: 300 }, (_unused, at) => ({ v: key, text: `word ${at}` }));
  const secrets = new RevealedSecrets();
  const { redactChunks } = createRedactor({}, () => secrets);
  for (const { value } of [redactChunks(chunks), redactChunks(chunks)]) {
    expect(leftOf(key, JSON.stringify(value))).toStrictEqual([]);
    expect(value).toHaveLength(300);
  }
});
