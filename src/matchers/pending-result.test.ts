import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { projectPaths } from "../kernel/files/project-paths.ts";
import { type PendingChange, pendingChange } from "../updates/pending/pending-change.ts";
import { pendingDirectory, pendingOf, writePending } from "../updates/pending/pending-store.ts";
import { beginRun } from "../updates/test-run.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
let root = "";

beforeEach(() => {
  root = temporaryProject("pending-result");
  stage.begin(root);
  stage.projectMode = undefined;
  vi.stubEnv("VERITEST_WORKER_RUN", JSON.stringify(beginRun(projectPaths(root, {}))));
});

afterEach(() => vi.unstubAllEnvs());

/** Number of the calls, which the answer of the model contains. */
let calls = 0;
const adapters = {
  llm: {
    ask: async (prompt: string) => {
      calls += 1;
      return `${prompt} (${calls})`;
    },
  },
};

/** Sends a second request with the first answer. */
function answer(style: string, edit: (text: string) => string = (text) => text): AnyStep {
  return defineStep({
    name: "answer",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }, { adapters: { llm } }: StepContext<typeof adapters>) => {
      const long = await llm.ask(`${style}: ${text}`);
      return { output: { text: edit(await llm.ask(`${style}, shorter: ${long}`)) } };
    },
  });
}

/** Returns the first answer, and also sends this request. */
function firstAnswer(style: string, also?: string): AnyStep {
  return defineStep({
    name: "answer",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }, { adapters: { llm } }: StepContext<typeof adapters>) => {
      const output = { text: await llm.ask(`${style}: ${text}`) };
      if (also !== undefined) await llm.ask(also);
      return { output };
    },
  });
}

async function capture(names: readonly string[] = ["a"]): Promise<void> {
  for (const name of names) await expect(answer("Answer")).toMatchBaseline({ input: { text: name }, name, adapters });
  stage.settle("new");
  calls = 0;
}

function message(step: AnyStep, name = "a"): Promise<string> {
  return stage.message(() => expect(step).toMatchBaseline({ input: { text: name }, name, adapters }));
}

/** Origin of a change of the only test of a stage. */
function origin(): Parameters<typeof pendingChange>[1] {
  const testPath = join(root, "a.test.ts");
  return { projectRoot: root, testPath, test: "the test", passed: false, run: "run-1", at: "2026-01-01T00:00:00.000Z" };
}

/** Runs a changed step live, so that its result is pending. */
async function runLive(
  of: Partial<ReturnType<typeof origin> & PendingChange> = {},
  run: () => Promise<string> = () => message(answer("Reply")),
): Promise<void> {
  stage.projectMode = "live";
  expect(await run()).toContain("value_changed");
  stage.projectMode = undefined;
  const made = stage.changes.map((change) => ({ ...pendingChange(change, { ...origin(), ...of }), ...of }));
  writePending(projectPaths(root, {}), made);
  calls = 0;
  stage.notes = [];
}

const RECORD = "Is the new request intended? Record its response:";

test("a request whose response is in a pending result isn't to be recorded again: the message names its review", async () => {
  await capture();
  await runLive();
  expect(await message(answer("Reply"))).toBe(`answer: 1 of 1 baseline failed (recorded calls)

  ROOT/answer/a-HASH.json  request_changed
    cause: prompt (llm.ask request[0] changed (2 times))
    adapter "llm.ask" was called with a request that wasn't recorded (2 recorded for it)
    request[0]: "Answer: a" → "Reply: a"

The new responses are pending from an earlier run. Review and accept them without another call: npx veritest review`);
  expect(calls).toBe(0);
  expect(stage.notes.at(-1)).toStrictEqual(["its new responses are pending: npx veritest review"]);
});

describe("a request is to be recorded if accepting the pending result wouldn't make the test pass:", () => {
  const fails = async (step: AnyStep = answer("Reply")): Promise<void> => {
    expect(await message(step)).toContain(`\n\n${RECORD}\n\n  npx vitest run `);
    expect([calls, stage.notes.at(-1)]).toStrictEqual([0, []]);
  };

  test("none is pending", async () => {
    await capture();
    await fails();
  });

  test("the step sends another request now", async () => {
    await capture();
    await runLive();
    await fails(answer("Tell me"));
  });

  test("only its later request is another one", async () => {
    await capture();
    await runLive({}, () => message(firstAnswer("Reply", "Is it true?")));
    await fails(firstAnswer("Reply", "Is it short?"));
  });

  test("it sends fewer requests", async () => {
    await capture();
    await runLive({}, () => message(firstAnswer("Reply", "Is it true?")));
    await fails(firstAnswer("Reply"));
  });

  test("the code makes another result of the same requests", async () => {
    await capture();
    await runLive();
    await fails(answer("Reply", (text) => text.toUpperCase()));
  });

  test("another test made the result", async () => {
    await capture();
    await runLive({ test: "another test" });
    await fails();
  });

  test("a test with the same title in another file made the result", async () => {
    await capture();
    await runLive({ testPath: join(root, "b.test.ts") });
    await fails();
  });

  test("another attempt had another result", async () => {
    await capture();
    await runLive({ contradicted: true });
    await fails();
  });

  test("the baseline has changed since", async () => {
    await capture();
    await runLive();
    const [update] = stage.changes;
    appendFileSync(update?.update.path ?? "", "\n");
    await fails();
  });

  test("its file is unreadable", async () => {
    await capture();
    await runLive();
    const { state } = projectPaths(root, {});
    const [change] = pendingOf(state, () => true);
    writeFileSync(join(pendingDirectory(state), `${change?.key}.json`), "{");
    await fails();
  });

  test("the run wasn't announced", async () => {
    await capture();
    await runLive();
    vi.stubEnv("VERITEST_WORKER_RUN", undefined);
    await fails();
  });
});

test("several cases of a matcher have one command, and those without a pending result another one", async () => {
  await capture(["a", "b"]);
  await runLive({}, () => message(answer("Reply"), "b"));
  const recompute = (): Promise<string> => stage.message(() => expect(answer("Reply")).toRecomputeClean({ adapters }));
  expect(await recompute()).toMatch(
    `
The new responses are pending from an earlier run. Review and accept them without another call: npx veritest review
${RECORD}

  npx vitest run src/matchers/pending-result.test.ts -t `,
  );
  expect([calls, stage.notes]).toStrictEqual([0, [[], ["its new responses are pending: npx veritest review"]]]);
});
