/**
 * The folders of src/, lowest first. A folder may import the folders in its list, and only folders above its own row can be in
 * it, so that no circle of folders is possible. `kernel` itself is `src/kernel/*.ts` and `src/kernel/json`.
 * A new folder gets a row here first; `folder-has-a-row` fails until it has one.
 */
const folders = {
  kernel: [],
  "kernel/diff": ["kernel"],
  "kernel/telemetry": ["kernel"],
  "kernel/step": ["kernel", "kernel/diff", "kernel/telemetry"],
  "kernel/files": ["kernel"],
  redact: ["kernel", "kernel/telemetry"],
  record: ["kernel", "kernel/diff", "kernel/telemetry", "kernel/step", "kernel/files", "redact"],
  baseline: ["kernel", "kernel/step", "kernel/files", "redact", "record"],
  check: ["kernel", "kernel/diff", "kernel/telemetry", "kernel/step", "redact", "record", "baseline"],
  explain: ["kernel", "kernel/diff", "redact", "record", "baseline", "check"],
  updates: ["kernel", "kernel/diff", "kernel/step", "kernel/files", "redact", "record", "baseline", "check"],
  config: ["kernel", "kernel/step", "kernel/files", "baseline", "check", "explain", "updates"],
  "check-all": ["kernel", "kernel/step", "kernel/files", "baseline", "check", "explain", "config"],
  matchers: [
    "kernel",
    "kernel/diff",
    "kernel/telemetry",
    "kernel/step",
    "kernel/files",
    "redact",
    "record",
    "baseline",
    "check",
    "explain",
    "updates",
    "config",
    "check-all",
  ],
  reporter: [
    "kernel",
    "kernel/diff",
    "kernel/telemetry",
    "kernel/files",
    "redact",
    "record",
    "baseline",
    "check",
    "explain",
    "updates",
    "config",
  ],
  cli: [
    "kernel",
    "kernel/diff",
    "kernel/telemetry",
    "kernel/step",
    "kernel/files",
    "redact",
    "record",
    "baseline",
    "check",
    "explain",
    "updates",
    "config",
    "reporter",
    "check-all",
  ],
};

/**
 * The extras: products of their own that use the core as others could. None of the core imports one: an entry hands it
 * in. `uses` names other extras, `door` the folders of the core that it may import; its command, in `cli/`, may import all.
 */
const extras = {
  llm: { uses: [], door: ["kernel", "kernel/diff", "kernel/step", "record"] },
  grounding: { uses: ["llm"], door: ["kernel", "kernel/telemetry", "kernel/step"] },
  runs: {
    uses: [],
    door: ["kernel", "kernel/diff", "kernel/telemetry", "kernel/step", "record", "check", "check-all"],
  },
  properties: {
    uses: ["runs"],
    door: ["kernel", "kernel/diff", "kernel/step", "redact", "record", "baseline", "check", "matchers"],
  },
  traces: {
    uses: [],
    door: ["kernel", "kernel/telemetry", "kernel/step", "redact", "record", "baseline", "check", "explain"],
  },
  "verified-commit": { uses: [], door: ["kernel", "kernel/diff", "kernel/files", "updates"] },
};

/** Folders that may read and write files. */
const fileFolders = [
  "kernel/files",
  "baseline",
  "updates",
  "config",
  "check-all",
  "explain/append-run-log",
  "reporter",
  "extras/verified-commit",
  "extras/grounding",
  "cli",
  "extras/[^/]+/cli",
];

/** Folders that may start processes: git, the checks a policy names, the command of a verified commit. */
const processFolders = ["kernel/files", "updates", "extras/verified-commit", "cli", "extras/[^/]+/cli"];

/**
 * Packages that a build puts into its files, so that users don't install them: development dependencies that are shipped.
 * Each is loaded to report a result, never by a set-up or a check that passes.
 */
const bundled = [
  // Types alone.
  "@standard-schema/spec",
  "@jest/diff-sequences",
  "@sveltejs/acorn-typescript",
  "acorn",
  "eventsource-parser",
  "jest-diff",
  "magic-string",
  "package-manager-detector",
  "pretty-format",
  "stemmer",
];

const usesOf = Object.fromEntries(Object.entries(extras).map(([extra, { uses }]) => [extra, uses]));
for (const table of [folders, usesOf]) {
  const names = Object.keys(table);
  for (const [folder, imports] of Object.entries(table)) {
    const circle = imports.find((name) => !names.slice(0, names.indexOf(folder)).includes(name));
    if (circle !== undefined) throw new Error(`${folder} may not import ${circle}: only a row above its own.`);
  }
}

const entries = "^src/(?:[^/]+|reporter/(?:vitest|jest))\\.ts$";
/** Tests may import any folder. */
const tests = "\\.test(?:-d)?\\.ts$";
const any = (names) => `(?:${names.join("|")})`;
/** The files of a folder, without those of a folder within it that has its own row. */
const filesOf = (folder) => (folder === "kernel" ? "kernel/(?:json/)?[^/]+$" : `${folder}/`);

const folderRules = Object.entries(folders).map(([folder, imports]) => ({
  name: `folder-${folder.replace("/", "-")}`,
  severity: "error",
  comment: `src/${folder}/ may import: ${[folder, ...imports].join(", ")}.`,
  from: { path: `^src/${filesOf(folder)}`, pathNot: `${tests}|${entries}` },
  to: { path: "^src/[^/]+/", pathNot: `^src/${any([folder, ...imports].map(filesOf))}` },
}));

