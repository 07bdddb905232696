import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { transform } from "esbuild";
import type { Options } from "tsup";
import { bundlePage } from "./scripts/bundle-page.ts";
import {
  BUNDLED_PACKAGES,
  ENGINE,
  INSTALLER,
  lazyEntries,
  leaveOut,
  requireAtFirstCall,
  requireBundled,
  requireMatchersAtFirstCall,
  uponEachOther,
  uponEngine,
} from "./scripts/build/lazy-parts.ts";

const shared = {
  target: "node22",
  platform: "node",
  outDir: "dist",
  external: [
    "vitest",
    "vite",
    "jest",
    // Bundled: what compares texts, and what jest-diff and pretty-format bring with them.
    /^@jest\/(?!diff-sequences|get-type|react-is)/,
    "zod",
    "unpdf",
    "fast-check",
    "pg",
    "pg-boss",
  ],
  removeNodeProtocol: false,
  dts: true,
} satisfies Options;

/**
 * Globals that code of every kind looks up most often, and no test replaces; those that fake clocks and purity checks
 * replace are left out.
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
 * Jest runs test files and all that they load in a vm context, and so do Vitest's vm pools. Each access to a global
 * calls the context's sandbox there: 0.4 µs instead of almost no time. Constants of the file avoid that: a third of a
 * passing check under Jest, a quarter in a vm pool.
 */
const CONSTANT_GLOBALS = `const { ${INTRINSICS.join(", ")} } = globalThis;`;

/** Modules that tests load. */
const inTests = { ...shared, format: "esm", banner: { js: CONSTANT_GLOBALS } } satisfies Options;

const source = (names: readonly string[]): string[] => names.map((name) => `src/${name}.ts`);

/** Entries of the core that some tests import. */
const PARTS = source(["commands", "kernel", "redaction"]);
/** Extras of tests, each loaded by those who use it. */
const TEST_EXTRAS = [
  ...source(["ai-sdk-setup", "ai-sdk", "fetch", "llm", "mcp", "openai-agents", "properties"]),
  ...PARTS,
];
/** Extras that Jest requires, too. */
const REQUIRED_EXTRAS = [
  ...source(["grounding-jest", "grounding", "llm", "mcp", "openai-agents", "properties"]),
  ...PARTS,
];
/** Entries that run once, outside of the workers, and the extras that are part of the command line. */
const MAIN_ENTRIES = source([
  "cli",
  "plugin",
  "reporter/jest",
  "reporter/vitest",
  "grounding-jest",
  "grounding-vitest",
  "grounding",
  "grounding-properties",
  "queue-pg-boss",
  "runner",
  "store-contract",
  "store-postgres",
  "store-sqlite",
  "store",
]);
/** A set-up file without the engine, for every test file of those who list it. */
const FETCH_SETUP = "src/fetch-setup.ts";

type EsbuildOptions = NonNullable<Options["esbuildOptions"]>;

/** Smaller files. `chunk` names the split-off files, so that each size budget counts its own. */
function compact({ chunk, names = false, dynamicImport = true }: CompactOptions): EsbuildOptions {
  return (options) => {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
    options.minifyIdentifiers = !names;
    options.keepNames = false;
    options.chunkNames = `${chunk}-[hash]`;
    // Jest runs CommonJS in a vm that has no `import()`: there it must become a `require` at first use.
    if (!dynamicImport) options.supported = { ...options.supported, "dynamic-import": false };
  };
}

interface CompactOptions {
  readonly chunk: string;
  /** Keeps names: what people call stays readable in stack traces, and tools read what a CommonJS file exports. */
  readonly names?: boolean;
  readonly dynamicImport?: boolean;
}

const setupFile = (name: string): string => `setup-${name}`;
const esmLazy = leaveOut((name) => `${setupFile(name)}.js`);
const cjsLazy = leaveOut((name) => `${name}.cjs`);

/** Files that `import` gets in a worker, and the engine that it shares with the first check. */
const esm: Options = {
  ...inTests,
  name: "esm",
  splitting: true,
  entry: { ...entriesOf(["src/index.ts", "src/jest.ts", ...TEST_EXTRAS]), engine: ENGINE },
  esbuildPlugins: [uponEngine("js"), esmLazy],
  esbuildOptions: compact({ chunk: "chunk", names: true }),
  // The declarations of all entries: types declared twice would not fit each other.
  dts: {
    entry: [
      ...source(["index", "jest", "serializer", "vitest"]),
      ...MAIN_ENTRIES.filter((path) => !path.endsWith("/cli.ts")),
      ...TEST_EXTRAS,
      FETCH_SETUP,
    ],
  },
};

/**
 * Files that runners load for every test file, without splitting: every further file cost a request to the main
 * process. Lazy modules that share no code are here, too: an unchanged value is answered in 6 ms without the engine, in
 * 18 with.
 */
const setup: Options = {
  ...inTests,
  name: "setup",
  splitting: false,
  dts: false,
  entry: {
    ...entriesOf([...source(["vitest", "vitest-plugin-set-up", "serializer"]), FETCH_SETUP]),
    "setup-install-vitest": INSTALLER,
    ...lazyEntries(false, setupFile),
  },
  esbuildPlugins: [requireAtFirstCall, esmLazy],
  esbuildOptions: compact({ chunk: "setup" }),
};

