import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";
import { withoutRunner } from "./harness/without-runner.ts";

/** What a terminal, a log or a review would obey: C0 but for line ends and tabs, C1, bidi and zero-width characters. */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

const HOSTILE = String.raw`\u001b[2J\u001b]52;c;ZXZpbA==\u0007 \u202eevil\u202c \r\u009b31m\u200b`;

const HOSTILE_STEP = `
import { defineStep, fail } from "veritest";
import { z } from "zod";
const hostile = "${HOSTILE}";
export const answer = defineStep({
  name: "answer",
  input: z.object({ question: z.string() }),
  output: z.object({ items: z.array(z.object({ id: z.string(), text: z.string() })) }),
  keyBy: { items: "id" },
  roles: { ask: "model" },
  run: async (input, ctx) => {
    if (process.env.CHANGED === "failure") return fail("model" + hostile, "said " + hostile);
    if (process.env.CHANGED === "throw") throw new Error("said " + hostile);
    const text = await ctx.adapters.ask(input.question + (process.env.CHANGED === "prompt" ? hostile : ""));
    return { output: { items: [{ id: "k" + hostile, text: text + (process.env.CHANGED ?? "") }] }, events: [{ type: hostile }] };
  },
});
export const ask = async () => "said " + hostile;
`;

const IMPORTS = 'import { afterEach, expect, test } from "runner";\nimport { answer, ask } from "./steps.js";\n';

const CAPTURE_TEST = `${IMPORTS}test("answer", async () => { await expect(answer).toMatchBaseline({ input: { question: "${HOSTILE}" }, adapters: { ask }, name: "asked" }); });\n`;

const CHANGES_TEST = `${IMPORTS}
afterEach(() => { delete process.env.CHANGED; });
for (const change of ["changed", "failure", "throw", "prompt"]) {
  test(change, async () => {
    process.env.CHANGED = change;
    await expect(answer).toRecomputeClean({ names: ["asked"] });
  });
}
`;

const RESULT_TEST = testFile(`
test("a result, a diff, errors", async () => {
  const { result } = await withReplay(extractClaims, { text: "c2 c1" }, { adapters: { llm } });
  expect(result.value).toMatchSnapshot("result");
  expect(result).toMatchSnapshot("wrapped");
  expect(diff({ total: 1, gone: true }, { total: 2, come: "x" })).toMatchSnapshot("diff");
  expect({ deep: [diff({ a: 1 }, { a: 2 })] }).toMatchSnapshot("nested");
  expect(fail("json_error", "No JSON.", { retryable: true })).toMatchSnapshot("failure");
  const failed = await run(extractClaims, { text: 1 }, { adapters: { llm } });
  expect(failed.error).toMatchSnapshot("error");
});
`);

/** Put together at run time, so that no scanner takes this file for a leak. */
const PASSWORD = ["Xk7", "pQ2m", "Zt9"].join("");

const LOGIN_TEST = `import { expect, test } from "runner";
import { defineStep, fail } from "veritest";
import { run } from "veritest/kernel";
import { z } from "zod";
const login = defineStep({
  name: "login",
  input: z.object({ text: z.string() }),
  output: z.object({ password: z.string() }),
  run: ({ text }) => ({ output: { password: text.split(" ")[1] } }),
});
test("a login", async () => {
  const { value } = await run(login, { text: ["use", ["Xk7", "pQ2m", "Zt9"].join("")].join(" ") }, { adapters: {} });
  expect(value).toMatchSnapshot("whole");
  expect(value).toMatchInlineSnapshot();
  expect(fail("refused", "password: " + value.output.password)).toMatchInlineSnapshot();
});
`;

/** Matchers that are used incorrectly, each on a line of its own, by the test's title. */
const MISUSED: Readonly<Record<string, string>> = {
  "a misspelt option": 'await expect(countWords).toMatchBaseline({ input: { text: "a" }, nmae: "a" });',
  "not awaited": 'expect(countWords).toMatchBaseline({ input: { text: "a" }, nmae: "a" });',
  "another matcher": 'await expect(countWords).toRecomputeClean({ nmaes: ["a"] });',
  "not a step": "await expect(() => 1).toRecomputeClean();",
  "an invalid input": "await expect(countWords).toMatchBaseline({ input: { text: 1 } });",
  "a matcher that isn't asynchronous": "expect(1).toBeOk();",
};
const MISUSED_TEST = testFile(
  Object.entries(MISUSED)
    .map(([title, call]) => `test(${JSON.stringify(title)}, async () => {\n  ${call}\n});\n`)
    .join(""),
);

