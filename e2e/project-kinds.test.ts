/**
 * The kinds of project that users have, each made as its own tools make it: packages from the registry, `veritest init`,
 * the runner's own command. Nothing is written by hand but what `init` says is to be written by hand.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, expect, inject, onTestFinished, test } from "vitest";
import { childEnv } from "./harness/child-env.ts";
import { must } from "./harness/install.ts";
import { type ChildResult, runChild } from "./harness/run-child.ts";
import { isFull } from "./harness/runners.ts";

type Command = readonly [string, ...string[]];

interface Kind {
  readonly name: string;
  /** Beside veritest and zod; pinned by their major version, so that a run says the same for long. */
  readonly packages: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** What is run before `veritest init`, as the tools' own guides have it. */
  readonly before?: readonly Command[];
  /** What somebody writes by hand after it, because `init` or a message says so. */
  readonly byHand?: Readonly<Record<string, string>>;
  /** How the tests are run. */
  readonly run: Command;
  readonly env?: Readonly<Record<string, string>>;
  /** The package of a workspace that is set up, and whose tests are run. */
  readonly inside?: string;
  /** How packages are added for development; npm's way without it. */
  readonly manager?: Command;
  /** Whether `tsc` has to find nothing. */
  readonly typed?: boolean;
  /** True for a kind between two others of the list, which is tried only with `VERITEST_E2E=full`. */
  readonly full?: boolean;
}

/** Without `skipLibCheck`: the types of the package itself have to hold. */
function tsconfig(options: Readonly<Record<string, unknown>>): string {
  const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: "es2022", ...options };
  return JSON.stringify({ compilerOptions });
}

/** What `npm init -y` says of modules since npm 11. */
const INITIAL = { name: "kind", private: true, type: "commonjs" };

const NPM: Command = ["npm", "install", "--save-dev", "--no-audit", "--no-fund", "--prefer-offline"];
const VITEST_CONFIG = `import { defineConfig } from "vitest/config";
export default defineConfig({ test: { environment: "node" } });
`;
const JEST_TS = ["jest@30", "@types/jest@30", "@types/node@24", "typescript@5.9"];
const SWC = ["@swc/core@1", "@swc/jest@0.2"];
const SWC_CONFIG = `module.exports = { transform: { "^.+\\\\.(t|j)sx?$": "@swc/jest" } };\n`;

