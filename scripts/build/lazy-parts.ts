/**
 * Keeps modules that a worker loads on demand out of the set-up files, which runners read for every test file.
 * `import()` alone marks a module as loaded on demand.
 */
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type Metafile, buildSync } from "esbuild";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

const OWN_MODULE = /^\.{1,2}\/.*\.ts$/;

/** Bundles an entry without writing it, and returns what esbuild reports of it. */
function factsOf(entry: string): Metafile {
  return buildSync({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    outdir: "dist",
    logLevel: "error",
  }).metafile;
}

/** Entries that tests import, of which one test file often imports several. */
const IMPORTED_ENTRIES = ["src/index.ts", "src/commands.ts", "src/kernel.ts", "src/redaction.ts"];
/** Entries that runners load for every test file, and those that tests import. */
const WORKER_ENTRIES = ["src/vitest.ts", "src/jest-setup.ts", ...IMPORTED_ENTRIES];

/** Every module of a worker that is imported by `import()`: its name in dist, and its path. Throws for a name twice. */
const LAZY: Readonly<Record<string, string>> = lazyModules();

function lazyModules(): Record<string, string> {
  const inputs = WORKER_ENTRIES.flatMap((entry) => Object.values(factsOf(entry).inputs));
  const paths = inputs.flatMap(({ imports }) =>
    imports.filter(({ kind, external }) => kind === "dynamic-import" && external !== true).map(({ path }) => path),
  );
  const lazy: Record<string, string> = {};
  for (const path of new Set(paths)) {
    const name = basename(path, ".ts");
    if (name in lazy) throw new Error(`${path} and ${lazy[name]} are both loaded by import(): rename one.`);
    lazy[name] = path;
  }
  return lazy;
}

/**
 * Nearly all of Vitest's set-up file, in a separate file. The plugin has Vite load the set-up file for every test file,
 * which sends its text and map to each worker; Node loads the rest, for half of that.
 */
export const INSTALLER = "src/install-vitest.ts";

/** Leaves lazy modules, and the installer, out of the file that imports them; `fileOf` names the files they are in. */
export function leaveOut(fileOf: (name: string) => string): Plugin {
  const names = new Map(Object.entries(LAZY).map(([name, path]) => [resolve(path), name]));
  return {
    name: "leave-out",
    setup(build) {
      build.onResolve({ filter: OWN_MODULE }, ({ path, kind, resolveDir }) => {
        if (kind === "dynamic-import" && /[\\/]reporter[\\/]formats$/.test(resolveDir)) return { path, external: true };
        const file = resolve(resolveDir, path);
        const name = kind === "dynamic-import" ? names.get(file) : undefined;
        if (name !== undefined) return { path: `./${fileOf(name)}`, external: true };
        if (file === resolve(INSTALLER) && kind !== "entry-point")
          return { path: "./setup-install-vitest.js", external: true };
        return undefined;
      });
    },
  };
}

/**
 * Lazy modules by the one that is always loaded before them: they are built as if they imported it, so that their
 * common code is one file, and not one for each mixture of uses. Copies of shared code were a sixth of the package. A
 * lazy module without a row shares no code with others.
 */
const LOADED_BEFORE: Readonly<Record<string, string>> = {
  "calls-entry": "check-entry",
  "config-schema": "check-entry",
  "failure-entry": "check-entry",
  "load-config": "check-entry",
  "properties-entry": "failure-entry",
  "project-findings": "failure-entry",
  "stage-attempt": "failure-entry",
  "worker-settings": "check-entry",
  "workflow-step": "check-entry",
};

const SHARING: ReadonlySet<string> = new Set(["check-entry", ...Object.keys(LOADED_BEFORE)]);

/** Entries of the lazy modules that share code, or of those that don't, by the names `fileOf` gives them. */
export function lazyEntries(shared: boolean, fileOf: (name: string) => string): Record<string, string> {
  const some = Object.entries(LAZY).filter(([name]) => SHARING.has(name) === shared);
  return Object.fromEntries(some.map(([name, path]) => [fileOf(name), path]));
}

/** Builds lazy modules that share code upon each other. */
export const uponEachOther: Plugin = {
  name: "upon-each-other",
  setup(build) {
    const pathOf = (name: string): string => resolve(LAZY[name] ?? "");
    const before = new Map(Object.entries(LOADED_BEFORE).map(([name, first]) => [pathOf(name), pathOf(first)]));
    // The import is there for its side of the graph alone.
    build.initialOptions.logOverride = { "ignored-bare-import": "silent" };
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const first = before.get(path);
      if (first === undefined) return undefined;
      return { contents: `import ${JSON.stringify(first)};\n${readFileSync(path, "utf8")}`, loader: "ts" };
    });
  },
};

/**
 * Modules of bundled packages, each a file of dist that all builds require at the first call: the printers of failing
 * tests (70 kB) and the parser of recorded event streams.
 */
export const BUNDLED_PACKAGES: Readonly<Record<string, string>> = {
  "event-stream": "src/kernel/event-stream.ts",
  pretty: "src/kernel/pretty.ts",
};

