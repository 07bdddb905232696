import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { unwrap } from "../kernel/result.ts";
import { type BaselineLibrary, openLibrary } from "../baseline/baseline-library.ts";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import { serializeBaseline } from "../baseline/serialize-baseline.ts";
import { withReplay } from "../record/with-replay.ts";
import { captureArtifactSync, inputHashOf } from "../record/snapshot.ts";
import { configureRedaction } from "../redact/current-redactor.ts";
import { emit } from "../kernel/step/command.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { checkInputCase, replayStoredCase, checkStoredCase } from "../../test-support/check-stored-case.ts";
import type { Check } from "./check.ts";
import { checkStepResult } from "./check-step-result.ts";
import { replayProblem } from "./update/verify-update.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";

afterEach(() => configureRedaction({}));

const PLACES = [
  "input",
  "request",
  "answer",
  "error",
  "chunks",
  "event",
  "command",
  "artifact",
  "output",
  "labels",
  "meta",
] as const;
type Place = (typeof PLACES)[number];

/** A secret, the place whose name tells it, and the others where it stands without one. */
interface Plan {
  readonly secret: string;
  readonly namer: Place;
  readonly holders: readonly Place[];
  readonly named: boolean;
  readonly form: "text" | "url" | "base64" | "whole";
}

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".split("");
const secret = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 3, maxLength: 10 }),
    fc.constantFrom("7", "42", "0q9"),
    fc.string({ unit: fc.constantFrom(...LETTERS, "0", "3", "8"), minLength: 6, maxLength: 14 }),
  )
  .map(([start, middle, end]) => `Q${start}${middle}x${end}`);

const plans: fc.Arbitrary<Plan> = fc.record({
  secret,
  namer: fc.constantFrom(...PLACES.filter((place) => place !== "labels")),
  holders: fc.subarray([...PLACES], { minLength: 1 }),
  named: fc.boolean(),
  form: fc.constantFrom("text", "url", "base64", "whole"),
});

function written({ secret: text, form }: Plan): string {
  switch (form) {
    case "text":
      return `it is ${text}, so try`;
    case "url":
      return `https://example.com/${text}/x?a=1`;
    case "base64":
      return Buffer.from(`ada ${text} lovelace`).toString("base64");
    case "whole":
      return text;
  }
}

/** What stands at a place. */
function content(plan: Plan, place: Place): unknown {
  if (place === plan.namer) return { password: plan.secret };
  return plan.holders.includes(place) ? { note: written(plan) } : { note: "nothing" };
}

/** Says at each place what the plan has there, wherever it has it from. */
function stepOf(plan: Plan): AnyStep {
  return defineStep({
    name: "carrier",
    input: z.object({ given: z.unknown() }),
    output: z.object({ kept: z.unknown(), said: z.unknown(), heard: z.array(z.unknown()) }),
    run: async (_input, ctx) => {
      const ask = (name: string, request: unknown): unknown => Reflect.get(ctx.adapters, name)(request);
      const said = await ask("ask", content(plan, "request"));
      try {
        await ask("fail", "please");
      } catch {
        // It is recorded.
      }
      const heard: unknown[] = [];
      for await (const chunk of z.custom<AsyncIterable<unknown>>().parse(ask("stream", 1))) heard.push(chunk);
      ctx.onArtifact?.(captureArtifactSync("note", content(plan, "artifact")));
      return {
        output: { kept: content(plan, "output"), said, heard },
        events: [{ type: "seen", payload: content(plan, "event") }],
        commands: [emit("send", content(plan, "command"))],
      };
    },
  });
}

function adaptersOf(plan: Plan): object {
  const chunks = content(plan, "chunks");
  const text = plan.holders.includes("chunks") && plan.namer !== "chunks" ? written(plan) : "nothing here";
  return {
    ask: async () => content(plan, "answer"),
    fail: async () => {
      throw Object.assign(new Error("refused"), { details: content(plan, "error") });
    },
    stream: async function* () {
      for (const piece of [text.slice(0, 9), text.slice(9, 15), text.slice(15)]) yield { text: piece };
      if (plan.namer === "chunks") yield chunks;
    },
  };
}