const KINDS: readonly Kind[] = [
  { name: "Jest without a configuration", packages: ["jest@30"], run: ["npx", "jest"] },
  {
    name: "Jest with ES modules",
    packages: ["jest@30"],
    manifest: { type: "module" },
    run: ["jest"],
    env: { NODE_OPTIONS: "--experimental-vm-modules --no-warnings" },
  },
  {
    name: "ts-jest as config:init makes it",
    packages: [...JEST_TS, "ts-jest@29"],
    files: { "tsconfig.json": tsconfig({ module: "commonjs", esModuleInterop: true, types: ["jest", "node"] }) },
    before: [["ts-jest", "config:init"]],
    run: ["jest"],
    typed: true,
  },
  {
    name: "ts-jest without a configuration",
    full: true,
    packages: ["jest@30", "ts-jest@29", "@types/jest@30", "typescript@6"],
    files: { "tsconfig.json": tsconfig({ module: "commonjs", esModuleInterop: true }) },
    run: ["jest"],
    typed: true,
  },
  {
    name: "ts-jest without any configuration, of TypeScript neither",
    packages: ["jest@30", "ts-jest@29", "@types/jest@30", "typescript@6"],
    run: ["jest"],
  },
  {
    name: "@swc/jest without a configuration",
    packages: ["jest@30", ...SWC, "typescript@7"],
    run: ["jest"],
  },
  {
    name: "@swc/jest",
    full: true,
    packages: [...JEST_TS, ...SWC],
    files: { "jest.config.js": SWC_CONFIG, "tsconfig.json": tsconfig({ module: "node16", types: ["jest", "node"] }) },
    run: ["jest"],
    typed: true,
  },
  {
    name: "babel-jest",
    packages: [
      "jest@30",
      "@types/jest@30",
      "@types/node@24",
      "typescript@7",
      "@babel/core@7",
      "@babel/preset-env@7",
      "@babel/preset-typescript@7",
    ],
    files: {
      "babel.config.js":
        'module.exports = { presets: [["@babel/preset-env", { targets: { node: "current" } }], "@babel/preset-typescript"] };\n',
      "tsconfig.json": tsconfig({ module: "node16", types: ["jest", "node"] }),
    },
    run: ["jest"],
    typed: true,
  },
  {
    name: "Jest projects",
    packages: ["jest@30"],
    files: {
      "jest.config.js": 'module.exports = { projects: ["<rootDir>/steps"] };\n',
      "steps/jest.config.js": "module.exports = {};\n",
    },
    byHand: {
      "jest.config.js":
        'module.exports = { projects: ["<rootDir>/steps"], reporters: ["default", "veritest/reporter/jest"] };\n',
      "steps/jest.config.js": 'module.exports = { preset: "veritest/jest" };\n',
    },
    run: ["jest"],
  },
  {
    name: "Jest 29 whose steps ground their answers and ask a model",
    packages: ["jest@29"],
    files: {
      "parts.test.js": `const { verifyGrounding } = require("veritest/grounding");
const { complete } = require("veritest/llm");
test("the parts for models and grounding load where Jest loads CommonJS", async () => {
  expect((await verifyGrounding("Seven doors.", ["Seven doors."])).value.support).toBe(1);
  expect(typeof complete).toBe("function");
});
`,
    },
    run: ["jest"],
  },
  {
    name: "Vitest in CommonJS without TypeScript",
    packages: ["vitest@5"],
    run: ["npx", "vitest", "run"],
  },
  {
    name: "Vitest with TypeScript 5.9 and bundler",
    packages: ["vitest@5", "typescript@5.9", "@types/node@24"],
    files: { "tsconfig.json": tsconfig({ module: "esnext", moduleResolution: "bundler" }) },
    manifest: { type: "module" },
    run: ["vitest", "run"],
    typed: true,
  },
  {
    name: "Vitest with TypeScript in a package of npm init",
    full: true,
    packages: ["vitest@5", "typescript@5.9", "@types/node@24"],
    files: { "tsconfig.json": tsconfig({ module: "preserve", moduleResolution: "bundler" }) },
    run: ["vitest", "run"],
    typed: true,
  },
  {
    name: "Vitest with TypeScript 6 and node16",
    packages: ["vitest@4", "typescript@6", "@types/node@24"],
    files: { "tsconfig.json": tsconfig({ module: "node16" }), "vitest.config.ts": VITEST_CONFIG },
    manifest: { type: "module" },
    run: ["vitest", "run"],
    typed: true,
  },
  {
    name: "Vitest with TypeScript 7",
    packages: ["vitest@5", "typescript@7", "@types/node@24"],
    files: { "tsconfig.json": tsconfig({ module: "nodenext" }) },
    manifest: { type: "module" },
    run: ["vitest", "run"],
    typed: true,
  },
  {
    name: "Vitest projects",
    packages: ["vitest@5"],
    files: {
      "vitest.config.mjs":
        'import { defineConfig } from "vitest/config";\nexport default defineConfig({ test: { projects: [{ test: { name: "unit" } }] } });\n',
    },
    byHand: {
      "vitest.config.mjs": `import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";
export default defineConfig({
  plugins: [veritest()],
  test: { projects: [{ extends: true, test: { name: "unit" } }] },
});
`,
    },
    run: ["vitest", "run"],
  },
  {
    name: "npm workspaces",
    packages: ["vitest@5"],
    manifest: { workspaces: ["packages/*"] },
    files: { "packages/claims/package.json": JSON.stringify({ name: "claims", type: "module" }) },
    inside: "packages/claims",
    run: ["vitest", "run"],
  },
  {
    name: "pnpm workspaces",
    packages: ["vitest@5"],
    files: {
      "pnpm-workspace.yaml": 'packages: ["packages/*"]\n',
      "packages/claims/package.json": JSON.stringify({ name: "claims", type: "module" }),
    },
    manager: ["npx", "--yes", "pnpm@10", "add", "--save-dev"],
    inside: "packages/claims",
    run: ["npx", "--yes", "pnpm@10", "exec", "vitest", "run"],
  },
  {
    name: "Node 22.12, the oldest, with Vitest",
    packages: ["vitest@5", "node@22.12.0"],
    manifest: { type: "module", scripts: { test: "vitest run" } },
    run: ["npm", "test"],
  },
  {
    name: "Node 22.12, the oldest, with Jest",
    packages: ["jest@30", "node@22.12.0"],
    manifest: { scripts: { test: "jest" } },
    run: ["npm", "test"],
  },
];

