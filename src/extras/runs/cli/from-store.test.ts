import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import { type BatchItem, runBatch } from "../runner/batch.ts";
import { createRunner } from "../runner/runner.ts";
import { captureArtifactSync } from "../../../record/snapshot.ts";
import { type AnyStep, isStep } from "../../../kernel/step/define-step.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { PLANTED_SECRETS } from "../../../../test-support/planted-secrets.ts";
import { type CheckProject, checkProject } from "../../../../test-support/check-project.ts";

const TEXTS = ["receipt a", "receipt b", "receipt c", "receipt a"];
const FROM = ["--store", "sqlite:runs.sqlite"];
const TOTAL = "__baselines__/total";

let project: CheckProject;

async function stepsOf(of: CheckProject): Promise<Readonly<Record<string, unknown>>> {
  const loaded: Readonly<Record<string, unknown>> = await import(pathToFileURL(join(of.root, "steps/index.ts")).href);
  return loaded;
}

function stepOf(steps: Readonly<Record<string, unknown>>, name: string): AnyStep {
  const found = steps[name];
  if (!isStep(found)) throw new TypeError(`The fixture has no step ${name}.`);
  return found;
}

/** Stores what the fixture's step `total` answers to four letters, of which two are the same. */
async function storeRuns(of: CheckProject, answer = (text: string): number => text.length): Promise<void> {
  const store = unwrap(await openSqliteStore({ path: join(of.root, "runs.sqlite") }));
  const items: BatchItem[] = TEXTS.map((text, index) => ({ key: String(index + 1), input: { text } }));
  const adapters = { llm: { total: async (text: string) => answer(text) } };
  const step = stepOf(await stepsOf(of), "total");
  unwrap(await runBatch({ step, items, store, batchId: "march", adapters, concurrency: 1 }));
  await store.close();
}

/** Every text below a directory. */
function textsBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
}

beforeEach(async () => {
  project = checkProject();
  await storeRuns(project);
});

