import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { openLibrary } from "../baseline/baseline-library.ts";
import { PLANTED_SECRETS } from "../../test-support/planted-secrets.ts";
import { configureRedaction } from "../redact/current-redactor.ts";
import { captureArtifactSync } from "../record/snapshot.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import { emit } from "../kernel/step/command.ts";
import { checkValue } from "./check-value.ts";
import { replayProblem } from "./update/verify-update.ts";
import type { Check } from "./check.ts";
import { checkInputCase, replayStoredCase, checkStoredCase } from "../../test-support/check-stored-case.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";

afterEach(() => configureRedaction({}));

/** Carries whatever text it is given everywhere a baseline has room for one. */
const carrier = defineStep({
  name: "carrier",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string(), nested: z.object({ json: z.string() }), answer: z.string() }),
  run: async ({ text }, ctx) => {
    const answer = await ask(ctx.adapters, text);
    ctx.onArtifact?.(captureArtifactSync("note", { text }));
    return {
      output: { text, nested: { json: JSON.stringify({ inner: text }) }, answer },
      events: [{ type: "carried", payload: { text } }],
      commands: [emit("carried", { text })],
    };
  },
});

async function ask(adapters: object, text: string): Promise<string> {
  const llm: unknown = Reflect.get(adapters, "llm");
  const complete: unknown = Reflect.get(Object(llm), "complete");
  return typeof complete === "function"
    ? String(await Reflect.apply(complete, llm, [{ prompt: text, headers: { authorization: `Bearer ${text}` } }]))
    : "";
}

const adapters = { llm: { complete: async ({ prompt }: { readonly prompt: string }) => `You said: ${prompt}` } };

function makeRoot(): string {
  return join(temporaryProject("secrets"), "__baselines__");
}

const question = (
  root: string,
  text: string,
  live = true,
): Parameters<typeof checkInputCase>[1] & { readonly root: string } => ({
  input: { text },
  root,
  label: "case",
  mayCapture: true,
  ...(live ? { adapters } : {}),
});

function keep(check: Check): string {
  const update = check.update?.propose();
  if (update?.after === undefined) throw new Error("nothing was proposed");
  mkdirSync(dirname(update.path), { recursive: true });
  writeFileSync(update.path, update.after);
  return update.after;
}

test("a captured baseline contains no secret of any kind at any position, replays, and recomputes clean", {
  tags: "deep",
}, async () => {
  expect(PLANTED_SECRETS.length).toBeGreaterThanOrEqual(40);
  for (const { kind: name, text: planted, secret } of PLANTED_SECRETS) {
    const root = makeRoot();
    const text = `see ${planted}\nand no more`;
    const captured = await checkInputCase(carrier, question(root, text), openLibrary(root));
    const file = keep(captured);
    expect([name, file.includes(secret), file.includes(JSON.stringify(secret).slice(1, -1))]).toStrictEqual([
      name,
      false,
      false,
    ]);
    expect([name, await replayProblem(carrier, file)]).toStrictEqual([name, undefined]);
    const [stored] = openLibrary(root).all("carrier");
    if (stored === undefined) throw new Error("nothing is stored");
    expect([
      name,
      (await checkStoredCase(carrier, stored, { root })).verdict.kind,
      (await replayStoredCase(carrier, stored)).verdict.kind,
    ]).toStrictEqual([name, "clean", "clean"]);
  }
});

test("a case with a secret in its input is the same case on every machine, and clean there", async () => {
  const root = makeRoot();
  const text = `see ${PLANTED_SECRETS[0]?.text}`;
  const file = keep(await checkInputCase(carrier, question(root, text), openLibrary(root)));
  // Another machine, which knows the secret by a variable.
  configureRedaction({ values: [{ name: "OTHER_KEY", value: PLANTED_SECRETS[0]?.secret ?? "" }] });
  const again = await checkInputCase(carrier, question(root, text), openLibrary(root));
  expect([again.verdict.kind, again.update]).toStrictEqual(["clean", undefined]);
  const offline = await checkInputCase(carrier, question(root, text, false), openLibrary(root));
  expect(offline.verdict.kind).toBe("clean");
  expect(readFileSync(again.path, "utf8")).toBe(file);
});

test("a change beside a secret is reported, the secret is not", async () => {
  const root = makeRoot();
  const named = { test: "a.test.ts", details: { name: "value" }, keyBy: {} };
  const [first, second] = PLANTED_SECRETS;
  keep(checkValue({ key: first?.text, note: "old" }, named, openLibrary(root)));
  expect(checkValue({ key: first?.text, note: "old" }, named, openLibrary(root)).verdict.kind).toBe("clean");
  const changed = checkValue({ key: first?.text, note: "new" }, named, openLibrary(root)).verdict;
  expect(
    "changes" in changed && changed.changes.flatMap(({ diff }) => diff.entries.map(({ path }) => path.join("."))),
  ).toStrictEqual(["note"]);
  expect(JSON.stringify(changed)).not.toContain(first?.secret);
  expect(
    JSON.stringify(checkValue({ key: second?.text, note: "old" }, named, openLibrary(root)).verdict),
  ).not.toContain(second?.secret);
});