const extraRules = Object.entries(extras).flatMap(([extra, { uses, door }]) => [
  {
    name: `extra-${extra}`,
    severity: "error",
    comment: `src/extras/${extra}/ may import of extras: ${[extra, ...uses].join(", ")}.`,
    from: { path: `^src/extras/${extra}/`, pathNot: tests },
    to: { path: "^src/extras/", pathNot: `^src/extras/${any([extra, ...uses])}/` },
  },
  {
    name: `extra-${extra}-past-its-door`,
    severity: "error",
    comment: `src/extras/${extra}/ may import of the core: ${door.join(", ")}; its command may import all.`,
    from: { path: `^src/extras/${extra}/(?!cli/)`, pathNot: tests },
    to: { path: "^src/(?!extras/)[^/]+/", pathNot: `^src/${any(door.map(filesOf))}` },
  },
]);

module.exports = {
  forbidden: [
    ...folderRules,
    ...extraRules,
    {
      name: "folder-has-a-row",
      severity: "error",
      comment: "A folder of src/ without a row in `folders` or `extras` has no import rules yet.",
      from: {
        path: "^src/[^/]+/",
        pathNot: `^src/(?:${Object.keys(folders).map(filesOf).join("|")}|extras/${any(Object.keys(extras))}/)`,
      },
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
      name: "compare-runs-nothing",
      severity: "error",
      comment: "src/check/compare/ compares results, wherever they come from.",
      from: { path: "^src/check/compare/", pathNot: tests },
      to: { path: "^src/check/(?:run|update|cause)/" },
    },
    {
      name: "a-run-updates-nothing",
      severity: "error",
      comment: "src/check/run/ runs a step. The check that requests the run judges, explains and stores its result.",
      from: { path: "^src/check/run/", pathNot: tests },
      to: { path: "^src/check/(?:update|cause)/" },
    },
    {
      name: "no-entry-from-a-folder",
      severity: "error",
      comment: "Entries (src/*.ts, src/reporter/{vitest,jest}.ts) gather the folders; nothing in a folder imports one.",
      from: { path: "^src/[^/]+/", pathNot: "\\.test(?:-d)?\\.ts$" },
      to: { path: entries },
    },
    {
      name: "runner-only-in-entries",
      severity: "error",
      comment: "Vitest and Jest are imported by entries only, types included, and by the types of expect.",
      from: { path: "^src/", pathNot: `${entries}|${tests}` },
      to: { path: "(?:^|node_modules/)(?:vitest|jest|@jest/(?!diff-sequences)[^/]+|@vitest/[^/]+)(?:/|$)" },
    },
    {
      name: "files-only-in-file-folders",
      severity: "error",
      comment: `node:fs belongs to ${fileFolders.join(", ")}.`,
      from: { path: "^src/", pathNot: `^src/${any(fileFolders)}[/.]|${tests}` },
      to: { path: "^(?:node:)?fs(?:/|$)", dependencyTypes: ["core"] },
    },
    {
      name: "no-network-or-processes",
      severity: "error",
      comment:
        "The library opens no connection; only src/cli/serve serves a page, to this machine, on request." +
        " network-interceptors.ts observes the connections that steps open.",
      from: {
        path: "^src/",
        pathNot: `^src/(?:cli/serve/page-server|record/interceptors/network-interceptors)\\.ts$|${tests}`,
      },
      to: { path: "^(?:node:)?(?:http|https|http2|net|tls|dgram|dns|cluster)(?:/|$)", dependencyTypes: ["core"] },
    },
    {
      name: "processes-only-in-process-folders",
      severity: "error",
      comment: `node:child_process belongs to ${processFolders.join(", ")}. The interceptor starts no process.`,
      from: {
        path: "^src/",
        pathNot: `^src/${any(processFolders)}/|^src/record/interceptors/network-interceptors\\.ts$|${tests}`,
      },
      to: { path: "^(?:node:)?child_process$", dependencyTypes: ["core"] },
    },
    {
      name: "zod-only-in-lazy-modules",
      severity: "error",
      comment: "zod is the user's own and costs 55 ms: the modules that hold it are imported when first used.",
      from: {
        path: "^src/",
        pathNot: `^src/kernel/(?:step/command-schema|exact-optional)\\.ts$|^src/(?:config|updates/receipts|extras/(?:llm|grounding|verified-commit))/|^src/(?:reporter/parse-run-model|cli/serve/handle-page-request)\\.ts$|${tests}`,
      },
      to: { path: "(?:^|node_modules/)zod(?:/|$)" },
    },
    {
      name: "no-test-code-in-the-library",
      severity: "error",
      comment:
        "Tests, properties and development packages stay out of what is shipped, but for the entry that is made of them.",
      from: {
        path: "^src/",
        pathNot: `^src/properties\\.ts$|^src/extras/(?:properties|grounding/properties)/|${tests}`,
      },
      to: { path: `${tests}|(?:^|node_modules/)fast-check(?:/|$)` },
    },
    {
      name: "declared-packages-only",
      severity: "error",
      comment: "A shipped module imports what package.json declares for users: dependencies and peers.",
      from: { path: "^src/", pathNot: `${tests}|${entries}` },
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
      to: { path: "^(?:e2e|fixtures|scripts|bench|examples|dist|test-support)/" },
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