describe("veritest capture --store", () => {
  test("makes stored runs pending updates; accepted, they pass as baselines, and the receipt names the runs", {
    tags: "deep",
  }, async () => {
    expect(await project.veritest(["capture", ...FROM])).toEqual({
      code: 0,
      out:
        "4 runs, 4 steps: 3 pending, 1 of the same input\n" +
        "3 changes are pending: npx veritest review, or accept --all, reject --all\n",
      err: "",
    });
    expect(project.list(".")).not.toContain("__baselines__");
    const pending = await project.veritest(["pending"]);
    expect(pending.out).toMatch(
      /veritest capture --store total\/march:\d \(veritest.config.ts\): imported from a stored run/,
    );
    const accepted = await project.veritest(["accept", "--all", "--reason", "production of march"]);
    expect(accepted).toMatchObject({ code: 0, err: "" });
    expect(project.list(TOTAL)).toHaveLength(3);
    const [file = ""] = project.list(TOTAL);
    expect(JSON.parse(project.read(`${TOTAL}/${file}`))).toMatchObject({
      workflow: { id: "total" },
      input: { text: expect.stringMatching(/^receipt [abc]$/) },
      output: { total: 9 },
      meta: { run: expect.stringMatching(/^total\/march:[1-4]$/) },
      calls: [{ adapter: "llm.total", response: 9 }],
    });
    expect(await project.veritest(["test"])).toMatchObject({ code: 0 });
    const log = await project.veritest(["log", "--json"]);
    expect(log.out).toMatch(/"from": ?"total\/march:[1-4]"/);
  });

  test("skips cases that have a baseline, and takes only the runs of a sample, a step or a time", {
    tags: "deep",
  }, async () => {
    await project.veritest(["capture", ...FROM, "--label", "stored", "--meta", "month=3"]);
    await project.veritest(["accept", "--all"]);
    const again = await project.veritest(["capture", ...FROM]);
    expect(again).toEqual({ code: 0, out: "4 runs, 4 steps: 0 pending, 4 with a baseline\n", err: "" });
    const [file = ""] = project.list(TOTAL);
    expect(JSON.parse(project.read(`${TOTAL}/${file}`))).toMatchObject({ labels: ["stored"], meta: { month: 3 } });
    const sampled = await project.veritest(["capture", ...FROM, "--sample", "2", "--seed", "x"]);
    expect(sampled.out).toBe("2 runs, 2 steps: 0 pending, 2 with a baseline\n");
    expect(await project.veritest(["capture", ...FROM, "--since", "2d"])).toMatchObject({ code: 0 });
  });

  test("--json prints the counts, and with --dry-run the cases", { tags: "deep" }, async () => {
    const dry = await project.veritest(["capture", ...FROM, "--dry-run", "--json"]);
    expect(dry).toMatchObject({ code: 0, err: "" });
    const listed: unknown = JSON.parse(dry.out);
    expect(listed).toEqual(
      [1, 2, 3].map(() => ({
        action: "add",
        input: expect.stringMatching(/^total\/march:\d total$/),
        target: expect.stringMatching(/^__baselines__\/total\/march-\d-[0-9a-f]{8}\.json$/),
      })),
    );
    const { code, out } = await project.veritest(["capture", ...FROM, "--json"]);
    expect([code, JSON.parse(out)]).toEqual([0, { runs: 4, steps: 4, pending: 3, known: 0, twice: 1, refused: 0 }]);
  });

  test("--dry-run lists the pending updates it would make, and makes none", { tags: "deep" }, async () => {
    const { code, out } = await project.veritest(["capture", ...FROM, "--dry-run"], { CI: "1" });
    expect(code).toBe(0);
    expect(out).toMatch(
      /^(?:would add {2}total\/march:\d total → __baselines__\/total\/march-\d-[0-9a-f]{8}\.json\n){3}4 runs, 4 steps: 3 would be pending, 1 of the same input\n$/,
    );
    expect((await project.veritest(["pending"])).out).not.toContain("total/march");
  });

  test("makes no pending update of a step that doesn't replay its recorded responses", async () => {
    project.write("steps/mood.json", '{ "prompt": "!" }');
    const { code, out } = await project.veritest(["capture", ...FROM]);
    expect(code).toBe(1);
    expect(out).toContain("total/march:4 total");
    expect(out).toMatch(
      /not_replayable: The result isn't stored, because it isn't reproducible: .*request\[0\]: "receipt \w" → "receipt \w!"/s,
    );
    expect(out).toContain("4 runs, 4 steps: 0 pending, 1 of the same input, 3 refused\n");
    const json = await project.veritest(["capture", ...FROM, "--json"]);
    expect([json.code, JSON.parse(json.out)]).toEqual([
      1,
      { runs: 4, steps: 4, pending: 0, known: 0, twice: 1, refused: 3 },
    ]);
  });

  test.each<[what: string, argv: readonly string[], environment: NodeJS.ProcessEnv, code: number, says: string]>([
    ["CI", FROM, { CI: "1", VERITEST_ACTOR: "" }, 1, "CI never writes baselines"],
    ["an unknown step", [...FROM, "--step", "totl"], {}, 2, 'The configuration doesn\'t have a step named "totl".'],
    ["a step without runs", [...FROM, "--step", "shout"], {}, 2, "No step of 4 runs matches. See: veritest runs list"],
    ["no such workflow", [...FROM, "--workflow", "none"], {}, 2, "The store has no such run. See: veritest runs list"],
    [
      "files beside it",
      [...FROM, "--input", "a.json"],
      {},
      2,
      "--store reads the inputs from stored runs. Remove --input.",
    ],
    [
      "a time that is none",
      [...FROM, "--since", "soon"],
      {},
      2,
      '"soon" is neither a date nor a time span. Use a value such as 2026-05-01, 30m, 6h or 2d.',
    ],
    [
      "a seed alone",
      [...FROM, "--seed", "1"],
      {},
      2,
      "--seed only applies to a sample. Pass both: --sample 20 --seed 1.",
    ],
    ["a store that is none", ["--store", "mysql://x"], {}, 2, "The URL isn't the URL of a store"],
    [
      "a file that is not there",
      ["--store", "sqlite:run.sqlite"],
      {},
      2,
      'run.sqlite". To create it, run: npx veritest store init --store "sqlite:run.sqlite"',
    ],
    [
      "a time without a store",
      ["--since", "2d", "--step", "total", "--input", "a"],
      {},
      2,
      "--since only applies to stored runs. Add --store <url>.",
    ],
  ])("refuses %s", async (_what, argv, environment, code, says) => {
    const ran = await project.veritest(["capture", ...argv], environment);
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(says);
  });

  test("keeps secrets of stored runs out of files, pending updates and receipts", { tags: "deep" }, async () => {
    project.write(
      "steps/index.ts",
      project
        .read("steps/index.ts")
        .replace(
          'export const total = defineStep({\n  name: "total"',
          'export const ask = defineStep({\n  name: "total"',
        )
        .replace("output: z.object({ total: z.number(), words: z.array(z.string()) })", "output: z.looseObject({})")
        .replace(
          /run: async \(\{ text \}, ctx\) => \{[\s\S]*?\n  \},/,
          `run: async ({ text }, ctx) => {
    const said = await ctx.adapters.llm.total(text);
    return { output: { said }, events: [{ type: "said", payload: said }], commands: [{ type: "emit", topic: "said", payload: said }] };
  },`,
        )
        .replace("export const shout", "export const total = ask;\nexport const shout"),
    );
    const store = unwrap(await openSqliteStore({ path: join(project.root, "secrets.sqlite") }));
    const planted = PLANTED_SECRETS;
    for (const [index, { text, secret }] of planted.entries()) {
      // What is hidden does not tell inputs apart.
      const asked = `Letter ${index}: ${text}`;
      const said = `It is ${text}.`;
      const call = { adapter: "llm.total", occurrence: 0, returns: "promise", request: [asked], response: said };
      unwrap(
        await store.commit({
          workflowId: "vault",
          workflowVersion: "1.0.0",
          runId: index === 0 ? `run ${secret}` : `run-${index}`,
          stepId: "total",
          stepName: "total",
          expectedVersion: 0,
          input: { text: asked },
          output: { said },
          events: [{ type: "said", payload: said }],
          commands: [{ type: "emit", topic: "said", payload: said }],
          artifacts: [captureArtifactSync("adapter-call", call)],
        }),
      );
    }
    await store.close();
    const captured = await project.veritest(["capture", "--store", "sqlite:secrets.sqlite"]);
    expect(captured.code).toBe(0);
    expect(captured.out).toMatch(
      new RegExp(`^${planted.length} runs, ${planted.length} steps: ${planted.length} pending`),
    );
    const tested = await project.veritest(["test", "--store", "sqlite:secrets.sqlite", "--format", "json"]);
    expect(tested.code).toBe(0);
    const waiting = textsBelow(join(project.root, "state"));
    expect((await project.veritest(["accept", "--all"])).code).toBe(0);
    const written = ["state", "notes", "__baselines__"].flatMap((name) => textsBelow(join(project.root, name)));
    const everything = [...waiting, ...written, captured.out, captured.err, tested.out].join("\n");
    expect(everything).toContain("«redacted:");
    expect(planted.filter(({ secret }) => everything.includes(secret)).map(({ kind }) => kind)).toEqual([]);
    expect(await project.veritest(["test"])).toMatchObject({ code: 0 });
  });
});

