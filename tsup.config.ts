import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type BuildOptions, transform } from "esbuild";
import type { Options } from "tsup";
import { bundlePage } from "./scripts/bundle-page.ts";
import {
  ENGINE,
  INSTALLER,
  LATE,
  LATE_OF_VITEST,
  SHARING,
  leaveOut,
  makeEngine,
  requireAtFirstCall,
  uponEachOther,
  uponEngine,
} from "./scripts/build/late-parts.ts";

const shared = {
  target: "node22",
  platform: "node",
  outDir: "dist",
  external: [
    "vitest",
    "vite",
    "jest",
    // Bundled: what compares texts, and what pretty-format brings with it.
    /^@jest\/(?!diff-sequences|schemas|react-is)/,
    "zod",
    "unpdf",
    "@opentelemetry/api",
    "@huggingface/transformers",
    "fast-check",
    "pg",
    "pg-boss",
  ],
  removeNodeProtocol: false,
  dts: true,
} satisfies Options;

/**
 * What code of every kind looks up most often, and no test replaces; what fake clocks and purity checks reach for is
 * left out.
 */
const INTRINSICS = [
  "Array",
  "JSON",
  "Map",
  "Math",
  "Number",
  "Object",
  "Promise",
  "Reflect",
  "Set",
  "String",
  "Symbol",
  "WeakMap",
  "process",
];

/**
 * Jest runs test files and all that they load in a vm context, and so do Vitest's vm pools. Each look at a global
 * asks the context's sandbox there: 0.4 µs instead of nothing. As constants of the file these cost nothing either: a
 * third of a passing check under Jest, a quarter in a vm pool.
 */
const CONSTANT_GLOBALS = `const { ${INTRINSICS.join(", ")} } = globalThis;`;

/** Modules that tests load. */
const inTests = { ...shared, format: "esm", banner: { js: CONSTANT_GLOBALS } } satisfies Options;

/** What tests import. What runners load for every test file is built by itself. */
const WORKER_ENTRIES: string[] = ["src/index.ts", "src/jest.ts"];
/** What runs once, beside the workers. */
const MAIN_ENTRIES: string[] = [
  "src/cli.ts",
  "src/sweep-worker.ts",
  "src/plugin.ts",
  "src/reporter/jest.ts",
  "src/reporter/vitest.ts",
];
/** Optional parts that the command line is made of, too: by themselves they were 56 kB of the package a second time. */
const PARTS_OF_MAIN: string[] = [
  "src/grounding-jest.ts",
  "src/grounding-vitest.ts",
  "src/grounding.ts",
  "src/properties.ts",
  "src/queue-pg-boss.ts",
  "src/runner.ts",
  "src/store-contract.ts",
  "src/store-postgres.ts",
  "src/store-sqlite.ts",
  "src/store.ts",
];
/** A set-up of its own, loaded for every test file of those who list it: by itself, without the engine. */
const FETCH_SETUP: string[] = ["src/fetch-setup.ts"];
/** Optional parts that Jest requires, too. */
const PARTS_REQUIRED: string[] = [
  "src/grounding-jest.ts",
  "src/grounding.ts",
  "src/laws.ts",
  "src/llm.ts",
  "src/mcp.ts",
  "src/openai-agents.ts",
];
/** Optional parts of tests, each loaded by those who use it, upon the engine. */
const PARTS_OF_TESTS: string[] = [
  "src/ai-sdk-setup.ts",
  "src/ai-sdk.ts",
  "src/fetch.ts",
  "src/laws.ts",
  "src/llm.ts",
  "src/mcp.ts",
  "src/openai-agents.ts",
];

/** Smaller files. `prefix` tells a build's chunks apart, so that each size budget counts its own. */
function compact(prefix: string): NonNullable<Options["esbuildOptions"]> {
  return (options) => {
    options.minifyWhitespace = true;
    // Names stay in what people call: a stack trace stays readable. The rest is read by nobody, and is most of it.
    options.minifyIdentifiers = prefix !== "chunk" && prefix !== ENGINE.name;
    options.keepNames = false;
    options.minifySyntax = true;
    options.chunkNames = `${prefix}-[hash]`;
  };
}

/**
 * What `import` gets in a worker. One build, so that these entries share one copy of each module and `import()` stays
 * lazy.
 */
const esm: Options = {
  ...inTests,
  name: "esm",
  splitting: true,
  entry: WORKER_ENTRIES,
  esbuildPlugins: [uponEngine("js")],
  esbuildOptions: compact("chunk"),
  // The declarations of all entries: types declared twice would not fit each other.
  dts: {
    entry: [
      ...WORKER_ENTRIES,
      "src/serializer.ts",
      "src/vitest.ts",
      "src/plugin.ts",
      "src/reporter/jest.ts",
      "src/reporter/vitest.ts",
      ...PARTS_OF_MAIN,
      ...PARTS_OF_TESTS,
      ...FETCH_SETUP,
    ],
  },
};

/**
 * What Vitest loads for every test file. Nothing is split off: every further file cost a request to the main process.
 */