function detailsOf(plan: Plan): { name?: string; labels: string[]; meta: Record<string, string> } {
  const { password } = z.object({ password: z.string().optional() }).parse(content(plan, "meta"));
  return {
    ...(plan.named && { name: "a case" }),
    labels: plan.holders.includes("labels") ? [written(plan)] : ["plain"],
    meta: password === undefined ? { note: plan.holders.includes("meta") ? written(plan) : "none" } : { password },
  };
}

function makeLibrary(): BaselineLibrary {
  return openLibrary(join(temporaryProject("everywhere"), "__baselines__"));
}

function keep(check: Check): string {
  const update = check.update?.propose();
  if (update?.after === undefined) throw new Error(`nothing was proposed: ${JSON.stringify(check.verdict)}`);
  mkdirSync(dirname(update.path), { recursive: true });
  writeFileSync(update.path, update.after);
  return update.after;
}

/** The pieces of a secret, of six characters, that a text has. */
function piecesIn(text: string, whole: string): readonly string[] {
  const pieces = Array.from({ length: whole.length - 5 }, (_unused, at) => whole.slice(at, at + 6));
  return pieces.filter((piece) => text.includes(piece));
}

test("a secret named anywhere in a recording isn't in its file, and the case is clean in each check", {
  tags: "deep",
}, async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      configureRedaction({});
      const library = makeLibrary();
      const step = stepOf(plan);
      const adapters = adaptersOf(plan);
      const question = {
        input: { given: content(plan, "input") },
        label: `title ${plan.holders.includes("input") ? written(plan) : ""}`,
        mayCapture: true,
        details: detailsOf(plan),
      };
      const captured = await checkInputCase(step, { ...question, adapters }, library);
      const file = keep(captured);
      expect([piecesIn(file, plan.secret), piecesIn(captured.path, plan.secret.toLowerCase())]).toStrictEqual([[], []]);
      expect(await replayProblem(step, file)).toBe(undefined);
      for (const values of [[], [{ name: "OTHER_KEY", value: plan.secret }]]) {
        configureRedaction({ values });
        const [stored] = library.all("carrier");
        if (stored === undefined) throw new Error("nothing is stored");
        const checks = [
          await checkInputCase(step, { ...question, adapters }, library),
          await checkInputCase(step, { ...question, adapters, mode: "replay" }, library),
          await checkStoredCase(step, stored, { root: library.root, mode: "replay" }),
          await replayStoredCase(step, stored),
        ];
        expect(checks.map(({ verdict }) => verdict.kind)).toStrictEqual(checks.map(() => "clean"));
        expect(checks.map(({ verdict }) => verdict.kind === "clean" && verdict.hasOtherRequests)).toStrictEqual(
          checks.map(() => undefined),
        );
        expect(checks.map(({ path }) => path)).toStrictEqual(checks.map(() => stored.path));
      }
    }),
    { numRuns: process.env["VERITEST_FAULTS"] === "full" ? 2000 : 150 },
  );
});

const SECRET = ["Xk7", "pQ2m", "Zt9"].join("");

/** Says in its output what its input says, and what is the password in it. */
const finder = defineStep({
  name: "finder",
  input: z.object({ text: z.string(), password: z.string().optional() }),
  output: z.object({ password: z.string(), n: z.number() }),
  run: async ({ text }, ctx) => {
    const n = Number(await Reflect.get(ctx.adapters, "count")(`count ${text}`));
    return { output: { password: /\b[A-Z]\S{9}\b/.exec(text)?.[0] ?? text.split(" ").at(-1) ?? "", n } };
  },
});

