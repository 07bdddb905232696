import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { captureArtifact } from "../record/snapshot.ts";
import { configureRedaction } from "../redact/current-redactor.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

interface Llm {
  complete(request: { readonly prompt: string; readonly requestId: string }): Promise<{ readonly text: string }>;
}

const runner: { extend(matchers: object): void } = expect;
const stage = new MatcherStage(runner);

beforeEach(() => stage.begin());
afterEach(() => configureProject({}));

/** What a run's main process tells its workers of the configuration, which they read once. */
function configureProject(settings: {
  readonly ignore?: readonly string[];
  readonly hashOnly?: readonly string[];
}): void {
  process.env["VERITEST_REDACTION"] = JSON.stringify(settings);
  configureRedaction({});
}

let requests = 0;

/** Asks with an id that is another each time, and keeps the letter it read. */
function readerOf(prompt = "Read", idOf: () => string = () => `r-${(requests += 1)}`): AnyStep {
  return defineStep({
    name: "read",
    input: z.object({ letter: z.string() }),
    output: z.object({ summary: z.string(), transcript: z.string() }),
    run: async ({ letter }, ctx: StepContext<{ llm: Llm }>) => {
      const { text } = await ctx.adapters.llm.complete({ prompt: `${prompt} ${letter}`, requestId: idOf() });
      ctx.onArtifact?.(await captureArtifact("letter", { letter, length: letter.length }));
      return { output: { summary: text, transcript: `${letter}!` } };
    },
  });
}

const step = readerOf();
const input = { letter: "Dear all" };
const adapters = {
  llm: { complete: async ({ prompt }: { readonly prompt: string }) => ({ text: `${prompt.length} characters` }) },
};
const ignore = ["llm.complete[0].requestId"];

function sha256(canonical: string): string {
  return `sha256:${createHash("sha256").update(canonical).digest("hex")}`;
}

test("what a matcher ignores of requests is no part of them: in the file, in a replay, in a check of all cases", async () => {
  await expect(step).toMatchBaseline({ input, adapters, ignore });
  expect(JSON.parse(stage.stagedText()).calls[0].request).toStrictEqual([{ prompt: "Read Dear all" }]);
  stage.settle("none");
  await expect(step).toReplay({ ignore });
  await expect(step).toRecomputeClean({ ignore });
  await expect(step).toMatchBaseline({ input, adapters, mode: "live", ignore });
  await expect(step).toBePure({ ignore });
  expect(await stage.message(() => expect(step).toReplay())).toContain("+ request[0].requestId: ");
});

test("a new rule matches recordings made without it, and reports no change", async () => {
  await expect(readerOf("Read", () => "always")).toMatchBaseline({ input, adapters });
  expect(JSON.parse(stage.stagedText()).calls[0].request).toStrictEqual([
    { prompt: "Read Dear all", requestId: "always" },
  ]);
  stage.settle("none");
  await expect(step).toRecomputeClean({ ignore });
  await expect(step).toReplay({ ignore });
  stage.settle("none");
  await expect(step).toRecomputeClean({ adapters, mode: "live", ignore });
  expect(stage.checks.map(({ verdict, update }) => [verdict, update])).toStrictEqual([[{ kind: "clean" }, undefined]]);
});

test("an unrecorded request doesn't show ignored parts", async () => {
  await expect(step).toMatchBaseline({ input, adapters, ignore });
  stage.settle("none");
  const told = await stage.message(() => expect(readerOf("Read this:")).toRecomputeClean({ ignore }));
  expect(told).toContain("    cause: prompt\n");
  expect(told).not.toContain("requestId");
});

test("the project's configuration applies to all matchers", async () => {
  configureProject({ ignore, hashOnly: ["letter"] });
  await expect(step).toMatchBaseline({ input, adapters });
  expect(stage.stagedText()).not.toContain("requestId");
  expect(
    JSON.parse(stage.stagedText()).artifacts.find(({ kind }: { kind: string }) => kind === "letter"),
  ).toStrictEqual({
    hash: sha256('{"length":8,"letter":"Dear all"}'),
    kind: "letter",
  });
  stage.settle("none");
  await expect(step).toReplay();
});