describe("veritest test --store", () => {
  test("recomputes stored runs on their recorded responses, and writes no file", async () => {
    const { code, out, err } = await project.veritest(["test", ...FROM]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("4 clean");
    expect(project.list(".")).not.toContain("__baselines__");
  });

  test("reports what the current model answers, makes it pending, and writes it where somebody accepts it", {
    tags: "deep",
  }, async () => {
    project.write("steps/mood.json", '{ "model": 1 }');
    const changed = await project.veritest(["test", ...FROM, "--live"]);
    expect(changed.code).toBe(1);
    expect(changed.out).toContain("total: 9 → 10");
    expect(changed.out).toContain("cause: model");
    expect(project.list(".")).not.toContain("__baselines__");
    expect((await project.veritest(["pending", "--json"])).out).toContain("total: 9 → 10");
    expect((await project.veritest(["accept", "--all"])).code).toBe(0);
    expect(project.list(TOTAL)).toHaveLength(3);
    expect((await project.veritest(["test"])).code).toBe(0);
    const [file = ""] = project.list(TOTAL);
    expect(JSON.parse(project.read(`${TOTAL}/${file}`))).toMatchObject({ output: { total: 10 } });
  });

  test("reports changed code on recorded responses", async () => {
    project.write("steps/mood.json", '{ "reverse": true }');
    const { code, out } = await project.veritest(["test", ...FROM, "--sample", "1"]);
    expect(code).toBe(1);
    expect(out).toContain("cause: code");
  });

  test("keeps a pending update of the same input, even if the stored run is clean", { tags: "deep" }, async () => {
    await project.veritest(["capture", ...FROM]);
    const before = (await project.veritest(["pending"])).out;
    await project.veritest(["test", ...FROM]);
    expect((await project.veritest(["pending"])).out).toBe(before);
  });

  test.each<[what: string, argv: readonly string[], says: string]>([
    [
      "baselines beside it",
      ["--baseline", "x"],
      "--baseline is for files, and --store is for stored runs. Pass one of them.",
    ],
    ["an unknown step", ["--step", "totl"], 'The configuration doesn\'t have a step named "totl".'],
    ["runs that are not there", ["--workflow", "none"], "The store doesn't have matching runs of these steps."],
  ])("refuses %s", async (_what, argv, says) => {
    const { code, err } = await project.veritest(["test", ...FROM, ...argv]);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });

  test("names steps of the runs that the configuration doesn't have", async () => {
    const store = unwrap(await openSqliteStore({ path: join(project.root, "runs.sqlite") }));
    const other = stepOf(await stepsOf(project), "shout");
    const workflow = { name: "other", version: "1.0.0", steps: { cry: { ...other, name: "cry" } } };
    const runner = createRunner({ store, workflows: [workflow] });
    unwrap(await runner.startRun({ workflow: "other", step: "cry", input: { text: "a" }, runId: "one" }));
    unwrap(await runner.runUntilIdle("other", "one"));
    await store.close();
    const { code, err } = await project.veritest(["test", ...FROM]);
    expect(code).toBe(0);
    expect(err).toContain("Not checked: cry. Add the module of each step to steps in veritest.config.");
  });
});
