// @module-tag deep
import { afterAll, expect, test } from "vitest";
import { changesOf } from "../../../test-support/file-changes.ts";
import { removeProjects } from "../../../test-support/trial-project.ts";
import { changedSteps } from "./changed-steps.ts";

afterAll(removeProjects, 120_000);

const STEP = `export const triage = defineStep({
  name: "triage",
  input,
  output,
  run: async () => ({ output: {} }),
});
`;

test.each<readonly [string, string, readonly string[]]>([
  [
    "a rule, other calls and a spread",
    STEP.replace("  input,", '  compare: { "**": anything() },\n  calls: "none",\n  ...options,\n  input,'),
    [
      'src/triage.ts:3: it changes how baselines are compared: compare: { "**": anything() }',
      'src/triage.ts:4: it changes how baselines are compared: calls: "none"',
      "src/triage.ts:5: it changes how baselines are compared: ...options",
    ],
  ],
  [
    "another name",
    STEP.replace('"triage"', '"triage-2"'),
    ['src/triage.ts:2: it changes how baselines are compared: name: "triage-2"'],
  ],
  [
    "a wrapper of defineStep",
    `import { make } from "./make.ts";\n${STEP.replace("defineStep", "make")}`,
    ["src/triage.ts:2: it changes how baselines are compared: make from ./make.ts"],
  ],
  [
    "a function with the name of defineStep",
    `import { step as defineStep } from "./make.ts";\n${STEP}`,
    ["src/triage.ts:2: it changes how baselines are compared: defineStep (step) from ./make.ts"],
  ],
  [
    "a computed key",
    STEP.replace("name:", '["name" as "name"]:').replace('"triage"', '"triage-2"'),
    ['src/triage.ts:2: it changes how baselines are compared: ["name" as "name"]: "triage-2"'],
  ],
  [
    "a constant for the name",
    `const NAME = "triage-2";\n${STEP.replace('"triage"', "NAME")}`,
    ['src/triage.ts:3: it changes how baselines are compared: name: NAME = "triage-2"'],
  ],
  [
    "a variable with all options",
    STEP.replace("defineStep({", "defineStep(options, {"),
    [
      "src/triage.ts:1: it changes how baselines are compared: options",
      'src/triage.ts:1: it changes how baselines are compared: {\n  name: "triage",\n  input,\n  output,\n  run: async () => ({ output: {} }),\n}',
    ],
  ],
  [
    "another name next to a further step",
    `${STEP.replace('"triage"', '"triage-2"')}export const rank = defineStep({ name: "rank", run });\n`,
    [
      'src/triage.ts:2: it changes how baselines are compared: name: "triage-2"',
      'src/triage.ts:7: it changes how baselines are compared: name: "rank"',
    ],
  ],
  ["other code", STEP.replace("output: {}", "output: { team: 1 }"), []],
  ["a further step", `${STEP}export const rank = defineStep({ name: "rank", keyBy: { hits: "id" }, run });\n`, []],
])("finds %s of an older step", async (_, after, expected) => {
  const { changes, call } = await changesOf({ "src/triage.ts": STEP }, { "src/triage.ts": after });
  const findings = await changedSteps(changes, call);
  expect(findings.map(({ path, line, detail }) => `${path}:${line}: ${detail}`)).toStrictEqual(expected);
});

test("finds an option of an older step that moved to another file", async () => {
  const moved = STEP.replace("{\n", '{\n  calls: "none",\n').replace("async () =>", "async (_input, _context) =>");
  const files = { "src/triage.ts": "", "src/steps/all.ts": moved };
  const { changes, call } = await changesOf({ "src/triage.ts": STEP }, files, { renames: false });
  const findings = await changedSteps(changes, call);
  expect(findings.map(({ path, line, detail }) => `${path}:${line}: ${detail}`)).toStrictEqual([
    'src/steps/all.ts:2: it changes how baselines are compared: calls: "none"',
  ]);
});