/** Writes secrets of its own into output and commands, beside something that drifts. */
const vault = defineStep({
  name: "vault",
  input: z.object({ apiKey: z.string() }),
  output: z.object({ password: z.string(), n: z.number() }),
  run: async ({ apiKey }, ctx) => {
    const n = Number(await ask(ctx.adapters, apiKey));
    return {
      output: { password: "correct horse 12", n },
      commands: [emit("opened", { password: "correct horse 12" })],
    };
  },
});

const counting = (n: number, seen: string[] = []) => ({
  llm: {
    complete: async ({ prompt }: { readonly prompt: string }) => {
      seen.push(prompt);
      return String(n);
    },
  },
});

test("secrets a step writes itself are no change, and a drift beside them is reported alone, with its cause", async () => {
  const root = makeRoot();
  const input = { apiKey: PLANTED_SECRETS[0]?.secret };
  const asked = (adapters: object): Parameters<typeof checkInputCase>[1] => ({
    input,
    adapters,
    label: "case",
    mayCapture: true,
  });
  const file = keep(await checkInputCase(vault, asked(counting(1)), openLibrary(root)));
  expect(file).not.toContain("correct horse");
  const same = await checkInputCase(vault, asked(counting(1)), openLibrary(root));
  expect(same.verdict.kind).toBe("clean");
  const { verdict } = await checkInputCase(vault, asked(counting(2)), openLibrary(root));
  expect(
    "changes" in verdict &&
      verdict.changes.map(({ part, diff }) => [part, diff.entries.map(({ path }) => path.join("."))]),
  ).toStrictEqual([["output", ["n"]]]);
  expect("cause" in verdict && verdict.cause?.kind).toBe("model");
  expect(JSON.stringify(verdict)).not.toContain("correct horse");
});

test("runs a stored case on the given input: the model gets the secret, the file doesn't", async () => {
  const root = makeRoot();
  const secret = PLANTED_SECRETS[0]?.secret ?? "";
  const seen: string[] = [];
  const asked: Parameters<typeof checkInputCase>[1] = {
    input: { apiKey: secret },
    adapters: counting(1, seen),
    label: "case",
    mayCapture: true,
  };
  keep(await checkInputCase(vault, asked, openLibrary(root)));
  await checkInputCase(vault, asked, openLibrary(root));
  expect(seen).toStrictEqual([secret, secret]);
});

test("refuses a rule that redacts a complete output, and redacts a number that is a card", async () => {
  const root = makeRoot();
  configureRedaction({ paths: ["output"] });
  const hidden = checkInputCase(
    vault,
    { input: { apiKey: "x" }, adapters: counting(1), label: "case", mayCapture: true },
    openLibrary(root),
  );
  await expect(hidden).rejects.toThrow(
    new TypeError(
      "redact.paths or redact.hashOnly hides all of output, so veritest can't compare it. List only the fields to hide instead",
    ),
  );
  configureRedaction({});
  const card = Number(["4111", "1111", "1111", "1111"].join(""));
  expect(
    keep(checkValue(card, { test: "a.test.ts", details: { name: "card" }, keyBy: {} }, openLibrary(root))),
  ).not.toContain(String(card));
});

test("a run that writes changes hides a secret of a new rule in a clean baseline, without a live call", async () => {
  const root = makeRoot();
  const named = { ...question(root, "member KD-204417"), details: { name: "member" } };
  const replayed = {
    ...question(root, "member KD-204417", false),
    details: { name: "member" },
    mode: "replay",
  } as const;
  const before = keep(await checkInputCase(carrier, named, openLibrary(root)));
  configureRedaction({ patterns: ["KD-\\d{6}"] });
  expect(await checkInputCase(carrier, replayed, openLibrary(root))).toMatchObject({
    verdict: { kind: "clean" },
    update: undefined,
  });
  const writing = { ...replayed, hidesStoredSecrets: true };
  const check = await checkInputCase(carrier, writing, openLibrary(root));
  expect(check.verdict).toMatchObject({ kind: "clean" });
  const after = keep(check);
  expect(after.split("\n").filter((line) => line.includes("KD-204417"))).toStrictEqual([]);
  expect(before).toContain("KD-204417");
  expect(await checkInputCase(carrier, writing, openLibrary(root))).toMatchObject({
    verdict: { kind: "clean" },
    update: undefined,
  });
});

test("the same for a value", () => {
  const root = makeRoot();
  const value = { who: "KD-204417" };
  const request = { test: "a.test.ts", details: { name: "member" }, keyBy: {} };
  keep(checkValue(value, request, openLibrary(root)));
  configureRedaction({ patterns: ["KD-\\d{6}"] });
  expect(checkValue(value, request, openLibrary(root))).toMatchObject({
    verdict: { kind: "clean" },
    update: undefined,
  });
  const writing = { ...request, hidesStoredSecrets: true };
  expect(keep(checkValue(value, writing, openLibrary(root)))).not.toContain("KD-204417");
  expect(checkValue(value, writing, openLibrary(root))).toMatchObject({
    verdict: { kind: "clean" },
    update: undefined,
  });
});