/** Snapshots that RESULT_TEST writes, by runner. */
const printed = new Map<string, readonly string[]>();

describe.each(sampled(majors))("$name", (runner) => {
  test("the stack of a matcher that is used incorrectly begins at its line in the test", async () => {
    const project = createProject(runner);
    project.write({ "misused.test.js": MISUSED_TEST });
    const { exitCode, stdout, stderr } = await project.runAs(["misused.test"]);
    expect(exitCode).toBe(1);
    const lines = project.read("misused.test.js").split("\n");
    const output = `${stdout}\n${stderr}`;
    const titles = Object.keys(MISUSED);
    const reported = titles.map((title) => {
      const head = new RegExp(`(?:FAIL .* > |● )${title}\n`);
      const [failure = ""] = output.split(head).slice(1);
      return [title, Number(/misused\.test\.js:(\d+):/.exec(failure)?.[1])];
    });
    const expected = titles.map((title) => [
      title,
      lines.findIndex((line) => line.includes(JSON.stringify(title))) + 2,
    ]);
    expect(reported).toStrictEqual(expected);
    expect(output).not.toMatch(/veritest[\\/]dist/);
  });

  test("hostile text of a model or a file is escaped in the terminal and in baselines", async () => {
    const project = createProject(runner);
    project.write({ "steps.js": HOSTILE_STEP, "answer.test.js": CAPTURE_TEST });
    await project.capture();
    const [path = ""] = project.baselines();
    const text = project.read(path);
    expect(text).not.toMatch(OBEYED);

    project.remove("answer.test.js");
    project.write({
      "changes.test.js": CHANGES_TEST,
      [path.replace("asked-", "torn-")]: text.replace("{", "\u001b]0;evil\u0007{"),
    });
    const ran = await project.run();
    expect(ran.exitCode).toBe(1);
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(OBEYED);
    expect(withoutRunner(ran.failures, runner)).toMatchInlineSnapshot(`
      {
        "changed": "answer: 2 of 2 baselines failed (recompute with recorded calls)

        __baselines__/answer/asked-c1e63f6b.json  value_changed
          cause: code (same requests, same responses, new output)
          items["k\\u001b[2J\\u001b]52;c;ZXZpbA==\\u0007 \\u202eevil\\u202c \\r\\u009b31m\\u200b"].text: 46 characters (was 39), 1 wo…
            word 4: … \\u001b[2J\\u001b]52;c;ZXZpbA==\\u0007 \\u202eevil\\u202c \\r
              [-\\u009b31m\\u200b-]{+\\u009b31m\\u200bchanged+}
        __baselines__/answer/torn-c1e63f6b.json  broken
          Cannot read it: it isn't JSON (Unexpected token '\\u001b', "\\u001b]0;evil\\u0007{"... is not valid JSON). Restore the file with npx veritest repair --restore, or delete it and capture the case again.

      Review the changes. Accept them with -u, or accept exactly these with: npx veritest review",
        "failure": "answer: 2 of 2 baselines failed (recompute with recorded calls)

        __baselines__/answer/asked-c1e63f6b.json  failed
          cause: code (it fails with the recorded responses)
          model\\u001b[2J\\u001b]52;c;ZXZpbA==\\u0007 \\u202eevil\\u202c \\r\\u009b31m\\u200b: said \\u001b[2J\\u001b]52;c;ZXZpbA==\\u0007 \\u202eevil\\u202c \\r\\u009b31m\\u200b
        __baselines__/answer/torn-c1e63f6b.json  broken
          Cannot read it: it isn't JSON (Unexpected token '\\u001b', "\\u001b]0;evil\\u0007{"... is not valid JSON). Restore the file with npx veritest repair --restore, or delete it and capture the case again.

      -u doesn't accept failures. Fix the step, or delete the baseline if you removed the case.",
        "prompt": "answer: 2 of 2 baselines failed (recompute with recorded calls)

        __baselines__/answer/asked-c1e63f6b.json  request_changed
          cause: mixed: code (with the recorded responses: items["k\\u001b[2J\\u001b]52;c;ZXZpbA==\\u0007 \\u202eevil\\u202c \\r\\u009b31m\\u200b"].text: (+66 characters) …b31m\\u200b" → (+66 characters) …b31m\\u200bprompt"), prompt (ask request[0] changed)
          adapter "ask" was called with a request that wasn't recorded (1 recorded for it)
          request[0]: 68 characters (was 34), 1 wording change
            word 3: \\u001b[2J\\u001b]52;c;ZXZpbA==\\u0007 \\u202eevil\\u202c \\r
              {+\\u009b31m\\u200b\\u001b[2J\\u001b]52;c;ZXZpbA==\\u0007 \\u202eevil\\u202c
              \\r+}\\u009b31m\\u200b
        __baselines__/answer/torn-c1e63f6b.json  broken
          Cannot read it: it isn't JSON (Unexpected token '\\u001b', "\\u001b]0;evil\\u0007{"... is not valid JSON). Restore the file with npx veritest repair --restore, or delete it and capture the case again.

      Is the new request intended? Pass the current adapters ({ adapters }) to the matcher and record its response:

        npx <runner> changes.test.js -t "^prompt$" -u",
        "throw": "answer: 2 of 2 baselines failed (recompute with recorded calls)

        __baselines__/answer/asked-c1e63f6b.json  failed
          cause: code (it fails with the recorded responses)
          execution_failed: said \\u001b[2J\\u001b]52;c;ZXZpbA==\\u0007 \\u202eevil\\u202c \\r\\u009b31m\\u200b
          thrown at steps.js:LINE
        __baselines__/answer/torn-c1e63f6b.json  broken
          Cannot read it: it isn't JSON (Unexpected token '\\u001b', "\\u001b]0;evil\\u0007{"... is not valid JSON). Restore the file with npx veritest repair --restore, or delete it and capture the case again.

      -u doesn't accept failures. Fix the step, or delete the baseline if you removed the case.",
      }
    `);
  });
});