const setup: Options = {
  ...inTests,
  name: "setup",
  splitting: false,
  dts: false,
  entry: {
    vitest: "src/vitest.ts",
    "vitest-plugin-set-up": "src/vitest-plugin-set-up.ts",
    serializer: "src/serializer.ts",
    [`setup-${INSTALLER}`]: `src/${INSTALLER}.ts`,
  },
  // Bundled in, it would be there for every test file, with all that it imports.
  esbuildPlugins: [requireAtFirstCall, leaveOut(LATE_OF_VITEST, (part) => `setup-${part}.js`, { strict: true })],
  esbuildOptions: compact("setup"),
};

type Plugins = NonNullable<Options["esbuildPlugins"]>;

/** The late parts of one build share what they have in common; others are external to it. */
function lateOfVitest(name: string, isIn: (part: string) => boolean, upon: Plugins): Options {
  const parts = Object.entries(LATE_OF_VITEST).filter(([part]) => isIn(part));
  return {
    ...inTests,
    name,
    splitting: true,
    dts: false,
    entry: Object.fromEntries(parts.map(([part, source]) => [`setup-${part}`, source])),
    esbuildPlugins: [...upon, leaveOut(LATE_OF_VITEST, (part) => `setup-${part}.js`)],
    esbuildOptions: compact("setup"),
  };
}

/** What `veritest` and the first check are both made of, once for all that tests load. */
const engine: Options = {
  ...inTests,
  name: "engine",
  splitting: false,
  dts: false,
  entry: { [ENGINE.name]: ENGINE.entry },
  esbuildPlugins: [makeEngine, leaveOut(LATE_OF_VITEST, (part) => `setup-${part}.js`)],
  esbuildOptions: compact(ENGINE.name),
};

const setupLate = lateOfVitest("setup-late", (part) => SHARING.includes(part), [uponEachOther, uponEngine("js")]);
// By themselves: an unchanged value is answered in 6 ms without the engine, in 18 with it.
const setupRest = lateOfVitest("setup-rest", (part) => !SHARING.includes(part), []);

/**
 * Of what the page of a report is made: `import text from "./page.css?raw"` is the file's text, as Vite knows it, and
 * `import script from "./main.ts?page"` the module and all that it imports as one script.
 */
const pagePlugin: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "page",
  setup(build) {
    build.onResolve({ filter: /\?(?:raw|page)$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?\w+$/, "")),
      namespace: path.endsWith("?raw") ? "raw" : "page",
    }));
    build.onLoad({ filter: /.*/, namespace: "raw" }, ({ path }) => ({
      contents: readFileSync(path, "utf8"),
      loader: "text",
    }));
    build.onLoad({ filter: /.*/, namespace: "page" }, ({ path }) => ({ contents: bundlePage(path), loader: "text" }));
  },
};

/** An entry in a folder of dist has the engine a folder above: what is external is named as it stands everywhere else. */
const engineAbove: NonNullable<Options["plugins"]>[number] = {
  name: "engine-above",
  renderChunk(code, { path }) {
    const above = relative("dist", path).includes(sep);
    return above ? { code: code.replaceAll(`"./${ENGINE.name}.js"`, `"../${ENGINE.name}.js"`) } : undefined;
  },
};

/** The main process's part, which reporters, the command line and optional parts share, upon the engine. */
const main: Options = {
  ...inTests,
  name: "main",
  splitting: true,
  dts: false,
  entry: [...MAIN_ENTRIES, ...PARTS_OF_MAIN],
  esbuildPlugins: [pagePlugin, uponEngine("js")],
  plugins: [engineAbove],
  esbuildOptions: compact("main"),
};

/** The optional parts of tests, which share what they have in common. */
const parts: Options = {
  ...inTests,
  name: "parts",
  splitting: true,
  dts: false,
  entry: PARTS_OF_TESTS,
  esbuildPlugins: [uponEngine("js")],
  esbuildOptions: compact("part"),
};

const fetchSetup: Options = { ...parts, name: "fetch-setup", splitting: false, entry: FETCH_SETUP, esbuildPlugins: [] };

/** What `require` gets, which is how Jest loads most of it. The late parts are files of their own. */
const cjsBase = {
  ...shared,
  format: "cjs",
  splitting: false,
  // A directive must come first.
  banner: { js: `"use strict";\n${CONSTANT_GLOBALS}` },
  // CommonJS has no splitting of esbuild's.
  esbuildPlugins: [leaveOut(LATE, (part) => `${part}.cjs`)],
  esbuildOptions(options: BuildOptions) {
    // Names stay: tools tell by the text what a CommonJS file exports, and people read them in stack traces.
    options.minifyWhitespace = true;
    options.minifySyntax = true;
    // Jest runs CommonJS in a vm that has no `import()`: there it must become a `require` at first use.
    options.supported = { ...options.supported, "dynamic-import": false };
  },
} satisfies Options;

