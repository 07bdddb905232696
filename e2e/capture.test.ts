import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { type Runner, majors, runners, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const EIGHT = "c1 c2 c3 c4 c5 c6 c7 c8";

const CLAIMS_TEST = testFile(`
describe("claims", () => {
  test("of eight words", async () => {
    await expect(extractClaims).toMatchBaseline({ input: { text: "${EIGHT}" }, adapters: { llm } });
  });
  test("of a named case", async () => {
    await expect(extractClaims).toMatchBaseline({ input: { text: "a b" }, adapters: { llm }, name: "Two Words", labels: ["short"], meta: { words: 2 } });
  });
});
test("a result", async () => {
  const { result } = await withReplay(extractClaims, { text: "x" }, { adapters: { llm } });
  await expect(result).toMatchBaseline();
});
test("a value", async () => {
  await expect({ total: 3, items: [{ id: "b" }, { id: "a" }] }).toMatchBaseline({ name: "totals", keyBy: { items: "id" } });
});
test("no regressions", async () => {
  await expect(extractClaims).toRecomputeClean();
});
`);

const FILES = [
  "__baselines__/claims.test.js/totals-79de06e0.json",
  "__baselines__/extract-claims/a-result-fcd1ccec.json",
  "__baselines__/extract-claims/claims-of-eight-words-19a63858.json",
  "__baselines__/extract-claims/two-words-815bc2ab.json",
] as const;
const FLAKY = "__baselines__/flaky.test.js/flaky-631a32fa.json";

function contents(project: Project): Record<string, string> {
  return Object.fromEntries(project.baselines().map((path) => [path, project.read(path)]));
}

/** A test that passes when it is repeated, or never if FAIL is set. */
function flakyTest(kind: Runner["kind"]): string {
  const body = `async () => {
  attempt += 1;
  await expect({ passes: true }).toMatchBaseline({ name: "flaky" });
  expect(attempt).toBe(process.env.FAIL ? 0 : 2);
}`;
  return kind === "vitest"
    ? testFile(`let attempt = 0;\ntest("flaky", { retry: 1 }, ${body});`)
    : testFile(`import { jest } from "runner";\njest.retryTimes(1);\nlet attempt = 0;\ntest("flaky", ${body});`);
}

/** The files that each runner captured. */
const captured = new Map<string, Readonly<Record<string, string>>>();

describe.each(runners)("$name", (runner) => {
  test("captures in the first run, is clean in CI, fails on a change, writes nothing beside a failing test, then updates, captures and removes", async () => {
    const project = createProject(runner);
    project.write({ "claims.test.js": CLAIMS_TEST });
    const before = project.tree();

    const first = await project.run();
    expect(first).toMatchObject({
      exitCode: 0,
      failures: {},
      snapshot: { added: 0, matched: 3, unmatched: 0, updated: 0 },
    });
    expect(first.summary).toMatchInlineSnapshot(`
      "Baselines  4 captured
                 captured: read and commit
                   __baselines__/claims.test.js/totals-79de06e0.json
                   __baselines__/extract-claims/a-result-fcd1ccec.json
                   __baselines__/extract-claims/claims-of-eight-words-19a63858.json
                   __baselines__/extract-claims/two-words-815bc2ab.json"
    `);
    const tree = project.tree();
    expect(project.baselines()).toEqual(FILES);
    expect(Object.keys(tree)).toEqual([...FILES, ...Object.keys(before)].toSorted());
    const files = contents(project);
    captured.set(runner.name, files);

    const second = await project.run([], { env: { CI: "1" } });
    expect(second).toMatchObject({
      exitCode: 0,
      failures: {},
      snapshot: { added: 0, matched: 7, unmatched: 0, updated: 0 },
    });
    expect(second.summary).toMatchInlineSnapshot(`"Baselines  4 clean"`);
    expect(project.tree()).toEqual(tree);

    const changed = await project.run([], { env: { CHANGED: "field" } });
    expect(changed.exitCode).toBe(1);
    expect(Object.keys(changed.failures).toSorted()).toEqual(["claims of eight words", "no regressions"]);
    expect(project.tree()).toEqual(tree);

    project.write({ "flaky.test.js": flakyTest(runner.kind) });
    const beside = await project.run(["-u"], { env: { CHANGED: "field", FAIL: "1" } });
    expect([beside.exitCode, Object.keys(beside.failures)]).toEqual([1, ["flaky"]]);
    expect(contents(project)).toEqual(files);

    project.write({ "claims.test.js": CLAIMS_TEST.replace(/test\("a value"[^]*?\}\);\n(?=test)/, "") });
    expect(await project.run(["-u"], { env: { CHANGED: "field" } })).toMatchObject({ exitCode: 0, failures: {} });
    const { [FILES[0]]: _removed, ...rest } = files;
    expect(contents(project)).toEqual({
      ...rest,
      [FILES[2]]: expect.stringMatching(/"confidence": 0\.7,\s+"id": "c3"/),
      [FLAKY]: expect.stringContaining('"passes": true'),
    });
  });
});

