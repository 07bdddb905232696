import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { isLedOut } from "../../kernel/files/real-directory.ts";
import { CONFIG_FILES } from "../../kernel/files/nearest-config.ts";
import { sourceFiles } from "../../kernel/files/source-files.ts";
import type { ConfigEdit } from "./config-source.ts";
import { type DetectedProject, type RunnerName, recordsFetch, workspaceFile } from "./detect-project.ts";
import { PRESET_IN_EACH, REPORTER, REPORTER_LINE, editJestConfig, jestLines } from "./edit-jest-config.ts";
import { PLUGIN_IN_EACH, editVitestConfig, pluginCall } from "./edit-vitest-config.ts";
import { sampleFiles, sampleTestPath, typeReferences } from "./sample-step.ts";

/** A file to write. */
export interface PlannedFile {
  /** Relative to the project's root, with forward slashes. */
  readonly path: string;
  /** Undefined for a new file, which never overwrites an existing one. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Lines to add by hand. */
export interface ManualStep {
  readonly path: string;
  readonly reason: string;
  readonly lines: readonly string[];
}

/** Plan of `init`, not executed yet. */
export interface InitPlan {
  readonly files: readonly PlannedFile[];
  readonly manualSteps: ManualStep | undefined;
  /** Sentences on what else the project needs, or doesn't get. */
  readonly remarks: readonly string[];
}

type ConfigPlan = Omit<InitPlan, "remarks">;

/**
 * Plans the set-up of a project: its configuration, and a first step if it doesn't have one. Reads files, writes none.
 */
export function planInit(project: DetectedProject): InitPlan {
  const config = planConfig(project);
  const sample = planSample(project);
  const remarks = [
    ...project.clients.remarks,
    ...transformRemarks(project),
    ...timeoutRemarks(project, config.files),
    ...(typeof sample === "string" ? [sample] : []),
  ];
  const files = [
    ...config.files,
    ...(typeof sample === "string" ? [] : sample),
    ...planTypes(project),
    ...planAgentRules(project),
  ];
  return { ...config, files, remarks };
}

function planConfig(project: DetectedProject): ConfigPlan {
  const { root, runner, configFile, manifest } = project;
  const workspace = runner === "vitest" ? workspaceFile(root) : undefined;
  if (workspace !== undefined) {
    const text = readFileSync(join(root, workspace), "utf8");
    const isDone = project.isSetUpBelow || text.includes("veritest/plugin");
    return { files: [], manualSteps: isDone ? undefined : byHand(project, workspace, PLUGIN_IN_EACH) };
  }
  if (configFile !== undefined) return edited(project, configFile);
  if (runner === "jest" && isPlainObject(manifest["jest"])) return edited(project, "package.json");
  if (runner === "jest" && typeof manifest["jest"] === "string") {
    return { files: [], manualSteps: byHand(project, manifest["jest"], "package.json contains only its path") };
  }
  return { files: [newConfig(project)], manualSteps: undefined };
}

function byHand(project: DetectedProject, path: string, reason: string): ManualStep {
  return { path, reason, lines: linesToAdd(project) };
}

/** Step that is left to do if the packages of a configuration with projects are set up. */
function leftForPackages(path: string, runner: RunnerName, text: string): ManualStep | undefined {
  const reason = "it needs the reporter, because Jest ignores reporters of projects";
  return runner === "vitest" || text.includes(REPORTER) ? undefined : { path, reason, lines: [REPORTER_LINE] };
}

/** Lines that set up a configuration that can't be edited. */
function linesToAdd(project: DetectedProject): readonly string[] {
  return project.runner === "vitest"
    ? [PLUGIN_IMPORT, `plugins: [${pluginCall(project.clients)}]`]
    : jestLines(recordsFetch(project));
}

function edited(project: DetectedProject, path: string): ConfigPlan {
  const { root, runner, esm, clients } = project;
  const before = readFileSync(join(root, path), "utf8");
  const source = { name: path, text: before };
  const key = path === "package.json" ? "jest" : undefined;
  const edit: ConfigEdit =
    runner === "vitest"
      ? editVitestConfig({ ...source, esm }, pluginCall(clients))
      : editJestConfig(source, { key, fetch: recordsFetch(project) });
  if (edit.kind !== "done" && path.startsWith("../")) {
    return { files: [], manualSteps: byHand(project, path, "it also runs the tests of other packages") };
  }
  const hasProjects = edit.kind === "tell" && (edit.reason === PLUGIN_IN_EACH || edit.reason === PRESET_IN_EACH);
  if (hasProjects && project.isSetUpBelow) return { files: [], manualSteps: leftForPackages(path, runner, before) };
  switch (edit.kind) {
    case "done":
      return { files: [], manualSteps: undefined };
    case "edit":
      return { files: [{ path, before, after: edit.text }], manualSteps: undefined };
    case "tell":
      return { files: [], manualSteps: { path, reason: edit.reason, lines: edit.lines } };
  }
}

/** Time limit of tests whose first run waits for a model. */
const TIMEOUT = "testTimeout: 60_000";

/** Says how to allow live captures more time, in a configuration that is edited: it may have its own reasons. */
function timeoutRemarks(project: DetectedProject, files: readonly PlannedFile[]): string[] {
  const [config] = files;
  if (config?.before === undefined || config.after.includes("testTimeout") || !recordsFetch(project)) return [];
  // JSON doesn't have separators in numbers.
  const line = project.runner === "vitest" ? `test: { ${TIMEOUT} }` : TIMEOUT.replace("_", "");
  const reason = "The first run of a test waits for the model, but a test fails after 5 seconds.";
  return [`${reason} To allow more time, set in ${config.path}: ${line}`];
}

function newConfig(project: DetectedProject): PlannedFile {
  const { runner, esm, typescript, transform, clients } = project;
  const typed = transform === undefined ? "" : `, transform: { "\\\\.tsx?$": "${transform}" }`;
  const limit = runner === "vitest" ? `test: { ${TIMEOUT} }` : TIMEOUT;
  const timeout = recordsFetch(project) ? `, ${limit}` : "";
  if (runner === "jest")
    return {
      path: esm ? "jest.config.cjs" : "jest.config.js",
      before: undefined,
      after: `module.exports = { ${jestLines(recordsFetch(project)).join(", ")}${typed}${timeout} };\n`,
    };
  const code = esm ? ["ts", "js"] : ["mts", "mjs"];
  return {
    path: `vitest.config.${code[typescript ? 0 : 1]}`,
    before: undefined,
    after: `${PLUGIN_IMPORT}
import { defineConfig } from "vitest/config";

export default defineConfig({ plugins: [${pluginCall(clients)}]${timeout} });
`,
  };
}

const PLUGIN_IMPORT = `import { veritest } from "veritest/plugin";`;

/**
 * A project that defines a step has begun: it needs no example, and gets none when `init` runs again. Returns a
 * sentence if no name of a sample is among its test files.
 */
function planSample(project: DetectedProject): PlannedFile[] | string {
  const { root } = project;
  for (const path of sourceFiles(root)) if (readFileSync(path, "utf8").includes("defineStep(")) return [];
  const test = sampleTestPath(project);
  if (test === undefined)
    return (
      `No sample was written: ${project.configFile ?? "the configuration"} doesn't match a test file of the ` +
      `sample.`
    );
  const [step, ...samples] = sampleFiles(project, test);
  if (step === undefined || existsSync(join(root, step.path))) return [];
  const configured = CONFIG_FILES.some((name) => existsSync(join(root, name)));
  const files = [step, ...samples].filter(
    ({ path }) => !existsSync(join(root, path)) && !(configured && CONFIG_FILES.includes(path)),
  );
  return files.map(({ path, text }) => ({ path, before: undefined, after: text }));
}

/**
 * Plans a file that adds the types of the matchers to all tests. With a reference in one test only, `ts-jest` accepts
 * another test if it has compiled that test before. `ts-jest` checks types also without a tsconfig.
 */
function planTypes(project: DetectedProject): PlannedFile[] {
  const { root, runner, typescript, tsconfig, transform } = project;
  const path = existsSync(join(root, "src")) ? "src/veritest.d.ts" : "veritest.d.ts";
  const isChecked = typescript && (tsconfig !== "" || transform === "ts-jest");
  if (!isChecked || tsconfig.includes(`veritest/${runner}`) || existsSync(join(root, path))) return [];
  return [{ path, before: undefined, after: `${typeReferences(project).join("\n")}\n` }];
}

/** Returns the command that runs a project's tests, with the variable that Jest needs. */
export function runTestsCommand(project: DetectedProject): string {
  const flag = moduleFlag(project);
  return `${flag === undefined ? "" : `NODE_OPTIONS=${flag} `}${runnerCommand(project)}`;
}

/** Returns the command of a project's runner, without variables. */
export function runnerCommand({ manager, runner }: DetectedProject): string {
  return `${manager.exec} ${runner === "vitest" ? "vitest run" : "jest"}`;
}

const MODULE_FLAG = "--experimental-vm-modules";

/**
 * Returns the flag of Node with which Jest loads ES modules; undefined if a transform converts them or a script
 * sets it.
 */
export function moduleFlag(project: DetectedProject): string | undefined {
  return scriptsOf(project).includes(MODULE_FLAG) ? undefined : directModuleFlag(project);
}

/** Returns the same flag for a run of Jest without the project's scripts. */
export function directModuleFlag(project: DetectedProject): string | undefined {
  const isNeeded = scriptsOf(project).includes(MODULE_FLAG) || (project.esm && !hasTransform(project));
  return project.runner === "jest" && isNeeded ? MODULE_FLAG : undefined;
}

function scriptsOf({ manifest: { scripts } }: DetectedProject): string {
  return isPlainObject(scripts) ? Object.values(scripts).join(" ") : "";
}

/** Returns whether Jest transforms the project's files: by its configuration, or by Babel's. */
function hasTransform({ root, typescript, usesNext, manifest, configFile }: DetectedProject): boolean {
  const config = configFile === undefined ? undefined : join(root, configFile);
  return (
    typescript ||
    usesNext ||
    readdirSync(root).some((name) => /^(?:babel\.config\.|\.babelrc)/.test(name)) ||
    Object.hasOwn(manifest, "babel") ||
    /"transform"/.test(JSON.stringify(manifest["jest"] ?? "")) ||
    (config !== undefined && existsSync(config) && /\btransform\b/.test(readFileSync(config, "utf8")))
  );
}

/** Returns what a TypeScript project lacks if Jest doesn't transform it. */
function transformRemarks(project: DetectedProject): string[] {
  const { runner, tsconfig, manager, configFile = "jest.config" } = project;
  if (runner !== "jest" || tsconfig === "" || hasTransform(project)) return [];
  const install = [...manager.add, "@swc/core", "@swc/jest"].join(" ");
  const line = 'transform: { "\\\\.tsx?$": "@swc/jest" }';
  return [`Jest doesn't read TypeScript here. Run ${install}, and add to ${configFile}: ${line}`];
}

/** Files with rules for coding agents. */
const AGENT_FILES = ["AGENTS.md", "CLAUDE.md"];
const AGENT_RULES = `
## veritest

Files in \`__baselines__\` are the expected results of tests. When a test with a baseline fails, read
\`node_modules/veritest/SKILL.md\` first. Don't run tests with \`-u\` or edit baselines unless the user asks for it.
`;

/** Adds a paragraph to the file that a project has for coding agents. */
function planAgentRules({ root }: DetectedProject): PlannedFile[] {
  const path = AGENT_FILES.find((name) => existsSync(join(root, name)));
  if (path === undefined) return [];
  const before = readFileSync(join(root, path), "utf8");
  return before.includes("veritest/SKILL.md") ? [] : [{ path, before, after: `${before.trimEnd()}\n${AGENT_RULES}` }];
}

/**
 * Writes the planned files. A new file never replaces another, and an edited one only if it hasn't changed since it was
 * read. The error is one sentence on the first that couldn't be written; those before it are written.
 */
export function writePlan(files: readonly PlannedFile[], root: string): Result<undefined, string> {
  for (const { path, before, after } of files) {
    const file = join(root, path);
    if (isLedOut(file, root))
      return err(`${path} points outside this project through a symbolic link. Replace the link.`);
    try {
      if (before !== undefined && readFileSync(file, "utf8") !== before)
        return err(`${path} changed while veritest init was running. Run it again: npx veritest init`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, after, { flag: before === undefined ? "wx" : "w" });
    } catch (thrown) {
      return err(`Cannot write ${path}: ${messageOf(thrown)}. Fix that, then run: npx veritest init`);
    }
  }
  return ok(undefined);
}
