import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import { type CorpusSecret, secretCorpus } from "../../test-support/secret-corpus.ts";
import { PLACEMENTS, type Placement } from "../../test-support/secret-placements.ts";
import { createRedactor } from "./create-redactor.ts";
import { findSecrets } from "./find-secrets.ts";

const { redact, redactChunks, redactText } = createRedactor();
const CORPUS = secretCorpus(Number(process.env["VERITEST_SEED"] ?? 1));

/** Every secret is cut in each placement under `npm run test:faults`, else in every fourth: seconds, not a minute. */
const EVERY = process.env["VERITEST_FAULTS"] === "full" ? 1 : 4;

/** Into so many pieces; 0 is one for each character. */
const CUTS = [2, 3, 5, 12, 0];

/** So many characters of a secret in a row tell something of it. */
const TOLD = 6;

/** The longest part of a secret that can still be read; parts that the rest of the text has, too, tell nothing. */
function leftOf(secret: string, shown: string, around: string): number {
  const plain = shown.replace(/«redacted:[a-z0-9-]+#\d+»/g, "«»").replaceAll("\u200b", "");
  let longest = 0;
  for (let start = 0; start + TOLD <= secret.length; start += 1) {
    let length = TOLD;
    if (around.includes(secret.slice(start, start + length))) continue;
    while (start + length <= secret.length && plain.includes(secret.slice(start, start + length))) length += 1;
    longest = Math.max(longest, length - 1);
  }
  return longest < TOLD ? 0 : longest;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return `${value.message}\n${value.stack}`;
  return value instanceof Uint8Array ? Buffer.from(value).toString() : JSON.stringify(value);
}

const BYTES = z.object({ v: z.object({ base64: z.string() }) });
const EVENT = z.object({ delta: z.object({ text: z.string() }) });

/** What a stream of pieces says when it is redacted as a whole, as it was carried. */
function streamed(pieces: readonly string[], carrier: Placement["carrier"]): string {
  if (carrier === "bytes") {
    const base64 = pieces.map((piece) => Buffer.from(piece).toString("base64"));
    const chunks = base64.map((text) => ({ $t: "bytes", v: { kind: "Uint8Array", base64: text } }));
    const parts = redactChunks(chunks).value.map((chunk) => Buffer.from(BYTES.parse(chunk).v.base64, "base64"));
    return Buffer.concat(parts).toString();
  }
  const events = pieces.map((text) => ({ type: "delta", index: 0, delta: { text } }));
  const said = (event: unknown): string => EVENT.parse(event).delta.text;
  if (carrier === "deltas") return redactChunks(events).value.map(said).join("");
  const lines = events.map((event) => `${carrier === "events" ? "data: " : ""}${JSON.stringify(event)}\n\n`);
  const redacted = redactText(lines.join("")).split("\n");
  return redacted.flatMap((line) => (line === "" ? [] : [said(JSON.parse(line.replace("data: ", "")))])).join("");
}

function cut(text: string, secret: string, count: number): readonly string[] {
  if (count === 0) return Array.from(text);
  const at = text.indexOf(secret);
  const size = Math.ceil(secret.length / count);
  const pieces = Array.from({ length: Math.ceil(secret.length / size) }, (_unused, index) =>
    secret.slice(index * size, (index + 1) * size),
  );
  return [text.slice(0, at), ...pieces, text.slice(at + secret.length)];
}

/** How much of a secret is left in a placement, whole and cut. */
function probe(planted: CorpusSecret, placement: Placement, isCut: boolean): readonly number[] {
  const { text, secret } = placement.text(planted);
  const around = `${text.replace(secret, "\u0000")} ${planted.name ?? ""}`.replaceAll("\u200b", "");
  const left = (shown: string): number =>
    Math.max(leftOf(planted.secret, shown, around), leftOf(secret, shown, around));
  const isWhole = placement.carrier === "deltas" || placement.carrier === "bytes";
  const whole = left(isWhole ? textOf(redact(placement.value(planted)).value) : streamed([text], placement.carrier));
  if (whole > 0 || !isCut) return [whole];
  return [whole, ...CUTS.map((count) => left(streamed(cut(text, secret, count), placement.carrier)))];
}

test("the corpus has at least 250 kinds of secrets and 20 placements", () => {
  expect(new Set(CORPUS.map(({ id }) => id)).size).toBe(CORPUS.length);
  expect(CORPUS.length).toBeGreaterThanOrEqual(250);
  expect(PLACEMENTS.length).toBeGreaterThanOrEqual(20);
  expect(CORPUS.filter(({ secret, line }) => secret.length < 10 || !line.includes(secret))).toStrictEqual([]);
});

describe.each(PLACEMENTS.map((placement, index) => ({ ...placement, index })))("in $name", (placement) => {
  test("redacts 97 % of all kinds, and leaves no piece of those, however a stream splits them", {
    tags: "deep",
  }, () => {
    const missed: string[] = [];
    const tails: string[] = [];
    for (const [number, planted] of CORPUS.entries()) {
      const [whole, ...pieces] = probe(planted, placement, (number + placement.index) % EVERY === 0);
      if (whole !== 0) missed.push(planted.id);
      if (pieces.some((left) => left > 0)) tails.push(`${planted.id}: ${pieces.join(" ")}`);
    }
    expect(tails).toStrictEqual([]);
    expect(missed.length / CORPUS.length, missed.join(" ")).toBeLessThanOrEqual(0.03);
  });
});

/** The texts of the packages that the project installs for itself, without their own tests. */
function* packageTexts(directory: string): Generator<readonly [path: string, text: string]> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && !/^(?:node_modules|tests?|__tests__|\..*)$/.test(entry.name)) yield* packageTexts(path);
    if (!entry.isFile() || !/\.(?:md|json|[cm]?[jt]s)$/.test(entry.name) || statSync(path).size > 400_000) continue;
    yield [path, readFileSync(path, "utf8")];
  }
}

