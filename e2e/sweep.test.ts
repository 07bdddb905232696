import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { newest } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";
import { withoutRunner } from "./harness/without-runner.ts";

const CAPTURE_TEST = testFile(`
for (const name of ["first", "second 3", "third 3", "fourth"]) {
  test(name, async () => { await expect(extractClaims).toMatchBaseline({ input: { text: name }, adapters: { llm }, name }); });
}
`);

describe.each(newest)("$name", (runner) => {
  test("recorded responses are replayed without adapters; live adapters show the model's changes", async () => {
    const project = createProject(runner);
    project.write({ "capture.test.js": CAPTURE_TEST });
    await project.capture();
    project.remove("capture.test.js");
    project.write({
      "sweep.test.js": testFile(`
test("recorded", async () => { await expect(extractClaims).toRecomputeClean(); expect(llm.calls).toBe(0); });
test("live", async () => { await expect(extractClaims).toRecomputeClean({ adapters: { llm }, mode: "live", names: ["first"] }); expect([llm.calls, llm.peak]).toEqual([1, 1]); });
test("two at a time", async () => { await expect(extractClaims).toRecomputeClean({ adapters: { llm }, mode: "live", concurrency: 2 }); expect([llm.calls, llm.peak]).toEqual([5, 2]); });
`),
    });
    const changed = await project.run([], { env: { MODEL: "new" } });
    expect(changed.failures).toMatchInlineSnapshot(`
      {
        "live": "extract-claims: 1 of 1 baseline changed (recompute with live adapters)

        __baselines__/extract-claims/first-4ba96706.json  value_changed
          cause: model (same requests, different responses: llm.complete)
          claims.first.confidence: 0.9 → 0.8

      Review the changes. Accept them with -u, or accept exactly these with: npx veritest review",
        "two at a time": "extract-claims: 4 of 4 baselines changed, as in the test "live": claims.*.confidence: 0.9 → 0.8 (model)  __baselines__/extract-claims/first-4ba96706.json and 3 more",
      }
    `);

    const accepted = await project.run(["-u"], { env: { MODEL: "new" } });
    expect(accepted).toMatchObject({ exitCode: 0, failures: {} });
    expect(accepted.summary).toMatchInlineSnapshot(`
      "Baselines  4 updated
                 updated: read and commit
                   __baselines__/extract-claims/first-4ba96706.json
                   __baselines__/extract-claims/fourth-95c3f00b.json
                   __baselines__/extract-claims/second-3-60b9e151.json
                   __baselines__/extract-claims/third-3-19dc0a1b.json"
    `);
    expect(await project.run([], { env: { MODEL: "new" } })).toMatchObject({
      exitCode: 0,
      failures: {},
      summary: "Baselines  4 clean",
    });
  });

  test("a changed prompt, a failure and an output that the schema refuses have different verdicts; -u accepts none of them, and a replay nothing", async () => {
    const project = createProject(runner);
    project.write({
      "claims.test.js": testFile(`
test("captured", async () => {
  await expect(extractClaims).toMatchBaseline({ input: { text: "a b3" }, ...(process.env.LIVE ? { adapters: { llm } } : {}) });
  await expect(extractClaims).toReplay();
});
`),
    });
    expect(await project.run([], { env: { LIVE: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
    const captured = project.tree();
    project.write({
      "changes.test.js": testFile(`
for (const change of ["prompt", "failure", "throw", "schema"]) {
  test(change, async () => {
    process.env.CHANGED = change;
    await expect(extractClaims).toRecomputeClean();
  });
}
test("replay", async () => {
  process.env.CHANGED = "field+command";
  await expect(extractClaims).toReplay();
});
afterEach(() => { delete process.env.CHANGED; });
`),
    });
    const refused = await project.run(["-u"]);
    expect(withoutRunner(refused.failures, runner)).toMatchInlineSnapshot(`
      {
        "failure": "extract-claims: 1 of 1 baseline failed (recompute with recorded calls)

        __baselines__/extract-claims/captured-3067e39c.json  failed
          cause: code (it fails with the recorded responses)
          json_error: The model answered no JSON.

      -u doesn't accept failures. Fix the step, or delete the baseline if you removed the case.",
        "prompt": "extract-claims: 1 of 1 baseline failed (recompute with recorded calls)

        __baselines__/extract-claims/captured-3067e39c.json  request_changed
          cause: prompt
          adapter "llm.complete" was called with a request that wasn't recorded (1 recorded for it)
          request[0].prompt: "List the claims: a b3" → "List the claims, briefly: a b3"

      Is the new request intended? Pass the current adapters ({ adapters }) to the matcher and record its response:

        npx <runner> changes.test.js -t "^prompt$" -u",
        "replay": "extract-claims: 1 of 1 baseline changed (replay)

        __baselines__/extract-claims/captured-3067e39c.json  value_changed
          claims[1].confidence: 0.9 → 0.7
          commands[0]:
            - {"payload":{"count":2},"topic":"claims.extracted","type":"emit"}
            + {"reason":"low confidence","type":"review"}

      toReplay never updates a baseline. If the change is intended, replace toReplay with await expect(step).toRecomputeClean() and run once with -u. If it isn't, fix the step.",
        "schema": "extract-claims: 1 of 1 baseline failed (recompute with recorded calls)

        __baselines__/extract-claims/captured-3067e39c.json  schema_violation
          cause: code (same requests, same responses, new output)
          claims[0].confidence: Invalid input: expected number, received string (type)
          claims[1].confidence: Invalid input: expected number, received string (type)
          claims.a.confidence: 0.9 → "high"
          claims.b3.confidence: 0.9 → "high"

      -u doesn't accept an output that the schema refuses. Fix the step or its schema, or delete the baseline and capture the case again.",
        "throw": "extract-claims: 1 of 1 baseline failed (recompute with recorded calls)

        __baselines__/extract-claims/captured-3067e39c.json  failed
          cause: code (it fails with the recorded responses)
          execution_failed: no such model
          thrown at steps.js:LINE

      -u doesn't accept failures. Fix the step, or delete the baseline if you removed the case.",
      }
    `);
    expect(refused.summary).toMatch(/^Baselines {2}1 failed\n/);
    expect(refused.statuses).toMatchObject({ captured: "passed" });
    project.remove("changes.test.js");
    expect(project.tree()).toEqual(captured);

    const recorded = await project.run(["-u"], { env: { CHANGED: "prompt", LIVE: "1" } });
    expect(recorded).toMatchObject({
      exitCode: 0,
      failures: {},
      summary: expect.stringMatching(/^Baselines {2}1 updated\n/),
    });
    expect(await project.run([], { env: { CHANGED: "prompt" } })).toMatchObject({
      exitCode: 0,
      failures: {},
      summary: "Baselines  1 clean",
    });
  });
});
