/**
 * The layers of src/: a folder may import what stands beside its name, itself, and nothing else of src/.
 * A new folder gets a row here first; `folder-has-a-layer` fails until it has one.
 */
const layers = {
  base: [],
  files: ["base"],
  redact: ["base"],
  notes: ["base", "files"],
  step: ["base", "diff", "telemetry"],
  record: ["base", "redact", "step", "telemetry"],
  diff: ["base"],
  agents: ["base", "redact", "step", "record", "diff"],
  baseline: ["base", "files", "redact", "step", "record"],
  check: ["base", "redact", "step", "record", "diff", "agents", "baseline", "telemetry"],
  // What was found, in words: for messages of matchers, reports, the page and the command line.
  explain: ["base", "redact", "record", "diff", "agents", "check"],
  // A matcher over results reads what a step returns, and words what a check found, whoever defines those types.
  matchers: ["base", "redact", "step", "record", "diff", "agents", "baseline", "check", "explain", "late"],
  session: [
    "base",
    "files",
    "redact",
    "step",
    "record",
    "diff",
    "baseline",
    "check",
    "settle",
    "explain",
    "late",
    "matchers",
    "reporter",
    "notes",
    "config",
    "telemetry",
  ],
  // What a worker loads when a test first needs it: parts gathered from rooms above and below.
  late: ["base", "check", "explain", "matchers", "session", "serializer", "runner", "laws", "telemetry"],
  serializer: ["base", "step", "record", "diff", "redact"],
  settle: ["base", "files", "redact", "step", "diff", "record", "baseline", "check", "notes"],
  config: ["base", "files", "step", "baseline", "check", "notes", "settle"],
  reporter: [
    "base",
    "files",
    "redact",
    "step",
    "record",
    "diff",
    "baseline",
    "check",
    "explain",
    "matchers",
    "notes",
    "settle",
    "config",
  ],
  // Parsers of JavaScript and TypeScript: loaded with the commands that read code, and nowhere else.
  source: ["base"],
  worktree: ["base", "source", "files", "notes", "settle", "config"],
  llm: ["base", "step", "record"],
  // Spans and metrics for OpenTelemetry: the only room that knows its API.
  telemetry: ["base", "redact"],
  grounding: ["base", "step", "telemetry"],
  store: ["base", "step", "telemetry"],
  runner: ["base", "redact", "step", "record", "diff", "check", "store", "telemetry"],
  // Exported traces, read and graded; loaded by `veritest import` alone.
  traces: ["base", "redact", "step", "record", "diff", "baseline", "check", "explain", "telemetry"],
  cli: [
    "base",
    "files",
    "redact",
    "step",
    "record",
    "diff",
    "agents",
    "baseline",
    "check",
    "explain",
    "matchers",
    "notes",
    "settle",
    "config",
    "reporter",
    "worktree",
    "llm",
    "grounding",
    "source",
    "store",
    "traces",
    "telemetry",
  ],
  // Steps under generated data: loaded by those who have fast-check.
  laws: ["base", "redact", "step", "record", "diff", "agents", "baseline", "check", "matchers", "store", "runner"],
  properties: ["base", "step", "record", "diff", "check", "explain", "reporter", "grounding"],
};

/** Folders that may read and write files. */
const fileFolders = [
  "files",
  "baseline",
  "settle",
  "notes",
  "config",
  "reporter",
  "session",
  "worktree",
  "grounding",
  "cli",
];

/** Folders that may start processes: git, the checks a policy names, the command of a whole run. */
const processFolders = ["files", "settle", "worktree", "cli"];

/**
 * Packages that a build puts into its files, because nobody shall install them: of development, and yet shipped.
 * Each is loaded where something is told, never by a set-up or a check that passes.
 */
const bundled = [
  // Types alone.
  "@standard-schema/spec",
  "@jest/diff-sequences",
  "@sveltejs/acorn-typescript",
  "acorn",
  "jsonc-parser",
  "magic-string",
  "package-manager-detector",
  "picomatch",
  "pretty-format",
  "stemmer",
  "string-width",
];

const folders = Object.keys(layers);
const runnerFiles = "^src/(?:[^/]+|reporter/(?:vitest|jest))\\.ts$";
/** What only tests run: they, and what they share, may import any folder. */
const tests = "\\.test(?:-d)?\\.ts$|^src/(?:properties|testing)/";
const any = (names) => `(?:${names.join("|")})`;

