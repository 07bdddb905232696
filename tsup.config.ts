import type { Options } from "tsup";

const shared = {
  target: "node22",
  platform: "node",
  outDir: "dist",
  external: ["vitest", "vite", "jest", /^@jest\//, "zod", "unpdf", "@opentelemetry/api"],
  removeNodeProtocol: false,
  dts: true,
} satisfies Options;

/** What tests and their set-up files import, apart from Vitest's own set-up file. */
const WORKER_ENTRIES: string[] = ["src/index.ts", "src/jest-setup.ts", "src/jest.ts", "src/serializer.ts"];
/** What runs once, beside the workers. */
const MAIN_ENTRIES: string[] = ["src/cli.ts", "src/plugin.ts", "src/reporter/jest.ts", "src/reporter/vitest.ts"];
/** Optional parts, each loaded by those who use it. */
const PART_ENTRIES: string[] = ["src/fetch.ts", "src/grounding-jest.ts", "src/grounding-vitest.ts", "src/grounding.ts", "src/llm.ts"];

/**
 * Smaller files with their names kept: a stack trace stays readable. `prefix` tells a build's chunks apart, so that each
 * size budget counts its own.
 */
function compact(prefix: string): NonNullable<Options["esbuildOptions"]> {
  return (options) => {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
    options.chunkNames = `${prefix}-[hash]`;
  };
}

/** What `import` gets in a worker. One build, so that these entries share one copy of each module and `import()` stays lazy. */
const esm: Options = {
  ...shared,
  name: "esm",
  format: "esm",
  splitting: true,
  entry: WORKER_ENTRIES,
  esbuildOptions: compact("chunk"),
  // The declarations of all entries: types declared twice would not fit each other.
  dts: { entry: [...WORKER_ENTRIES, "src/vitest.ts", "src/plugin.ts", "src/reporter/jest.ts", "src/reporter/vitest.ts", ...PART_ENTRIES] },
};

/** Vitest's set-up file, by itself: shared with nothing, its static part is two files instead of eight for each test file. */
const setup: Options = { ...shared, name: "setup", format: "esm", splitting: true, dts: false, entry: ["src/vitest.ts"], esbuildOptions: compact("setup") };

/** The main process's part: reporters and the command line share it, workers never load it. */
const main: Options = { ...shared, name: "main", format: "esm", splitting: true, dts: false, entry: MAIN_ENTRIES, esbuildOptions: compact("main") };

/** The optional parts, which share what they have in common. */
const parts: Options = { ...shared, name: "parts", format: "esm", splitting: true, dts: false, entry: PART_ENTRIES, esbuildOptions: compact("part") };

/** What Jest's set-up file loads when a test first needs it, each a file of its own: Jest reads set-up files for every test file. */
const LATE: Readonly<Record<string, string>> = {
  "baseline-checks": "src/matchers/baseline-checks.ts",
  "failure-path": "src/matchers/failure-path.ts",
  "prepare-redaction": "src/session/prepare-redaction.ts",
  "settle-attempt": "src/settle/settle-attempt.ts",
};

/** Leaves the late parts out of the file that imports them: CommonJS has no splitting of esbuild's. */
const latePlugin: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "late",
  setup(build) {
    const names = Object.keys(LATE).join("|");
    build.onResolve({ filter: new RegExp(`/(?:${names})\\.ts$`) }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./${path.replace(/^.*\/(.*)\.ts$/, "$1")}.cjs`, external: true } : undefined,
    );
  },
};

/** What `require` gets, which is how Jest loads most of it. Each entry is one self-contained file, apart from the late parts. */
const cjs: Options = {
  ...shared,
  name: "cjs",
  format: "cjs",
  splitting: false,
  entry: ["src/grounding-jest.ts", "src/index.ts", "src/jest-setup.ts", "src/jest.ts", "src/serializer.ts"],
  esbuildPlugins: [latePlugin],
  // Not compacted: tools tell by the text what a CommonJS file exports.
  esbuildOptions(options) {
    // Jest runs CommonJS in a vm that has no `import()`: there it must become a `require` at first use.
    options.supported = { ...options.supported, "dynamic-import": false };
  },
};

const late: Options = { ...cjs, name: "late", entry: LATE, dts: false };

/** CommonJS whose one export is what Jest loads by path: `module.exports` is the default export itself. */
const cjsDefault: Options = {
  ...cjs,
  name: "cjs-default",
  entry: ["src/jest-preset.ts", "src/reporter/jest.ts"],
  cjsInterop: true,
  footer: { js: "module.exports = module.exports.default;" },
};

const config: Options[] = [esm, setup, main, parts, cjs, late, cjsDefault];
export default config;
