import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { anyRunner } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const CASES = [
  "good",
  "truncated",
  "empty",
  "conflict",
  "future",
  "other step",
  "wrong input",
  "wrong output",
  "no object",
  "bad field",
];

const DAMAGE: Readonly<Record<string, (text: string) => string>> = {
  truncated: (text) => text.slice(0, 120),
  empty: () => "",
  conflict: (text) => text.replace('"labels": [],\n', '"labels": [],\n<<<<<<< HEAD\n  "meta": {},\n=======\n'),
  future: (text) => text.replace('"version": 2', '"version": 7'),
  "other step": (text) => text.replace('"step": "extract-claims"', '"step": "summarize"'),
  "wrong input": (text) => text.replace('"text": "wrong input"', '"text": "another input"'),
  "wrong output": (text) => text.replace('"confidence": 0.9', '"confidence": 0.8'),
  "no object": () => "[1, 2]\n",
  edited: (text) => text.replace('"total": 1', '"total": 2'),
  moved: (text) => text.replace('"test": "claims.test.js"', '"test": "other.test.js"'),
  "bad field": (text) => text.replace('"labels": []', '"labels": "none"'),
};

const CLAIMS_TEST = testFile(`
for (const name of ${JSON.stringify(CASES)}) {
  test(name, async () => {
    await expect(extractClaims).toMatchBaseline({ input: { text: name }, adapters: { llm }, name });
  });
}
test("sweep", async () => { await expect(extractClaims).toRecomputeClean(); });
test("replay", async () => { await expect(extractClaims).toReplay(); });
test("edited value", async () => { await expect({ total: 1 }).toMatchBaseline({ name: "edited" }); });
test("moved value", async () => { await expect({ total: 1 }).toMatchBaseline({ name: "moved" }); });
`);

function fileOf(project: Project, name: string): string {
  const slug = name.replaceAll(" ", "-");
  return project.baselines().find((path) => path.includes(`/${slug}-`)) ?? `no baseline of ${name}`;
}