describe.each(sampled(majors))("$name", (runner) => {
  test("a reorder of keyed claims with one changed field is one line with the claim's name; -u accepts it", async () => {
    const project = createProject(runner);
    project.write({
      "claims.test.js": testFile(`
test("eight", async () => { await expect(extractClaims).toMatchBaseline({ input: { text: "${EIGHT}" }, adapters: { llm } }); });
test("sweep", async () => { await expect(extractClaims).toRecomputeClean(); });
`),
    });
    await project.capture();
    const captured = project.tree();

    const changed = await project.run([], { env: { CHANGED: "order+field" } });
    expect(changed).toMatchObject({ exitCode: 1, snapshot: { matched: 0, unmatched: 2 } });
    expect(changed.failures).toMatchInlineSnapshot(`
      {
        "eight": "extract-claims: 1 of 1 baseline changed (recorded calls)

        __baselines__/extract-claims/eight-19a63858.json  value_changed
          cause: code (same requests, same responses, new output)
          claims.c3.confidence: 0.9 → 0.7

      Review the changes. Accept them with -u, or accept exactly these with: npx veritest review",
        "sweep": "extract-claims: 1 of 1 baseline changed, as in the test "eight": claims.*.confidence: 0.9 → 0.7 (code)  __baselines__/extract-claims/eight-19a63858.json",
      }
    `);
    expect(changed.summary).toMatchInlineSnapshot(`
      "Baselines  1 value_changed
                 g-f2863d  1 × extract-claims  claims.*.confidence: 0.9 → 0.7 (code)
                 1 change is pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(project.tree()).toEqual(captured);

    const accepted = await project.run(["-u"], { env: { CHANGED: "order+field" } });
    expect(accepted).toMatchObject({ exitCode: 0, failures: {} });
    expect(accepted.summary).toMatchInlineSnapshot(`
      "Baselines  1 updated
                 updated: read and commit
                   __baselines__/extract-claims/eight-19a63858.json"
    `);
    const updated = project.tree();
    expect(updated).not.toEqual(captured);

    const clean = await project.run([], { env: { CHANGED: "order+field" } });
    expect(clean).toMatchObject({ exitCode: 0, failures: {}, summary: "Baselines  1 clean" });
    expect(project.tree()).toEqual(updated);
  });

  const ways = runner.kind === "jest" ? [["--ci"], []] : [[]];
  test("a run in CI writes nothing: a missing baseline and a change fail", async () => {
    const project = createProject(runner);
    project.write({ "claims.test.js": CLAIMS_TEST });
    const empty = project.tree();
    for (const args of ways) {
      const missing = await project.run(args, { env: args.length === 0 ? { CI: "1" } : {} });
      expect(missing.exitCode).toBe(1);
      expect(missing.failures).toMatchInlineSnapshot(`
        {
          "a result": "extract-claims: 1 of 1 baseline missing (result)

          __baselines__/extract-claims/a-result-fcd1ccec.json  missing
            there is no such baseline

        To capture it, run the test on your machine, without CI=1 or --ci.",
          "a value": "totals: 1 of 1 baseline missing (value)

          __baselines__/claims.test.js/totals-79de06e0.json  missing
            there is no such baseline

        To capture it, run the test on your machine, without CI=1 or --ci.",
          "claims of a named case": "extract-claims: 1 of 1 baseline missing (recorded calls)

          __baselines__/extract-claims/two-words-815bc2ab.json  missing
            there is no such baseline

        To capture it, run the test on your machine, without CI=1 or --ci.",
          "claims of eight words": "extract-claims: 1 of 1 baseline missing (recorded calls)

          __baselines__/extract-claims/claims-of-eight-words-19a63858.json  missing
            there is no such baseline

        To capture it, run the test on your machine, without CI=1 or --ci.",
          "no regressions": "extract-claims: no baseline in __baselines__/extract-claims/

        Capture a baseline first, in a test in the same folder:

          await expect(step).toMatchBaseline({ input, adapters })

        Run that test once on your machine, without CI=1 or --ci.",
        }
      `);
      expect(project.tree()).toEqual(empty);
    }
    await project.run();
    const captured = project.tree();
    for (const args of ways) {
      const changed = await project.run(args, {
        env: { CHANGED: "command", ...(args.length === 0 ? { CI: "1" } : {}) },
      });
      expect(changed.exitCode).toBe(1);
      expect(changed.failures["no regressions"]).toMatchInlineSnapshot(
        `"extract-claims: 3 of 3 baselines changed, as in the test "claims of eight words": commands_changed: new command review("low confidence"), dropped command emit("claims.extracted") (code)  __baselines__/extract-claims/a-result-fcd1ccec.json and 2 more"`,
      );
      expect(changed.summary).toBe(
        [
          "Baselines  1 clean, 3 commands_changed",
          ...[2, 1].map(
            (count) => `${" ".repeat(11)}${count} × extract-claims  new command review("low confidence"), dropped …`,
          ),
        ].join("\n"),
      );
      expect(project.tree()).toEqual(captured);
      const updated = await project.run([...args, "-u"], {
        env: { CHANGED: "command", VERITEST_ACTOR: "", ...(args.length === 0 ? { CI: "1" } : {}) },
      });
      const because = args.length === 0 ? "CI is set" : "Jest's option ci is on";
      expect(updated.exitCode).toBe(1);
      expect(updated.summary).toContain(`CI never writes baselines (${because}).`);
      expect(project.tree()).toEqual(captured);
    }
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({
      exitCode: 0,
      failures: {},
      summary: "Baselines  4 clean\n           3 pending changes dropped: clean again",
    });
    expect(project.tree()).toEqual(captured);
  });
});

test("the same tests leave the same bytes on every runner", () => {
  const [first, ...others] = [...captured];
  const expected = first?.[1] ?? {};
  expect(expected["__baselines__/extract-claims/two-words-815bc2ab.json"]).toMatchInlineSnapshot(`
    "{
      "version": 2,
      "kind": "step",
      "step": "extract-claims",
      "workflow": {
        "id": "extract-claims",
        "version": "0.0.0"
      },
      "name": "Two Words",
      "labels": [
        "short"
      ],
      "meta": {
        "words": 2
      },
      "input": {
        "text": "a b"
      },
      "inputHash": "sha256:8d8f61d3050b793b5997df186c048fa86639073e6a5a8b7b28d43d738a609e1d",
      "output": {
        "claims": [
          {
            "confidence": 0.9,
            "id": "a"
          },
          {
            "confidence": 0.9,
            "id": "b"
          }
        ]
      },
      "events": [
        {
          "payload": {
            "count": 2
          },
          "type": "claims_extracted"
        }
      ],
      "commands": [
        {
          "payload": {
            "count": 2
          },
          "topic": "claims.extracted",
          "type": "emit"
        }
      ],
      "calls": [
        {
          "adapter": "llm.complete",
          "occurrence": 0,
          "request": [
            {
              "prompt": "List the claims: a b",
              "temperature": 0
            }
          ],
          "response": {
            "claims": [
              {
                "id": "a",
                "confidence": 0.9
              },
              {
                "id": "b",
                "confidence": 0.9
              }
            ]
          },
          "returns": "promise"
        }
      ],
      "artifacts": [
        {
          "hash": "sha256:8d8f61d3050b793b5997df186c048fa86639073e6a5a8b7b28d43d738a609e1d",
          "kind": "parsed-input"
        },
        {
          "hash": "sha256:8e6eb7f550232b3379cb59cccc966d83e1eac92a5d63060275d385a7df704c20",
          "kind": "adapter-call"
        },
        {
          "hash": "sha256:97f6fff26caa2cf73d766a8a2dce5208a150278954167e9c012c01832192fe09",
          "kind": "step-output"
        },
        {
          "hash": "sha256:4476e68ea0e698e2426bb346a985830906615946a58ab8c19307d8f52f8dc527",
          "kind": "step-commands"
        }
      ]
    }
    "
  `);
  expect(others).toHaveLength(runners.length - 1);
  for (const [runner, files] of others) expect({ runner, files }).toEqual({ runner, files: expected });
});