const cjs: Options = {
  ...cjsBase,
  name: "cjs",
  entry: WORKER_ENTRIES,
  esbuildPlugins: [uponEngine("cjs"), ...cjsBase.esbuildPlugins],
};

const cjsEngine: Options = {
  ...cjsBase,
  name: "cjs-engine",
  dts: false,
  entry: { [ENGINE.name]: ENGINE.entry },
  esbuildPlugins: [makeEngine, ...cjsBase.esbuildPlugins],
};

/** A small file with a default export, which tools only tell where it is not compacted. */
const cjsPlain: Options = {
  ...cjsBase,
  name: "cjs-plain",
  entry: ["src/serializer.ts"],
  esbuildOptions(options) {
    cjsBase.esbuildOptions(options);
    options.minifyWhitespace = false;
  },
};

/** What Jest loads for every test file, by \`require\` or \`import\`: it exports nothing. */
const cjsSetup: Options = {
  ...cjsBase,
  name: "cjs-setup",
  entry: ["src/jest-setup.ts"],
  esbuildOptions(options, context) {
    compact("setup")(options, context);
    options.supported = { ...options.supported, "dynamic-import": false };
  },
};

/** Parts that only files of ours require: nobody reads what they export by their text. */
const cjsParts: Options = {
  ...cjsBase,
  name: "cjs-parts",
  dts: false,
  entry: {
    ...Object.fromEntries(Object.entries(LATE).filter(([part]) => !SHARING.includes(part))),
    "fetch-setup": "src/fetch-setup.ts",
    "setup-sync-matchers": "src/matchers/lazy/sync-matchers.ts",
  },
  esbuildOptions(options, context) {
    compact("part")(options, context);
    options.supported = { ...options.supported, "dynamic-import": false };
  },
};

/** What esbuild splits is ESM: each file becomes CommonJS by itself afterwards, and says what it exports. */
const asCommonJs: NonNullable<Options["plugins"]>[number] = {
  name: "as-commonjs",
  async renderChunk(code) {
    const { code: required } = await transform(code, {
      format: "cjs",
      platform: "node",
      target: "node22",
      minifyWhitespace: true,
      banner: `"use strict";\n${CONSTANT_GLOBALS}`,
    });
    return { code: required };
  },
};

/** Late parts that are built upon each other. */
const cjsChecks: Options = {
  ...cjsParts,
  name: "cjs-checks",
  format: "esm",
  splitting: true,
  outExtension: () => ({ js: ".cjs" }),
  banner: {},
  entry: Object.fromEntries(SHARING.map((part) => [part, LATE[part] ?? ""])),
  esbuildPlugins: [uponEachOther, uponEngine("cjs"), ...cjsBase.esbuildPlugins],
  esbuildOptions(options, context) {
    cjsParts.esbuildOptions?.(options, context);
    options.chunkNames = "late-[hash]";
  },
  plugins: [asCommonJs],
};

/** The optional parts that are required, which share what they have in common. */
const cjsOptional: Options = {
  ...cjsChecks,
  name: "cjs-optional",
  entry: PARTS_REQUIRED,
  esbuildPlugins: [uponEngine("cjs"), ...cjsBase.esbuildPlugins],
  esbuildOptions(options, context) {
    cjsChecks.esbuildOptions?.(options, context);
    options.chunkNames = "required-[hash]";
  },
};

/** Their declarations, which are no modules of Node's. */
const cjsOptionalTypes: Options = {
  ...cjsBase,
  name: "cjs-optional-types",
  dts: { only: true },
  entry: [...PARTS_REQUIRED, ...FETCH_SETUP],
};

/**
 * CommonJS whose one export is what Jest reads of a preset: `module.exports` is the default export itself. Its reporter
 * is ESM, which every Node that veritest runs on can require: as CommonJS it was 95 kB of the package for a second time.
 */
const cjsDefault: Options = {
  ...cjsBase,
  name: "cjs-default",
  entry: ["src/jest-preset.ts"],
  cjsInterop: true,
  footer: { js: "module.exports = module.exports.default;" },
};

/** Of package.json only what is asked of it: whole, it was in five files, with every development dependency. */
const packageFacts: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "package-facts",
  setup(build) {
    build.onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) => {
      const facts: unknown = JSON.parse(readFileSync(path, "utf8"));
      const version: unknown = typeof facts === "object" && facts !== null ? Reflect.get(facts, "version") : undefined;
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};

const builds: Options[] = [
  esm,
  engine,
  setup,
  setupLate,
  setupRest,
  main,
  parts,
  fetchSetup,
  cjs,
  cjsEngine,
  cjsPlain,
  cjsSetup,
  cjsParts,
  cjsChecks,
  cjsOptional,
  // Without declarations it would put modules in the place of those just built.
  ...(process.argv.includes("--no-dts") ? [] : [cjsOptionalTypes]),
  cjsDefault,
];
const config: Options[] = builds.map((options) => ({
  ...options,
  esbuildPlugins: [packageFacts, ...(options.esbuildPlugins ?? [])],
}));
export default config;