/** The lazy modules that share code. */
const setupShared: Options = {
  ...inTests,
  name: "setup-shared",
  splitting: true,
  dts: false,
  entry: lazyEntries(true, setupFile),
  esbuildPlugins: [uponEachOther, uponEngine("js"), esmLazy],
  esbuildOptions: compact({ chunk: "setup" }),
};

/**
 * Sources of a report's page: `import text from "./page.css?raw"` is the file's text, as in Vite, and `import script
 * from "./main.ts?page"` the module and all that it imports as one script.
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

/** An entry in a folder of dist finds the files that builds share a folder above. */
const engineAbove: NonNullable<Options["plugins"]>[number] = {
  name: "engine-above",
  renderChunk(code, { path }) {
    const above = relative("dist", path).includes(sep);
    return above
      ? { code: code.replaceAll(/"\.\/(engine\.js|event-stream\.cjs|pretty\.cjs)"/g, '"../$1"') }
      : undefined;
  },
};

/** The main process's part, which reporters, the command line and extras share, upon the engine. */
const main: Options = {
  ...inTests,
  name: "main",
  splitting: true,
  dts: false,
  entry: MAIN_ENTRIES,
  esbuildPlugins: [pagePlugin, uponEngine("js")],
  plugins: [engineAbove],
  esbuildOptions: compact({ chunk: "main" }),
};

/** Program that git runs to merge a baseline: one file without imports, because git gets a copy of it. */
const mergeDriver: Options = {
  ...shared,
  name: "merge-driver",
  format: "esm",
  splitting: false,
  dts: false,
  entry: source(["merge-driver"]),
  esbuildOptions: compact({ chunk: "merge-driver" }),
};

/** Files that `require` gets, which is how Jest loads most of it. Its lazy modules are separate files. */
const cjsBase = {
  ...shared,
  format: "cjs",
  splitting: false,
  // A directive must come first.
  banner: { js: `"use strict";\n${CONSTANT_GLOBALS}` },
  esbuildPlugins: [cjsLazy],
  esbuildOptions: compact({ chunk: "chunk", names: true, dynamicImport: false }),
} satisfies Options;

const cjs: Options = {
  ...cjsBase,
  name: "cjs",
  // The declarations of all that is required, for the same reason as above.
  dts: { entry: [...source(["index", "jest", "jest-setup", "serializer"]), ...REQUIRED_EXTRAS, FETCH_SETUP] },
  entry: { ...entriesOf(source(["index", "jest"])), engine: ENGINE },
  esbuildPlugins: [uponEngine("cjs"), cjsLazy],
};

/** Small files with a default export, which tools only find if they are not compacted. */
const cjsPlain: Options = {
  ...cjsBase,
  name: "cjs-plain",
  dts: { entry: source(["jest-preset"]) },
  entry: source(["serializer", "jest-preset"]),
  esbuildOptions: (options) => {
    options.minifySyntax = true;
    options.supported = { ...options.supported, "dynamic-import": false };
  },
  plugins: [
    {
      name: "preset-is-its-default",
      // Jest reads a preset from `module.exports` itself.
      renderChunk: (code, { path }) =>
        path.endsWith("jest-preset.cjs") ? { code: `${code}module.exports = module.exports.default;\n` } : undefined,
    },
  ],
};

/** Files without exports that others read: Jest's set-up file, and separate lazy modules. */
const cjsSetup: Options = {
  ...cjsBase,
  name: "cjs-setup",
  dts: false,
  entry: {
    ...entriesOf(["src/jest-setup.ts", FETCH_SETUP]),
    "setup-sync-matchers": "src/matchers/sync-matchers.ts",
    ...lazyEntries(false, (name) => name),
    ...BUNDLED_PACKAGES,
  },
  esbuildPlugins: [requireMatchersAtFirstCall, cjsLazy],
  esbuildOptions: compact({ chunk: "setup", dynamicImport: false }),
};

/** The files that esbuild splits are ESM: each one is then converted to CommonJS separately, with its exports. */
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

/** The lazy modules that share code, and the extras that Jest requires. */
const cjsShared: Options = {
  ...cjsBase,
  name: "cjs-shared",
  format: "esm",
  splitting: true,
  outExtension: () => ({ js: ".cjs" }),
  banner: {},
  dts: false,
  entry: { ...entriesOf(REQUIRED_EXTRAS), ...lazyEntries(true, (name) => name) },
  esbuildPlugins: [uponEachOther, uponEngine("cjs"), cjsLazy],
  esbuildOptions: compact({ chunk: "shared", dynamicImport: false }),
  plugins: [asCommonJs],
};

/** Entries by their names in dist. */
function entriesOf(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path.replace(/^src\/(.*)\.ts$/, "$1"), path]));
}

/** Only the used fields of package.json: the complete file was in five files, with every development dependency. */
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

const config: Options[] = [esm, setup, setupShared, main, mergeDriver, cjs, cjsPlain, cjsSetup, cjsShared].map(
  (options) => ({
    ...options,
    // `tsup --no-dts` is for what runs alone; the option of a build would win over it.
    dts: process.argv.includes("--no-dts") ? false : (options.dts ?? false),
    esbuildPlugins: [
      packageFacts,
      ...(options.esbuildPlugins ?? []),
      ...(options === mergeDriver ? [] : [requireBundled(options.name?.startsWith("cjs") === true ? "cjs" : "esm")]),
    ],
  }),
);
export default config;
