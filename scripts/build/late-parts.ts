/**
 * How the parts of a worker that are loaded late stay out of the set-up files: runners read those for every test file.
 * What a part gathers from several rooms lies in src/matchers/lazy.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { buildSync } from "esbuild";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** What is imported when a test first needs it, each a file of its own: its name in dist, and what it is made of. */
export const LATE: Readonly<Record<string, string>> = {
  "calls-part": "src/record/calls/calls-part.ts",
  "command-schema": "src/kernel/step/command-schema.ts",
  "failure-path": "src/matchers/lazy/failure-path.ts",
  "first-check": "src/matchers/lazy/first-check.ts",
  "laws-part": "src/extras/properties/laws-part.ts",
  "project-findings": "src/matchers/session/project-findings.ts",
  "settle-attempt": "src/updates/settle-attempt.ts",
  "unchanged-value": "src/matchers/unchanged-value.ts",
  "workflow-step": "src/extras/runs/runner/workflow-step.ts",
};
/** The same for Vitest; `import-module` is by itself so that Node runs it and not Vite. */
export const LATE_OF_VITEST: Readonly<Record<string, string>> = {
  ...LATE,
  "import-module": "src/matchers/lazy/import-module.ts",
};

/**
 * Nearly all of Vitest's set-up file, in a file of its own. The plugin has Vite load the set-up file for every test
 * file, which sends its text and map to each worker; Node loads the rest by itself, for half of that.
 */
export const INSTALLER = "install-vitest";

/**
 * What Vitest's set-up file imports but loads at the first call: most test files call none of it. CommonJS, because a
 * matcher or serializer that answers at once cannot wait for `import()`, and Vitest's vm pools `require` nothing else.
 */
const AT_FIRST_CALL: Readonly<Record<string, { readonly file: string; readonly source: string }>> = {
  "./lazy/sync-matchers.ts": { file: "setup-sync-matchers.cjs", source: "src/matchers/lazy/sync-matchers.ts" },
  "./serializer.ts": { file: "serializer.cjs", source: "src/matchers/serializer/serializer.ts" },
};

/** Leaves late parts out of the file that imports them. `strict`: whatever else is imported late is an error. */
export function leaveOut(
  parts: Readonly<Record<string, string>>,
  fileOf: (part: string) => string,
  { strict = false }: { readonly strict?: boolean } = {},
): Plugin {
  return {
    name: "leave-out",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, kind, importer }) => {
        const part = path.replace(/^.*\/(.*)\.ts$/, "$1");
        const isLate = kind === "dynamic-import" ? part in parts : path === `./${INSTALLER}.ts`;
        if (isLate) return { path: `./${fileOf(part)}`, external: true };
        if (kind !== "dynamic-import" || !strict) return undefined;
        return { errors: [{ text: `${importer} imports ${path} late: name it in LATE of late-parts.ts.` }] };
      });
    },
  };
}

/**
 * Late parts by those that are loaded wherever they are: as if they were imported, so that what both are made of is one
 * file, and not one for each mixture of uses. Copies of what they share were a sixth of the package.
 */
const LOADED_BEFORE: Readonly<Record<string, string>> = {
  "calls-part": "first-check",
  "failure-path": "first-check",
  "laws-part": "failure-path",
  "project-findings": "failure-path",
  "settle-attempt": "failure-path",
  "workflow-step": "first-check",
};

/** The late parts that are built upon each other. */
export const SHARING: readonly string[] = ["first-check", ...Object.keys(LOADED_BEFORE)];

/** Builds late parts upon each other. */
export const uponEachOther: Plugin = {
  name: "upon-each-other",
  setup(build) {
    const before = new Map(
      Object.entries(LOADED_BEFORE).map(([part, first]) => [resolve(LATE[part] ?? ""), resolve(LATE[first] ?? "")]),
    );
    // What is imported for nothing but its place is what is meant.
    build.initialOptions.logOverride = { "ignored-bare-import": "silent" };
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const first = before.get(path);
      if (first === undefined) return undefined;
      return { contents: `import ${JSON.stringify(first)};\n${readFileSync(path, "utf8")}`, loader: "ts" };
    });
  },
};

/**
 * What the entry `veritest` and the first check of a test file are both made of, nine tenths of either. By itself in
 * each it was four times in the package, and twice in every worker that imports one and runs the other.
 */
export const ENGINE = { name: "engine", entry: "src/index.ts" } as const;

/** The modules that files import at once, by their paths. */
function modulesOf(entry: string): readonly string[] {
  const { metafile } = buildSync({
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
  });
  const own = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === entry);
  const later = (own?.imports ?? []).filter(({ kind, external }) => kind !== "dynamic-import" && external !== true);
  const files = [own, ...later.map(({ path }) => metafile.outputs[path])];
  return files.flatMap((file) => Object.keys(file?.inputs ?? {}));
}

const engineModules = new Set(
  modulesOf(LATE["first-check"] ?? "")
    .filter((path) => modulesOf(ENGINE.entry).includes(path))
    .map((path) => resolve(path)),
);

/** Makes the engine of the place where its entry stands: all that its modules export. */
export const makeEngine: Plugin = {
  name: "make-engine",
  setup(build) {
    const lines = [...engineModules].map((path) => `export * from ${JSON.stringify(path)};`);
    build.onLoad({ filter: /[\\/]index\.ts$/ }, ({ path }) =>
      path === resolve(ENGINE.entry) ? { contents: lines.join("\n"), loader: "ts" } : undefined,
    );
  },
};

/** Leaves the engine out of what is built upon it. */
export function uponEngine(extension: "cjs" | "js"): Plugin {
  return {
    name: "upon-engine",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) =>
        engineModules.has(resolve(resolveDir, path))
          ? { path: `./${ENGINE.name}.${extension}`, external: true }
          : undefined,
      );
    },
  };
}

/** What a file exports by `export { name } from` or `export function name`, one to a line. */
function functionsOf(source: string): readonly string[] {
  const exported = /^export (?:\{([^}]+)\}|function (\w+))/gm;
  const found = [...readFileSync(source, "utf8").matchAll(exported)];
  return found.flatMap(([, named, declared = ""]) => named?.split(",").map((name) => name.trim()) ?? [declared]);
}

/** Puts functions that require their module when they are called in the place of those modules. */
export const requireAtFirstCall: Plugin = {
  name: "require-at-first-call",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path }) =>
      path in AT_FIRST_CALL ? { path, namespace: "at-first-call" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "at-first-call" }, ({ path }) => {
      const { file = "", source = "" } = AT_FIRST_CALL[path] ?? {};
      const lines = [
        'import { createRequire } from "node:module";',
        "let loaded;",
        `const load = () => (loaded ??= createRequire(import.meta.url)("./${file}"));`,
        ...functionsOf(source).map(
          (name) => `export function ${name}(...args) { return load().${name}.apply(this, args); }`,
        ),
      ];
      return { contents: lines.join("\n"), loader: "js" };
    });
  },
};