test("hashes a hash-only artifact without its secrets", async () => {
  const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
  const options = { input: { letter: secret }, adapters, ignore, hashOnly: ["letter"] };
  await expect(step).toMatchBaseline(options);
  const text = stage.stagedText();
  expect(text).not.toContain(secret);
  expect(text).not.toContain(sha256(JSON.stringify({ length: secret.length, letter: secret })).slice("sha256:".length));
  expect(text).toContain(sha256(`{"length":${secret.length},"letter":"«redacted:0»"}`));
  const direct = await captureArtifact("letter", { letter: secret, length: secret.length }, { hashOnly: true });
  expect(direct).toStrictEqual({ kind: "letter", hash: sha256(`{"length":${secret.length},"letter":"«redacted:0»"}`) });
});

test("compares an output with hash-only parts", async () => {
  const hashOnly = ["output.transcript"];
  await expect(step).toMatchBaseline({ input, adapters, ignore, hashOnly });
  expect(JSON.parse(stage.stagedText()).output).toStrictEqual({
    summary: "13 characters",
    transcript: `«${sha256('"Dear all!"')}»`,
  });
  stage.settle("none");
  await expect(step).toReplay({ ignore, hashOnly });
  await expect(step).toRecomputeClean({ ignore, hashOnly });
  const lower = { ...step, run: async () => ({ output: { summary: "13 characters", transcript: "dear all!" } }) };
  expect(await stage.message(() => expect(lower).toRecomputeClean({ ignore, hashOnly }))).toContain(
    `transcript:\n      - "«${sha256('"Dear all!"')}»"\n      + "«${sha256('"dear all!"')}»"\n`,
  );
});

test("a hash-only response can't be replayed, and is compared with a live one", async () => {
  const hashOnly = ["llm.complete.response"];
  await expect(step).toMatchBaseline({ input, adapters, ignore, hashOnly });
  expect(JSON.parse(stage.stagedText()).calls[0].response).toBe(`«${sha256('{"text":"13 characters"}')}»`);
  stage.settle("none");
  const refusal = `read: 1 of 1 baseline failed (recompute with recorded calls)

  ROOT/read/the-test-HASH.json  failed
    hash_only: The recorded response of adapter "llm.complete" can't be replayed: only its hash is stored (hashOnly). Check this case with live adapters: { adapters, mode: "live" }.`;
  expect(await stage.message(() => expect(step).toRecomputeClean({ ignore, hashOnly }))).toBe(refusal);
  expect(await stage.message(() => expect(step).toReplay({ ignore, hashOnly }))).toBe(
    refusal.replace("recompute with recorded calls", "replay"),
  );
  await expect(step).toRecomputeClean({ adapters, ignore, hashOnly, mode: "live" });
  await expect(step).toRecomputeClean({ adapters, ignore, hashOnly, mode: "auto" });
  const drifted = { llm: { complete: async () => ({ text: "?" }) } };
  expect(
    await stage.message(() => expect(step).toRecomputeClean({ adapters: drifted, ignore, hashOnly, mode: "live" })),
  ).toContain("cause: model (same requests, different responses: llm.complete)");
});

test("doesn't run a step on a hash-only input", async () => {
  const hashOnly = ["input.letter", "llm.complete.request[0].prompt", "letter.letter", "output.transcript"];
  await expect(step).toMatchBaseline({ input, adapters, ignore, hashOnly });
  expect(stage.stagedText()).not.toContain("Dear all");
  stage.settle("none");
  expect(await stage.message(() => expect(step).toRecomputeClean({ ignore, hashOnly }))).toContain(
    'hash_only: Step "read" can\'t run, because only the hash of its input is stored (hashOnly). Check this case in a test that passes its input: toMatchBaseline({ input }).',
  );
  await expect(step).toMatchBaseline({ input, ignore, hashOnly });
  expect(readFileSync(stage.checks.at(-1)?.path ?? "", "utf8")).not.toContain("Dear all!");
});

test("notes a matching ignore rule of the project once, and one without a match each time", async () => {
  configureProject({ ignore: ["**.requestId", "llm.complete[0].requestID", "**.nonce"] });
  const unmatched = ['"llm.complete[0].requestID"', '"**.nonce"'];
  await expect(step).toMatchBaseline({ input, adapters });
  await expect(step).toMatchBaseline({ input: { letter: "Dear Ann" }, adapters });
  expect(stage.checks.map(({ findings }) => findings.projectIgnores)).toStrictEqual([
    { matched: ['"**.requestId"'], unmatched },
    { matched: [], unmatched },
  ]);
});