const layerRules = folders.map((folder) => ({
  name: `layer-${folder}`,
  severity: "error",
  comment: `src/${folder}/ may import: ${[folder, ...layers[folder]].join(", ")}.`,
  from: { path: `^src/${folder}/`, pathNot: `${tests}|${runnerFiles}` },
  to: { path: "^src/[^/]+/", pathNot: `^src/${any([folder, ...layers[folder]])}/` },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: "layer-properties",
      severity: "error",
      comment: `src/extras/grounding/properties/ may import: ${["properties", ...layers.properties].join(", ")}.`,
      from: { path: "^src/extras/grounding/properties/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/[^/]+/", pathNot: `^src/${any(["properties", ...layers.properties])}/` },
    },
    {
      name: "folder-has-a-layer",
      severity: "error",
      comment: "A folder of src/ without a row in `layers` has no import rules yet.",
      from: { path: "^src/[^/]+/", pathNot: `^src/${any([...folders, "testing"])}/` },
      to: {},
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "Type imports included: a cycle of types is a cycle of ideas.",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-entry-from-a-folder",
      severity: "error",
      comment: "Entries (src/*.ts, src/reporter/{vitest,jest}.ts) gather the folders; nothing in a folder imports one.",
      from: { path: "^src/[^/]+/", pathNot: "\\.test(?:-d)?\\.ts$" },
      to: { path: runnerFiles },
    },
    {
      name: "plugin-loads-no-store",
      severity: "error",
      comment:
        "Stored runs are parts of their own: a test runner loads them for a workflow that is run whole, no sooner.",
      from: { path: "^src/matchers/lazy/" },
      to: { path: "^src/(?:store|runner)/", dependencyTypesNot: ["dynamic-import", "type-only"] },
    },
    {
      name: "runner-only-in-entries",
      severity: "error",
      comment: "Vitest and Jest are imported by entries only, types included, and by the types of expect.",
      from: { path: "^src/", pathNot: `${runnerFiles}|^src/matchers/vitest-types\\.ts$|${tests}` },
      to: { path: "(?:^|node_modules/)(?:vitest|jest|@jest/(?!diff-sequences)[^/]+|@vitest/[^/]+)(?:/|$)" },
    },
    {
      name: "files-only-in-file-folders",
      severity: "error",
      comment: `node:fs belongs to ${fileFolders.join(", ")}.`,
      from: { path: "^src/", pathNot: `^src/${any(fileFolders)}/|${tests}` },
      to: { path: "^(?:node:)?fs(?:/|$)", dependencyTypes: ["core"] },
    },
    {
      name: "no-network-or-processes",
      severity: "error",
      comment:
        "Nothing in the library opens a connection; a page is served by src/cli/serve alone, to this machine, when asked." +
        " What steps open by themselves, network-traps.ts hears of.",
      from: {
        path: "^src/",
        pathNot: `^src/(?:cli/serve/page-server|record/tape/network-traps)\\.ts$|${tests}`,
      },
      to: { path: "^(?:node:)?(?:http|https|http2|net|tls|dgram|dns|cluster)(?:/|$)", dependencyTypes: ["core"] },
    },
    {
      name: "processes-only-in-process-folders",
      severity: "error",
      comment: `node:child_process belongs to ${processFolders.join(", ")}.`,
      from: { path: "^src/", pathNot: `^src/${any(processFolders)}/|${tests}` },
      to: { path: "^(?:node:)?child_process$", dependencyTypes: ["core"] },
    },
    {
      name: "zod-where-it-is-loaded-late",
      severity: "error",
      comment: "zod is the user's own and costs 55 ms: the modules that hold it are imported when first used.",
      from: {
        path: "^src/",
        pathNot: `^src/kernel/step/command-schema\\.ts$|^src/(?:config|notes|llm|grounding|worktree)/|^src/(?:reporter/parse-run-model|cli/serve/settle-request)\\.ts$|${tests}`,
      },
      to: { path: "(?:^|node_modules/)zod(?:/|$)" },
    },
    {
      name: "no-test-code-in-the-library",
      severity: "error",
      comment:
        "Tests, properties and development packages stay out of what is shipped, but for the entry that is made of them.",
      from: { path: "^src/", pathNot: `^src/extras/grounding/properties\\.ts$|^src/extras/properties/|${tests}` },
      to: { path: `${tests}|(?:^|node_modules/)fast-check(?:/|$)` },
    },
    {
      name: "declared-packages-only",
      severity: "error",
      comment: "A shipped module imports what package.json declares for users: dependencies and peers.",
      from: { path: "^src/", pathNot: `${tests}|${runnerFiles}` },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown", "npm-optional"],
        dependencyTypesNot: ["npm-peer"],
        pathNot: `(?:^|node_modules/)${any(bundled)}/`,
      },
    },
    {
      name: "resolvable",
      severity: "error",
      comment: "Every import leads somewhere.",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-src-from-outside-in",
      severity: "error",
      comment: "src/ imports nothing of the repository but itself.",
      from: { path: "^src/", pathNot: "\\.test(?:-d)?\\.ts$" },
      to: { path: "^(?:e2e|fixtures|scripts|bench|examples|dist)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".json"],
    },
  },
};