/** Projects with the packages of a runner alone, by the runner's package. */
const bases = new Map<string, string>();
afterAll(async () => {
  for (const base of bases.values()) await rm(base, { recursive: true, force: true });
});

/**
 * Installs the packages of a kind with its package manager. A project of npm starts as a copy of one with its runner
 * alone, and npm adds the other packages. The copy has the lock file and keeps times: without them, npm reads each
 * package again, which takes as long as a first installation.
 */
async function installKind(kind: Kind, root: string): Promise<void> {
  const { packages, manager, inside, manifest = {} } = kind;
  const [runner = "", ...others] = packages;
  const isPlain = manager === undefined && inside === undefined;
  const base = isPlain ? bases.get(runner) : undefined;
  if (base !== undefined) {
    copyInstalled(base, root);
    const { devDependencies } = JSON.parse(readFileSync(join(base, "package.json"), "utf8"));
    write(root, { "package.json": JSON.stringify({ ...INITIAL, ...manifest, devDependencies }) });
  }
  const missing = base === undefined ? [inject("tarball"), "zod@4", ...packages] : others;
  const [command, ...add] = manager ?? NPM;
  if (missing.length > 0) await must(command, [...add, ...missing], join(root, inside ?? "."));
  if (!isPlain || base !== undefined || others.length > 0) return;
  const kept = mkdtempSync(join(tmpdir(), "veritest-kind-packages-"));
  bases.set(runner, kept);
  copyInstalled(root, kept);
  cpSync(join(root, "package.json"), join(kept, "package.json"));
}

function copyInstalled(from: string, to: string): void {
  for (const name of ["node_modules", "package-lock.json"])
    cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

test.for(KINDS.filter(({ full }) => isFull || full !== true))("$name: init, capture and CI are green", async (kind) => {
  const { files = {}, manifest = {}, before = [], byHand, run, env, typed = false, inside = "." } = kind;
  const root = emptyProject({ manifest, files });
  const cwd = join(root, inside);
  await installKind(kind, root);
  const npx = run[0] === "npx" ? ["npx"] : [];
  const succeeds = async (...command: readonly string[]): Promise<void> => {
    const { exitCode, stdout, stderr } = await runInstalled([...npx, ...command], cwd);
    expect(exitCode, stdout + stderr).toBe(0);
  };
  for (const command of before) await succeeds(...command);
  const set = await runInstalled([...npx, "veritest", "init", "--yes"], cwd);
  expect(set.exitCode, set.stdout + set.stderr).toBe(byHand === undefined ? 0 : 1);
  write(cwd, byHand ?? {});
  for (const [said, more] of [
    ["Baselines  2 captured", {}],
    ["Baselines  2 clean", { CI: "1" }],
  ] as const) {
    const ran = await runInstalled(run, cwd, { ...env, ...more });
    expect([ran.exitCode, summaryOf(ran)], ran.stdout + ran.stderr).toEqual([0, said]);
  }
  await succeeds("veritest", "test");
  if (typed) await succeeds("tsc", "-p", ".");
});

/** The oldest Vitest, and the next one with `VERITEST_E2E=full`. */
const HOISTED = ["vitest@3.2", ...(isFull ? ["vitest@4.0"] : [])];

test.each(HOISTED)("%s in a package of a workspace, and veritest in its root", async (vitest) => {
  const { cwd } = await projectOf([vitest], {
    "packages/claims/package.json": JSON.stringify({ name: "claims", type: "module" }),
    "packages/claims/vitest.config.js":
      'import { veritest } from "veritest/plugin";\nexport default { plugins: [veritest()] };\n',
    "packages/claims/a.test.js": `import { expect, test } from "vitest";
test("a value", async () => { await expect({ a: 1 }).toMatchBaseline({ name: "a" }); });
`,
  });
  // Yarn 1 does this if it can't hoist Vitest's dependencies, because it ignores the peer dependencies of veritest.
  const inside = join(cwd, "packages/claims");
  mkdirSync(join(inside, "node_modules"));
  renameSync(join(cwd, "node_modules/vitest"), join(inside, "node_modules/vitest"));
  const ran = await runChild("node", ["node_modules/vitest/vitest.mjs", "run"], { cwd: inside });
  expect([ran.exitCode, summaryOf(ran)], ran.stdout + ran.stderr).toEqual([0, "Baselines  1 captured"]);
});

/** What `npm init` makes, with more files. */
function emptyProject({ manifest = {}, files = {} }: Pick<Kind, "manifest" | "files">): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-kind-")));
  onTestFinished(async () => rm(root, { recursive: true, force: true }));
  write(root, { "package.json": JSON.stringify({ ...INITIAL, ...manifest }), ...files });
  return root;
}

