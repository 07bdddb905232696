// @module-tag deep
import { afterAll, expect, test } from "vitest";
import { ENVIRONMENT, makeProject, removeProjects } from "../../../test-support/trial-project.ts";
import { changedSteps } from "./changed-steps.ts";
import { changesBetween } from "./changes.ts";

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
  ["other code", STEP.replace("output: {}", "output: { team: 1 }"), []],
  ["a further step", `${STEP}export const rank = defineStep({ name: "rank", keyBy: { hits: "id" }, run });\n`, []],
])("finds %s of an older step", async (_, after, expected) => {
  const project = makeProject();
  const treeWith = (text: string): string => {
    project.put("src/triage.ts", text);
    project.git("add", "--all", "--force");
    return project.git("write-tree").trim();
  };
  const [old, tree] = [treeWith(STEP), treeWith(after)];
  const call = { cwd: project.root, environment: ENVIRONMENT };
  const changes = await changesBetween(old, tree, { ...call, renames: true });
  if (!changes.ok) throw new Error(changes.error);
  const findings = await changedSteps(changes.value, call);
  expect(findings.map(({ path, line, detail }) => `${path}:${line}: ${detail}`)).toStrictEqual(expected);
});