const counting = (n = 3): object => ({ count: async () => n });
const asked = (text: string, more: object = {}) => ({
  input: { text },
  label: "case",
  mayCapture: true,
  adapters: counting(),
  ...more,
});

test("finds a secret that the output names by its input, which the file doesn't have", async () => {
  const library = makeLibrary();
  const captured = await checkInputCase(finder, asked(`log in with ${SECRET}`), library);
  expect(keep(captured)).not.toContain(SECRET);
  const again = await checkInputCase(finder, asked(`log in with ${SECRET}`), library);
  expect([again.verdict.kind, again.path]).toStrictEqual(["clean", captured.path]);
  expect((await checkInputCase(finder, asked(`sign in with ${SECRET}`), library)).verdict.kind).toBe("missing");
  // Another secret alone makes no other case.
  expect((await checkInputCase(finder, asked(`log in with ${SECRET.replace("Z", "Y")}`), library)).verdict.kind).toBe(
    "clean",
  );
  const changed = await checkInputCase(finder, asked(`log in with ${SECRET}`, { adapters: counting(4) }), library);
  expect(changed.verdict.kind).toBe("value_changed");
  expect(keep(changed)).not.toContain(SECRET);
});

test("redacts a common word only under its name", async () => {
  const library = makeLibrary();
  const file = keep(await checkInputCase(finder, asked("count admin"), library));
  expect(file).toContain("count admin");
  expect(JSON.parse(file)).toMatchObject({ output: { password: expect.stringMatching(/^«redacted:password#/) } });
});

/** A file as it was written before: what the output names stands in the input and in the request. */
async function before(library: BaselineLibrary, details: object): Promise<void> {
  const question = asked(`log in with ${SECRET}`, { details });
  const check = await checkInputCase(finder, question, library);
  const after = check.update?.propose().after ?? "";
  const file = z
    .looseObject({ artifacts: z.array(z.looseObject({ kind: z.string() })), calls: z.array(z.looseObject({})) })
    .parse(JSON.parse(after));
  const whole = { text: `log in with ${SECRET}` };
  const calls = file.calls.map((call) => ({ ...call, request: [`count ${whole.text}`] }));
  const old = {
    ...file,
    input: whole,
    inputHash: inputHashOf(whole),
    calls,
    artifacts: [
      ...file.artifacts.filter(({ kind }) => kind !== "adapter-call"),
      ...calls.map((call) => captureArtifactSync("adapter-call", call, { hashOnly: true })),
    ],
  };
  const { name } = z.object({ name: z.string().optional() }).parse(details);
  const identity = name === undefined ? { inputHash: inputHashOf(whole) } : { name };
  const { path } = library.find("finder", identity, name ?? "case");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, serializeBaseline(unwrap(parseBaseline(JSON.stringify(old), path))));
}

test.each([{}, { name: "a case" }])("a file with fewer redactions, made earlier, is clean: %o", async (details) => {
  const library = makeLibrary();
  await before(library, details);
  const [stored] = library.all("finder");
  if (stored === undefined) throw new Error("nothing is stored");
  expect(stored.text).toContain(SECRET);
  const question = asked(`log in with ${SECRET}`, { details });
  const checks = [
    await checkInputCase(finder, question, library),
    await checkInputCase(finder, { ...question, mode: "replay" }, library),
    await checkStoredCase(finder, stored, { root: library.root, mode: "replay" }),
  ];
  expect(
    checks.map(({ verdict }) => [verdict.kind, verdict.kind === "clean" ? verdict.hasOtherRequests : undefined]),
  ).toStrictEqual(checks.map(() => ["clean", undefined]));
  const changed = await checkInputCase(finder, { ...question, adapters: counting(4) }, library);
  expect(changed.verdict.kind).toBe("value_changed");
  if ("name" in details) expect(keep(changed)).not.toContain(SECRET);
  else
    expect(changed.update?.propose).toThrow(
      `${stored.file} stores a secret in its input. Redacting it would change the input's hash, which identifies the ` +
        "case. Delete the file, and capture the case again.",
    );
});

test("redacts a secret that only a call of a recorded result names in all files of the result", async () => {
  const vault = defineStep({
    name: "vault",
    input: z.object({ user: z.string() }),
    output: z.object({ said: z.string() }),
    run: async ({ user }, ctx) => {
      const { password } = await Reflect.get(ctx.adapters, "open")(user);
      return { output: { said: `use ${password} now` } };
    },
  });
  const library = makeLibrary();
  const ask = async (): Promise<Check> => {
    const { result } = await withReplay(
      vault,
      { user: "ada" },
      {
        adapters: { open: async () => ({ password: SECRET }) },
      },
    );
    return checkStepResult(unwrap(result), { details: {}, label: "case" }, library);
  };
  expect(keep(await ask())).not.toContain(SECRET);
  expect((await ask()).verdict.kind).toBe("clean");
});

/** Sends the password of its input to a service, or something else in its place. */
function sender(instead?: string): AnyStep {
  return defineStep({
    name: "sender",
    input: z.object({ password: z.string() }),
    output: z.object({ said: z.string() }),
    run: async ({ password }, ctx) => ({
      output: { said: await Reflect.get(ctx.adapters, "ask")({ text: `log in with ${instead ?? password} now` }) },
    }),
  });
}

test("another text instead of a secret of the input is a change if the input is given", async () => {
  const library = makeLibrary();
  const question = { input: { password: SECRET }, label: "case", mayCapture: true };
  const adapters = { ask: async () => "fine" };
  keep(await checkInputCase(sender(), { ...question, adapters }, library));
  const [stored] = library.all("sender");
  if (stored === undefined) throw new Error("nothing is stored");
  const ask = async (step: AnyStep): Promise<unknown[]> => {
    const checks = [
      await checkInputCase(step, { ...question, adapters }, library),
      await checkInputCase(step, { ...question, adapters, mode: "replay" }, library),
      await checkStoredCase(step, stored, { root: library.root, mode: "replay" }),
      await replayStoredCase(step, stored),
    ];
    return checks.map(({ verdict }) => verdict.kind);
  };
  expect(await ask(sender())).toStrictEqual(["clean", "clean", "clean", "clean"]);
  const other = SECRET.replace("Z", "Y");
  // The stored input has the placeholder alone, so there the text may be what it stands for.
  expect(await ask(sender(other))).toStrictEqual(["calls_changed", "request_changed", "clean", "clean"]);
});

test.each<[title: string, credential: (secret: string) => unknown]>([
  ["a bearer token", (key) => ({ headers: { authorization: `Bearer ${key}` } })],
  ["a password in a URL", (key) => `postgres://user:${key}@db.test/x`],
])("a credential made of the input's secret is stored and replayed: %s", async (_title, credential) => {
  const sends = (key?: string): AnyStep =>
    defineStep({
      name: "connects",
      input: z.object({ password: z.string() }),
      output: z.object({ rows: z.number() }),
      run: async ({ password }, { adapters }) => ({
        output: { rows: await Reflect.get(adapters, "ask")(credential(key ?? password)) },
      }),
    });
  const library = makeLibrary();
  const question = { input: { password: SECRET }, label: "case", mayCapture: true, adapters: { ask: async () => 3 } };
  const captured = await checkInputCase(sends(), question, library);
  const file = keep(captured);
  expect(file).not.toContain(SECRET);
  expect(await replayProblem(sends(), file)).toBeUndefined();
  const checks = [sends(), sends(SECRET.replace("Z", "Y"))].map(async (step) =>
    checkInputCase(step, question, library),
  );
  const verdicts = (await Promise.all(checks)).map(({ verdict }) => verdict.kind);
  expect(verdicts).toStrictEqual(["clean", "calls_changed"]);
});