describe.each(anyRunner)("$name", (runner) => {
  test("each kind of damage has its own message, hides no other baseline, and survives -u", async () => {
    const project = createProject(runner);
    // What is not damaged is written all the same, and tells that -u was in force.
    project.write({
      "claims.test.js": CLAIMS_TEST,
      "veritest.config.mjs": 'export default { transaction: { scope: "test" } };\n',
    });
    await project.capture();
    for (const [name, damage] of Object.entries(DAMAGE)) {
      const path = fileOf(project, name);
      const text = damage(project.read(path));
      expect(text).not.toBe(project.read(path));
      project.write({ [path]: text });
    }
    const damaged = project.tree();

    const plain = await project.run([], { env: { CHANGED: "field+command" } });
    expect(plain.failures).toMatchInlineSnapshot(`
      {
        "bad field": "extract-claims: 1 of 1 baseline failed (recorded calls)

        __baselines__/extract-claims/bad-field-a49dfd93.json  broken
          Cannot read it: "labels" is not a list of strings. Restore the file with npx veritest repair --restore, or delete it and capture the case again.",
        "conflict": "extract-claims: 1 of 1 baseline failed (recorded calls)

        __baselines__/extract-claims/conflict-773d1fe4.json  broken
          Cannot read it: it has git conflict markers (line 11). Keep one side with git checkout --ours or --theirs, run git add, and run its test with -u.",
        "edited value": "edited: 1 of 1 baseline failed (value)

        __baselines__/claims.test.js/edited-0fa4f914.json  broken
          Cannot use it: hash mismatch of value. It was probably edited by hand or damaged in a merge. Restore the file with npx veritest repair --restore, or delete it and capture the case again.",
        "empty": "extract-claims: 1 of 1 baseline failed (recorded calls)

        __baselines__/extract-claims/empty-dd924228.json  broken
          Cannot read it: it is empty. Restore the file with npx veritest repair --restore, or delete it and capture the case again.",
        "future": "extract-claims: 1 of 1 baseline failed (recorded calls)

        __baselines__/extract-claims/future-82610d84.json  broken
          Cannot read it: it has format 7, and this version of veritest only reads formats up to 2. Update veritest: npm install --save-dev veritest@latest",
        "good": "extract-claims: 1 of 1 baseline changed (recorded calls)

        __baselines__/extract-claims/good-2e8a9b88.json  commands_changed
          cause: code (same requests, same responses, new output)
        - commands["emit claims.extracted"]: {"payload":{"count":1},"topic":"claims.extracted","type":"emit"}
        + commands.review: {"reason":"low confidence","type":"review"}

      Review the changes. Accept them with -u, or accept exactly these with: npx veritest review",
        "moved value": "moved: 1 of 1 baseline failed (value)

        __baselines__/claims.test.js/moved-900e1d50.json  broken
          Cannot use it: it is a baseline of "other.test.js", in the directory of "claims.test.js". Move it to other.test.js/ or delete it.",
        "no object": "extract-claims: 1 of 1 baseline failed (recorded calls)

        __baselines__/extract-claims/no-object-fdbecdbe.json  broken
          Cannot read it: it doesn't contain a JSON object. Restore the file with npx veritest repair --restore, or delete it and capture the case again.",
        "other step": "extract-claims: 1 of 1 baseline failed (recorded calls)

        __baselines__/extract-claims/other-step-af9352d6.json  broken
          Cannot use it: it is a baseline of "summarize", in the directory of "extract-claims". Move it to summarize/ or delete it.",
        "replay": "extract-claims: 10 of 10 baselines failed (replay)

        __baselines__/extract-claims/bad-field-a49dfd93.json  broken
          Cannot read it: "labels" is not a list of strings. Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/conflict-773d1fe4.json  broken
          Cannot read it: it has git conflict markers (line 11). Keep one side with git checkout --ours or --theirs, run git add, and run its test with -u.
        __baselines__/extract-claims/empty-dd924228.json  broken
          Cannot read it: it is empty. Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/future-82610d84.json  broken
          Cannot read it: it has format 7, and this version of veritest only reads formats up to 2. Update veritest: npm install --save-dev veritest@latest
        __baselines__/extract-claims/good-2e8a9b88.json  commands_changed
          commands[0]:
            - {"payload":{"count":1},"topic":"claims.extracted","type":"emit"}
            + {"reason":"low confidence","type":"review"}
        __baselines__/extract-claims/no-object-fdbecdbe.json  broken
          Cannot read it: it doesn't contain a JSON object. Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/other-step-af9352d6.json  broken
          Cannot use it: it is a baseline of "summarize", in the directory of "extract-claims". Move it to summarize/ or delete it.
        __baselines__/extract-claims/truncated-fba5573c.json  broken
          Cannot read it: it isn't JSON (Unterminated string in JSON at position 120 (line 7 column 13)). Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/wrong-input-ffd56211.json  broken
          Cannot use it: Input hash mismatch. It was probably edited by hand or damaged in a merge. Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/wrong-output-e7192413.json  broken
          Cannot use it: The snapshot of step "extract-claims" is damaged: hash mismatch of step-output. It was probably edited by hand or damaged in a merge. Restore the file with npx veritest repair --restore, or delete it and capture the case again.

      toReplay never updates a baseline. If the change is intended, replace toReplay with await expect(step).toRecomputeClean() and run once with -u. If it isn't, fix the step.",
        "sweep": "extract-claims: 10 of 10 baselines failed (recompute with recorded calls)

        __baselines__/extract-claims/bad-field-a49dfd93.json  broken
          Cannot read it: "labels" is not a list of strings. Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/conflict-773d1fe4.json  broken
          Cannot read it: it has git conflict markers (line 11). Keep one side with git checkout --ours or --theirs, run git add, and run its test with -u.
        __baselines__/extract-claims/empty-dd924228.json  broken
          Cannot read it: it is empty. Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/future-82610d84.json  broken
          Cannot read it: it has format 7, and this version of veritest only reads formats up to 2. Update veritest: npm install --save-dev veritest@latest
        __baselines__/extract-claims/good-2e8a9b88.json  commands_changed
          cause: code (same requests, same responses, new output)
        - commands["emit claims.extracted"]: {"payload":{"count":1},"topic":"claims.extracted","type":"emit"}
        + commands.review: {"reason":"low confidence","type":"review"}
        __baselines__/extract-claims/no-object-fdbecdbe.json  broken
          Cannot read it: it doesn't contain a JSON object. Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/other-step-af9352d6.json  broken
          Cannot use it: it is a baseline of "summarize", in the directory of "extract-claims". Move it to summarize/ or delete it.
        __baselines__/extract-claims/truncated-fba5573c.json  broken
          Cannot read it: it isn't JSON (Unterminated string in JSON at position 120 (line 7 column 13)). Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/wrong-input-ffd56211.json  broken
          Cannot use it: Input hash mismatch. It was probably edited by hand or damaged in a merge. Restore the file with npx veritest repair --restore, or delete it and capture the case again.
        __baselines__/extract-claims/wrong-output-e7192413.json  broken
          Cannot use it: The snapshot of step "extract-claims" is damaged: hash mismatch of step-output. It was probably edited by hand or damaged in a merge. Restore the file with npx veritest repair --restore, or delete it and capture the case again.

      Review the changes. Accept them with -u, or accept exactly these with: npx veritest review",
        "truncated": "extract-claims: 1 of 1 baseline failed (recorded calls)

        __baselines__/extract-claims/truncated-fba5573c.json  broken
          Cannot read it: it isn't JSON (Unterminated string in JSON at position 120 (line 7 column 13)). Restore the file with npx veritest repair --restore, or delete it and capture the case again.",
        "wrong input": "extract-claims: 1 of 1 baseline failed (recorded calls)

        __baselines__/extract-claims/wrong-input-ffd56211.json  broken
          Cannot use it: Input hash mismatch. It was probably edited by hand or damaged in a merge. Restore the file with npx veritest repair --restore, or delete it and capture the case again.",
        "wrong output": "extract-claims: 1 of 1 baseline failed (recorded calls)

        __baselines__/extract-claims/wrong-output-e7192413.json  broken
          Cannot use it: The snapshot of step "extract-claims" is damaged: hash mismatch of step-output. It was probably edited by hand or damaged in a merge. Restore the file with npx veritest repair --restore, or delete it and capture the case again.",
      }
    `);
    expect(plain.summary).toMatchInlineSnapshot(`
      "Baselines  11 broken, 1 commands_changed
                 g-5c2552  1 × extract-claims  new command review("low confidence")…
                 –         9 × extract-claims  broken
                 –         2 × claims.test.js  broken
                 1 change is pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(project.tree()).toEqual(damaged);

    const good = fileOf(project, "good");
    const update = await project.run(["-u"], { env: { CHANGED: "command" } });
    expect(Object.keys(update.failures).toSorted()).toEqual(
      [...CASES.slice(1), "sweep", "replay", "edited value", "moved value"].toSorted(),
    );
    expect(update.summary).toMatchInlineSnapshot(`
      "Baselines  1 updated, 11 broken
                 9 × extract-claims  broken
                 2 × claims.test.js  broken
                 updated: read and commit
                   __baselines__/extract-claims/good-2e8a9b88.json"
    `);
    const { [good]: before, ...restBefore } = damaged;
    const { [good]: after, ...restAfter } = project.tree();
    expect(after).not.toBe(before);
    expect(restAfter).toEqual(restBefore);
  });
});
