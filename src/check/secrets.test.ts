import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { openLibrary } from "../baseline/library.ts";
import { PLANTED_SECRETS } from "../redact/planted-secrets.ts";
import { configureRedaction } from "../redact/current-redactor.ts";
import { captureArtifactSync } from "../record/capture-artifact.ts";
import { defineStep } from "../step/define-step.ts";
import { emit } from "../step/command.ts";
import { checkInput } from "./check-input.ts";
import { checkRecompute } from "./check-recompute.ts";
import { checkReplay } from "./check-replay.ts";
import { checkValue } from "./check-value.ts";
import { replayProblem } from "./replay-problem.ts";
import type { Check } from "./check.ts";

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
  return typeof complete === "function" ? String(await Reflect.apply(complete, llm, [{ prompt: text, headers: { authorization: `Bearer ${text}` } }])) : "";
}

const adapters = { llm: { complete: async ({ prompt }: { readonly prompt: string }) => `You said: ${prompt}` } };

function makeRoot(): string {
  return join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-secrets-"))), "__baselines__");
}

const question = (root: string, text: string, live = true): Parameters<typeof checkInput>[1] & { readonly root: string } => ({
  input: { text },
  root,
  label: "case",
  mayCapture: true,
  ...(live ? { adapters } : {}),
});

function keep(check: Check): string {
  const proposal = check.propose?.();
  if (proposal?.after === undefined) throw new Error("nothing was proposed");
  mkdirSync(dirname(proposal.path), { recursive: true });
  writeFileSync(proposal.path, proposal.after);
  return proposal.after;
}

test("no secret of any kind is in a captured baseline, wherever it stood, and the baseline replays and recomputes clean", async () => {
  expect(PLANTED_SECRETS.length).toBeGreaterThanOrEqual(40);
  for (const { kind: name, text: planted, secret } of PLANTED_SECRETS) {
    const root = makeRoot();
    const text = `see ${planted}\nand no more`;
    const captured = await checkInput(carrier, question(root, text), openLibrary(root, new Map()));
    const file = keep(captured);
    expect([name, file.includes(secret), file.includes(JSON.stringify(secret).slice(1, -1))]).toStrictEqual([name, false, false]);
    expect([name, await replayProblem(carrier, file)]).toStrictEqual([name, undefined]);
    const [stored] = openLibrary(root, new Map()).all("carrier");
    if (stored === undefined) throw new Error("nothing is stored");
    expect([name, (await checkRecompute(carrier, stored, { root })).verdict.kind, (await checkReplay(carrier, stored)).verdict.kind]).toStrictEqual([name, "clean", "clean"]);
  }
});

test("a case with a secret in its input is the same case on a machine with another salt, and clean there", async () => {
  const root = makeRoot();
  const text = `see ${PLANTED_SECRETS[0]?.text}`;
  configureRedaction({ salt: "one machine" });
  const file = keep(await checkInput(carrier, question(root, text), openLibrary(root, new Map())));
  configureRedaction({ salt: "another machine" });
  const again = await checkInput(carrier, question(root, text), openLibrary(root, new Map()));
  expect([again.verdict.kind, again.propose]).toStrictEqual(["clean", undefined]);
  const offline = await checkInput(carrier, question(root, text, false), openLibrary(root, new Map()));
  expect(offline.verdict.kind).toBe("clean");
  expect(readFileSync(again.path, "utf8")).toBe(file);
});

test("a change beside a secret is told, the secret is not", async () => {
  const root = makeRoot();
  const named = { test: "a.test.ts", details: { name: "value" }, keyBy: {} };
  const [first, second] = PLANTED_SECRETS;
  keep(checkValue({ key: first?.text, note: "old" }, named, openLibrary(root, new Map())));
  expect(checkValue({ key: first?.text, note: "old" }, named, openLibrary(root, new Map())).verdict.kind).toBe("clean");
  const changed = checkValue({ key: first?.text, note: "new" }, named, openLibrary(root, new Map())).verdict;
  expect("changes" in changed && changed.changes.flatMap(({ diff }) => diff.entries.map(({ path }) => path.join(".")))).toStrictEqual(["note"]);
  expect(JSON.stringify(changed)).not.toContain(first?.secret);
  expect(JSON.stringify(checkValue({ key: second?.text, note: "old" }, named, openLibrary(root, new Map())).verdict)).not.toContain(second?.secret);
});