/**
 * Entry of the engine: all modules that both an entry that tests import and the first check import, nine tenths of
 * either. Without it the code was four times in the package, and twice in every worker that imports one and runs the
 * other.
 */
export const ENGINE = "scripts/build/engine.ts";

/** The modules that an entry imports eagerly. */
function eagerModulesOf(entry: string): ReadonlySet<string> {
  const { outputs } = factsOf(entry);
  const own = Object.values(outputs).find(({ entryPoint }) => entryPoint === entry);
  const chunks = (own?.imports ?? []).filter(({ kind, external }) => kind !== "dynamic-import" && external !== true);
  const files = [own, ...chunks.map(({ path }) => outputs[path])];
  return new Set(files.flatMap((file) => Object.keys(file?.inputs ?? {})));
}

const ofEntries = new Set(IMPORTED_ENTRIES.flatMap((entry) => [...eagerModulesOf(entry)]));
const engineModules = new Set(
  [...eagerModulesOf(LAZY["check-entry"] ?? "")]
    .filter((path) => ofEntries.has(path) && !Object.values(BUNDLED_PACKAGES).includes(path))
    .map((path) => resolve(path)),
);

/** Builds the engine, and leaves it out of everything else in the same build or another. */
export function uponEngine(extension: "cjs" | "js"): Plugin {
  const engine = resolve(ENGINE);
  return {
    name: "upon-engine",
    setup(build) {
      build.onLoad({ filter: /[\\/]engine\.ts$/ }, ({ path }) => {
        const lines = [...engineModules].map((module) => `export * from ${JSON.stringify(module)};`);
        return path === engine ? { contents: lines.join("\n"), loader: "ts" } : undefined;
      });
      build.onResolve({ filter: OWN_MODULE }, ({ path, importer, resolveDir }) => {
        const isEngines = importer === engine || engineModules.has(importer);
        return !isEngines && engineModules.has(resolve(resolveDir, path))
          ? { path: `./engine.${extension}`, external: true }
          : undefined;
      });
    },
  };
}

/**
 * Packages that Vitest's set-up file imports but loads at the first call: most test files make none. CommonJS, because
 * a synchronous matcher or serializer can't wait for `import()`, and Vitest's vm pools `require` no other format.
 */
const AT_FIRST_CALL: Readonly<Record<string, string>> = {
  "setup-sync-matchers": "src/matchers/sync-matchers.ts",
  serializer: "src/matchers/serializer/serializer.ts",
};

/** Functions up to which each is written out; more are smaller by one proxy. */
const FEW = 6;

/** Functions that require `<name>.cjs` when one is called, in place of the module that exports them. */
function stubOf(name: string, source: string, format: "cjs" | "esm"): string {
  const outputs = Object.values(factsOf(source).outputs);
  const exported = outputs.find(({ entryPoint }) => entryPoint !== undefined)?.exports ?? [];
  const call = `("./${name}.cjs")`;
  return [
    ...(format === "cjs" ? [] : ['import { createRequire } from "node:module";']),
    "let loaded;",
    `const load = () => (loaded ??= ${format === "cjs" ? `require${call}` : `createRequire(import.meta.url)${call}`});`,
    ...(exported.length > FEW
      ? [
          "const later = { get: (_, name) => function (...args) { return load()[name].apply(this, args); } };",
          `export const { ${exported.join(", ")} } = new Proxy({}, later);`,
        ]
      : exported.map((member) => `export function ${member}(...args) { return load().${member}.apply(this, args); }`)),
  ].join("\n");
}

/** Replaces modules by functions that require them when one is called, unless a module is an entry itself. */
function requireLater(format: "cjs" | "esm", modules: Readonly<Record<string, string>>): Plugin {
  const names = new Map(Object.entries(modules).map(([name, source]) => [resolve(source), name]));
  const namespace = Object.keys(modules).join(" ");
  return {
    name: "require-later",
    setup(build) {
      build.onResolve({ filter: OWN_MODULE }, ({ path, importer, resolveDir }) => {
        const file = resolve(resolveDir, path);
        const isReplaced = names.has(file) && importer !== "" && importer !== resolve("src/serializer.ts");
        return isReplaced ? { path: file, namespace } : undefined;
      });
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => {
        const name = names.get(path) ?? "";
        return { contents: stubOf(name, path, format), loader: "js" };
      });
      build.onResolve({ filter: /^\.\/[\w-]+\.cjs$/ }, ({ path }) =>
        path.slice(2, -4) in modules ? { path, external: true } : undefined,
      );
    },
  };
}

/** Requires what the set-up file rarely needs at the first call. */
export const requireAtFirstCall: Plugin = requireLater("esm", AT_FIRST_CALL);

/** The same for Jest's set-up file, which has no serializer in it. */
export const requireMatchersAtFirstCall: Plugin = requireLater("cjs", {
  "setup-sync-matchers": "src/matchers/sync-matchers.ts",
});

/** Requires bundled packages at the first call. */
export function requireBundled(format: "cjs" | "esm"): Plugin {
  return requireLater(format, BUNDLED_PACKAGES);
}