/** The installed packages, by name, without the linter, which shows the secrets that it is to find. */
function packages(): readonly string[] {
  const names = readdirSync("node_modules").filter((name) => !name.startsWith(".") && name !== "@secretlint");
  return names
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join("node_modules", name)).map((one) => join(name, one)) : [name],
    )
    .toSorted();
}

test("finds at most 5 false secrets in 24 MB of package texts", { tags: "deep" }, () => {
  const found: string[] = [];
  let size = 0;
  for (const name of packages()) {
    let own = 0;
    for (const [path, text] of packageTexts(join("node_modules", name))) {
      // Many packages, not all of a few.
      if (size > 24_000_000 || own > 400_000) break;
      own += text.length;
      size += text.length;
      for (const { kind, index } of findSecrets(text)) found.push(`${kind} ${path} ${text.slice(index - 30, index)}`);
    }
  }
  expect(size).toBeGreaterThan(20_000_000);
  expect(found.length, found.join("\n")).toBeLessThanOrEqual(5);
});

test.each([
  [{ errors: { password: "Password is required", token: "Invalid token" } }],
  [{ licenseKey: "MIT", appKey: "orders" }],
  ["Send `Authorization: Bearer <key>` or Authorization: Bearer ${token}, as in Bearer myToken"],
  [{ password: "${password}", apiKey: "{{ secrets.apiKey }}", authorization: "<token>" }],
  ["credential: X509Credential; progressToken: ProgressTokenSchema$1.optional(); token: zod_v4.string()"],
  ['{"orderId": 4111111111111111, "invoice": "5555555555554444"}'],
  ["const getCookie = (c, key, prefix) => c.req.header(key)"],
  ["postgres://user:pass@host/db and http://user:password@example.com"],
  [["password", "token", "secret"]],
  [{ authorization: "Bearer ", appKey: "base64:" }],
  ["APP_KEY=base64: and APP_KEY=base\u001b[31m64:"],
  ["docker run -p 8080:80 app --token-limit 100 -u 1000"],
])("keeps values that only resemble a secret: %j", (value) => {
  expect(redact(value)).toStrictEqual({ value, secrets: [] });
});
