import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_POLICY } from "../updates/policy.ts";
import { loadConfig } from "./load-config.ts";

function project(name?: string, text = ""): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-config-")));
  // A package.json of others above the temporary folder says nothing of its modules.
  writeFileSync(join(root, "package.json"), "{}");
  if (name !== undefined) writeFileSync(join(root, name), text);
  return root;
}

async function problemOf(text: string): Promise<string> {
  const root = project("veritest.config.mjs", text);
  const loaded = await loadConfig(root);
  return loaded.ok ? "loaded" : loaded.error.replace(root, "…");
}

test("a project without a configuration has the defaults", async () => {
  expect(await loadConfig(project())).toStrictEqual({
    ok: true,
    value: {
      file: undefined,
      mode: undefined,
      policy: DEFAULT_POLICY,
      worker: DEFAULT_POLICY.redact,
      report: { formats: [] },
    },
  });
});

test("a client without a key in an imported module advises to import steps on demand", async () => {
  expect(await problemOf('throw new Error("Missing credentials. Pass an apiKey."); export default {};')).toBe(
    "…/veritest.config.mjs:1 can't be loaded: Missing credentials. Pass an apiKey. If its steps need a key, import them " +
      'on demand: steps: () => import("./steps/index.ts").',
  );
});

test.each([
  ["an error", "export default {\n  mode: live };", ":2 can't be loaded: live is not defined."],
  ["invalid syntax", "export default {\n  a: [1, 2\n};", ":3 can't be loaded: Expected ',', got '}'."],
  [
    "a package that isn't installed",
    'import "nope";',
    " can't be loaded: Cannot find package 'nope' imported from …. If it's a path alias of tsconfig.json (paths), install jiti: npm install --save-dev jiti.",
  ],
  [
    "a required file that doesn't exist",
    'module.exports = require("./nope");',
    ":1 can't be loaded: Cannot find module './nope' imported from ….",
  ],
  ["JSX", "const a = <p/>;\nexport default {};", ":1 can't be loaded: Expression expected."],
  [
    "an error that names another line",
    "throw new Error(`see ${import.meta.filename}:99`);",
    ":1 can't be loaded: see …:99.",
  ],
  [
    "an error whose message changed after its stack was read",
    '\nconst e = new Error("a"); void e.stack; e.message = "no"; throw e;',
    ":2 can't be loaded: no.",
  ],
  ["an error without a readable stack", 'throw { message: "no", get stack() { throw 1; } };', " can't be loaded: no."],
])("names the line of %s, and doesn't advise another loader", async (_what, text, problem) => {
  const root = project("veritest.config.ts", text);
  const file = join(root, "veritest.config.ts");
  const loaded = await loadConfig(root);
  expect(loaded.ok ? "" : loaded.error.replace(file, "").replace(file, "…")).toBe(problem);
});

test("names the line in a folder whose path is different in a URL", async () => {
  const root = join(project(), "a b");
  mkdirSync(root);
  writeFileSync(join(root, "veritest.config.mjs"), "\nthrow new Error('no');");
  const loaded = await loadConfig(root);
  expect(loaded.ok ? "" : loaded.error).toBe(`${join(root, "veritest.config.mjs")}:2 can't be loaded: no.`);
});

test("an empty configuration has the defaults", async () => {
  const root = project("veritest.config.js", "module.exports = {};");
  expect(await loadConfig(root)).toStrictEqual({
    ok: true,
    value: {
      file: join(root, "veritest.config.js"),
      mode: undefined,
      policy: DEFAULT_POLICY,
      worker: DEFAULT_POLICY.redact,
      report: { formats: [] },
    },
  });
});

test("reads TypeScript, and fills in the defaults", async () => {
  const text = `const actor: "agent" = "agent";
export default { mode: "replay", transaction: { scope: "file" }, policy: { actor, agents: "propose-only", maxUpdates: 3, verify: [{ name: "types", run: ["tsc"] }] } };`;
  const loaded = await loadConfig(project("veritest.config.ts", text));
  expect(loaded.ok && loaded.value).toMatchObject({
    mode: "replay",
    policy: {
      ...DEFAULT_POLICY,
      scope: "file",
      actor: "agent",
      agents: "propose-only",
      maxUpdates: 3,
      verify: [{ name: "types", run: ["tsc"], timeoutMs: 600_000 }],
    },
  });
});