/** Installs veritest and packages in a new project, and gives what runs its programs there. */
async function projectOf(
  packages: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<{ readonly cwd: string; run(...command: readonly string[]): Promise<string> }> {
  const cwd = emptyProject({ manifest: { type: "module" }, files });
  await install(cwd, inject("tarball"), "zod@4", ...packages);
  const run = async (...command: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runInstalled(command, cwd);
    return `${stdout}${stderr}exit code ${exitCode}\n`.replaceAll(cwd, "");
  };
  return { cwd, run };
}

/** Runs a program of the project's packages as a script of package.json does: npx takes a third of a second longer. */
async function runInstalled(
  [command = "", ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ChildResult> {
  const folders = [".", "..", "../.."].map((folder) => join(cwd, folder, "node_modules/.bin"));
  const PATH = [...folders, childEnv()["PATH"] ?? ""].join(delimiter);
  return runChild(command, args, { cwd, env: { ...env, PATH } });
}

async function install(cwd: string, ...packages: readonly string[]): Promise<void> {
  const [npm, ...add] = NPM;
  await must(npm, [...add, ...packages], cwd);
}

test("both runners and the command line name the Node version that they need", async () => {
  const files = {
    "vitest.config.js": 'import { veritest } from "veritest/plugin";\nexport default { plugins: [veritest()] };\n',
    "jest.config.js": 'export default { preset: "veritest/jest" };\n',
    "none.js": "export default {};\n",
    "set-up.vitest.js": 'export default { test: { globals: true, setupFiles: ["veritest/vitest"] } };\n',
    "set-up.jest.config.js": 'export default { setupFilesAfterEnv: ["veritest/jest-setup"] };\n',
    "two.test.js": 'test("two", () => undefined);\n',
    "reporter.config.js": 'export default { reporters: ["default", "veritest/reporter/jest"] };\n',
    "one.test.js": 'import "veritest";\ntest("one", () => undefined);\n',
  };
  const { run } = await projectOf(["vitest@3", "jest@29", "node@20"], files);
  const said = "veritest needs Node 22.12 or newer; this is 20.";
  expect(await run("veritest", "init", "--yes")).toMatch(
    /^veritest needs Node 22\.12 or newer; this is 20\.[\d.]+\d\.\nexit code 2\n$/,
  );
  for (const command of [
    ["vitest", "run"],
    ["vitest", "run", "--config=none.js", "--reporter=veritest/reporter/vitest"],
    ["jest"],
    ["jest", "--config=reporter.config.js"],
    ["vitest", "run", "--config=set-up.vitest.js", "two.test.js"],
    ["jest", "--config=set-up.jest.config.js", "two.test.js"],
  ]) {
    const output = await run(...command);
    expect(output).toContain(said);
    expect(output).toMatch(/exit code 1\n$/);
  }
});

test("a configuration in TypeScript that Node 22.12 cannot read says which Node can; jiti reads it", async () => {
  const files = {
    "veritest.config.ts": `const folder: string = "./steps";
export default { steps: () => import(\`\${folder}/one.ts\`) };
`,
    "steps/one.ts": `import { defineStep } from "veritest";
import { z } from "zod";
const text: z.ZodType<string> = z.string();
export const one = defineStep({ name: "one", input: text, output: text, run: (output) => ({ output }) });
`,
  };
  const { cwd, run } = await projectOf(["node@22.12.0"], files);
  const way =
    "Node 22.12.0 can't load TypeScript. Use Node 22.18 or newer, write it in JavaScript, or install jiti: " +
    "npm install --save-dev jiti";
  expect(await run("veritest", "test")).toBe(
    `veritest: /veritest.config.ts can't be loaded: Missing initializer in const declaration. ${way}.\nexit code 2\n`,
  );
  await install(cwd, "jiti@2");
  expect(await run("veritest", "test")).toMatch(/^veritest: No baselines of one\. Capture some: /);
});

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

function summaryOf({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string | undefined {
  return /Baselines {2}.*/.exec(stdout + stderr)?.[0].trim();
}