describe.each(majors)("$name", (runner) => {
  test("no secret of a result is written into snapshots, inline ones included, another machine's run is clean, and names aren't obeyed", async () => {
    const project = createProject(runner);
    project.write({ "login.test.js": LOGIN_TEST });
    // A name that a terminal and a CI job would obey.
    project.write({ "__baselines__/d\u001b]52;c;ZXZpbA==\u0007/x\n::error::forged-00000000.json": "" });
    const first = await project.run();
    expect(first).toMatchObject({ exitCode: 0, failures: {} });
    const printed = `${first.stdout}\n${first.stderr}`;
    expect(printed).toContain(String.raw`d\u001b]52;c;ZXZpbA==\u0007/x\n`);
    expect(printed).not.toMatch(/\u001b\]52|^\s*::error/m);
    const written = `${project.read("login.test.js")}${project.read("__snapshots__/login.test.js.snap")}`;
    expect(written).not.toContain(PASSWORD);
    expect(written.match(/"text": "use «redacted:password#1»"/g)).toHaveLength(2);
    expect(written).toContain("StepFailure refused: password: «redacted:password#1»");
    const again = await project.run([], { env: { VERITEST_NOTES_DIR: `${project.folder}/other-notes`, CI: "1" } });
    expect(again).toMatchObject({ exitCode: 0, failures: {} });
  });

  test("the serializer prints results, diffs and errors", async () => {
    const project = createProject(runner);
    project.write({ "result.test.js": RESULT_TEST });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {}, snapshot: { added: 6 } });
    const [, ...parts] = project
      .read("__snapshots__/result.test.js.snap")
      .replaceAll(" > ", ": ")
      .split(/^exports/m);
    printed.set(
      runner.name,
      parts.map((part) => part.trim()),
    );
  });
});

test("the serializer prints the same on every runner", () => {
  const [first = [], ...others] = printed.values();
  expect(others).toEqual(majors.slice(1).map(() => first));
  expect(first.filter((part) => /(?:diff|result) 1`/.test(part)).join("\n")).toMatchInlineSnapshot(`
    "[\`a result, a diff, errors: diff 1\`] = \`
    Diff
    + come: "x"
    - gone: true
      total: 1 → 2
    \`;
    [\`a result, a diff, errors: result 1\`] = \`
    StepResult {
      "commands": [
        {
          "payload": {
            "count": 2,
          },
          "topic": "claims.extracted",
          "type": "emit",
        },
      ],
      "events": [
        {
          "payload": {
            "count": 2,
          },
          "type": "claims_extracted",
        },
      ],
      "input": {
        "text": "c2 c1",
      },
      "output": {
        "claims": [
          {
            "confidence": 0.9,
            "id": "c1",
          },
          {
            "confidence": 0.9,
            "id": "c2",
          },
        ],
      },
      "step": "extract-claims",
    }
    \`;"
  `);
});