test("loads syntax that Node can't strip with the project's own jiti", { tags: "deep" }, async () => {
  const root = project(
    "veritest.config.ts",
    `enum Kind { Agent = "agent" }\nexport default { policy: { actor: Kind.Agent } };`,
  );
  const without = await loadConfig(root);
  expect(without.ok ? "loaded" : without.error).toContain(
    "Use code that Node can load (no enums, imports with file extensions), or install jiti",
  );
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(root, "node_modules"));
  const loaded = await loadConfig(root);
  expect(loaded.ok && loaded.value.policy.actor).toBe("agent");
});

test("loads path aliases of tsconfig.json with the project's own jiti", { tags: "deep" }, async () => {
  const root = project("veritest.config.ts", 'import { actor } from "~/actor";\nexport default { policy: { actor } };');
  writeFileSync(join(root, "tsconfig.json"), '{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }');
  mkdirSync(join(root, "src"));
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(root, "node_modules"));
  const missing = await loadConfig(root);
  expect(missing.ok ? "loaded" : missing.error).toMatch(
    /Cannot find module '[^'\n]*actor' imported from \S+veritest\.config\.ts\.$/,
  );
  writeFileSync(join(root, "src/actor.ts"), 'export const actor = "agent";');
  const loaded = await loadConfig(root);
  expect(loaded.ok && loaded.value.policy.actor).toBe("agent");
});

test("loads by jiti also beside a tsconfig.json that can't be read", { tags: "deep" }, async () => {
  const root = project(
    "veritest.config.ts",
    `enum Kind { Agent = "agent" }\nexport default { policy: { actor: Kind.Agent } };`,
  );
  writeFileSync(join(root, "tsconfig.json"), '{ "extends": "./generated/tsconfig.json" }');
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(root, "node_modules"));
  const loaded = await loadConfig(root);
  expect(loaded.ok && loaded.value.policy.actor).toBe("agent");
});

test.each<[string, string]>([
  [
    "export default { polcy: {} }",
    '…/veritest.config.mjs: the default export: Unrecognized key: "polcy" (did you mean "policy"?).',
  ],
  [
    "export default { policy: { agent: 1 } }",
    '…/veritest.config.mjs: policy: Unrecognized key: "agent" (did you mean "agents"?).',
  ],
  ["export default { redact: { nothing: 1 } }", '…/veritest.config.mjs: redact: Unrecognized key: "nothing".'],
  [
    "export default { policy: { verify: [{ name: 'lint', run: ['a'], timeoutMS: 1 }] } }",
    '…/veritest.config.mjs: policy.verify[0]: Unrecognized key: "timeoutMS" (did you mean "timeoutMs"?).',
  ],
  [
    'export default { policy: { agents: "never" } }',
    '…/veritest.config.mjs: policy.agents: Invalid option: expected one of "propose-only"|"commit".',
  ],
  [
    'export default { policy: { forbid: ["bad"] } }',
    "…/veritest.config.mjs: policy.forbid[0]: expected one of broken, failed, schema_violation, request_changed, commands_changed, calls_changed, value_changed, events_changed, input_changed, missing, obsolete, clean.",
  ],
  ["export default { policy: { approve: true } }", "…/veritest.config.mjs: policy.approve: expected a function."],
  [
    'export default { policy: { verify: [{ name: "x", run: [] }] } }',
    "…/veritest.config.mjs: policy.verify[0].run: expected a program and its arguments.",
  ],
  [
    "export default { transaction: { pendingDays: -1 } }",
    "…/veritest.config.mjs: transaction.pendingDays: Too small: expected number to be >=0.",
  ],
  ["export default 7", "…/veritest.config.mjs: the default export: Invalid input: expected object, received number."],
  ['throw new Error("\\u001b[2Jboom")', "…/veritest.config.mjs:1 can't be loaded: \\u001b[2Jboom."],
])("refuses %s and names the wrong key", async (text, problem) => {
  expect(await problemOf(text)).toBe(problem);
});
