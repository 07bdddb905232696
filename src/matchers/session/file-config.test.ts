import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryProject } from "../../../test-support/temporary-project.ts";
import { redactionState } from "../../redact/redaction-state.ts";
import { followFileConfig } from "./file-config.ts";

const APPLIED = { ok: true, value: true };

function monorepo(configs: Readonly<Record<string, string>>): string {
  const root = temporaryProject("file-config");
  mkdirSync(join(root, ".git"));
  for (const [directory, text] of Object.entries(configs)) {
    mkdirSync(join(root, directory, "src"), { recursive: true });
    writeFileSync(join(root, directory, "veritest.config.mjs"), `export default ${text};`);
  }
  return root;
}

function fieldsIn(environment: NodeJS.ProcessEnv): unknown {
  const settings: unknown = JSON.parse(environment["VERITEST_REDACTION"] ?? "{}");
  return Reflect.get(Object(settings), "fields");
}

test("each test file has the settings of the nearest configuration above it", async () => {
  const root = monorepo({
    ".": '{ redact: { fields: ["ofRoot"] } }',
    "packages/a": '{ redact: { fields: ["ofA"] }, mode: "replay" }',
  });
  const environment: NodeJS.ProcessEnv = {};
  const use = followFileConfig(environment);
  expect(await use(join(root, "packages/a/src/a.test.ts"))).toStrictEqual(APPLIED);
  expect([fieldsIn(environment), environment["VERITEST_PROJECT_MODE"]]).toStrictEqual([["ofA"], "replay"]);
  expect(await use(join(root, "packages/b/src/b.test.ts"))).toStrictEqual(APPLIED);
  expect([fieldsIn(environment), environment["VERITEST_PROJECT_MODE"]]).toStrictEqual([["ofRoot"], undefined]);
});

test("a test file without a configuration has no settings of the previous file, and a new redactor", async () => {
  const { redactor } = redactionState();
  onTestFinished(() => {
    redactionState().redactor = redactor;
  });
  const root = monorepo({ a: '{ redact: { fields: ["ofA"] } }' });
  const environment: NodeJS.ProcessEnv = {};
  const use = followFileConfig(environment);
  await use(join(root, "a/src/a.test.ts"));
  expect(await use(join(root, "b/src/b.test.ts"))).toStrictEqual(APPLIED);
  expect([environment, redactionState().redactor]).toStrictEqual([{}, undefined]);
});

test("uses announced settings at once, without loading the file", () => {
  const root = monorepo({ ".": "neverLoaded()" });
  const file = join(root, "veritest.config.mjs");
  const text = JSON.stringify({ file, fields: ["announced"], mode: "live" });
  const environment = { VERITEST_CONFIGS: JSON.stringify({ [file]: { ok: true, value: text } }) };
  expect(followFileConfig(environment)(join(root, "src/a.test.ts"))).toStrictEqual(APPLIED);
  expect(environment).toMatchObject({ VERITEST_REDACTION: text, VERITEST_PROJECT_MODE: "live" });
});

test.each([
  ["announced", { ok: false, error: "it cannot be loaded." }, "it cannot be loaded."],
  ["loaded here", undefined, '<root>/veritest.config.mjs: redact: Unrecognized key: "field" (did you mean "fields"?).'],
])("an invalid configuration (%s) is an error for every check", async (_, announced, problem) => {
  const root = monorepo({ ".": '{ redact: { field: ["typo"] } }' });
  const table = announced === undefined ? {} : { [join(root, "veritest.config.mjs")]: announced };
  const use = followFileConfig({ VERITEST_CONFIGS: JSON.stringify(table) });
  const config = await use(join(root, "a.test.ts"));
  expect(config.ok ? "" : config.error.replace(root, "<root>")).toBe(
    `${problem} veritest doesn't check or write baselines until the configuration loads.`,
  );
});

test("ignores a configuration above the repository", async () => {
  const root = monorepo({ ".": '{ redact: { fields: ["outside"] } }' });
  mkdirSync(join(root, "clone", ".git"), { recursive: true });
  const environment: NodeJS.ProcessEnv = {};
  await followFileConfig(environment)(join(root, "clone", "src", "a.test.ts"));
  expect(environment).toStrictEqual({});
});
