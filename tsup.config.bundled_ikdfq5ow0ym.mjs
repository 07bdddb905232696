// tsup.config.ts
import { readFileSync as readFileSync2 } from "node:fs";
import { join, relative, sep } from "node:path";
import { transform } from "esbuild";

// scripts/bundle-page.ts
import { buildSync } from "esbuild";
function bundlePage(path) {
  const { outputFiles } = buildSync({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2024",
    minify: true,
    legalComments: "inline",
    logLevel: "error",
  });
  return outputFiles.map(({ text }) => text).join("");
}

// scripts/build/late-parts.ts
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { buildSync as buildSync2 } from "esbuild";
var LATE = {
  "calls-part": "src/record/calls/calls-part.ts",
  "command-schema": "src/kernel/step/command-schema.ts",
  "failure-path": "src/matchers/lazy/failure-path.ts",
  "first-check": "src/matchers/lazy/first-check.ts",
  "laws-part": "src/matchers/lazy/laws-part.ts",
  "project-findings": "src/matchers/session/project-findings.ts",
  "settle-attempt": "src/updates/settle-attempt.ts",
  "unchanged-value": "src/matchers/unchanged-value.ts",
  "workflow-step": "src/extras/runs/runner/workflow-step.ts",
};
var LATE_OF_VITEST = {
  ...LATE,
  "import-module": "src/matchers/lazy/import-module.ts",
};
var INSTALLER = "install-vitest";
var AT_FIRST_CALL = {
  "../late/sync-matchers.ts": { file: "setup-sync-matchers.cjs", source: "src/matchers/lazy/sync-matchers.ts" },
  "./serializer.ts": { file: "serializer.cjs", source: "src/matchers/serializer/serializer.ts" },
};
function leaveOut(parts2, fileOf, { strict = false } = {}) {
  return {
    name: "leave-out",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, kind, importer }) => {
        const part = path.replace(/^.*\/(.*)\.ts$/, "$1");
        const isLate = kind === "dynamic-import" ? part in parts2 : path === `./late/${INSTALLER}.ts`;
        if (isLate) return { path: `./${fileOf(part)}`, external: true };
        if (kind !== "dynamic-import" || !strict) return void 0;
        return { errors: [{ text: `${importer} imports ${path} late: name it in LATE of late-parts.ts.` }] };
      });
    },
  };
}
var LOADED_BEFORE = {
  "calls-part": "first-check",
  "failure-path": "first-check",
  "laws-part": "failure-path",
  "project-findings": "failure-path",
  "settle-attempt": "failure-path",
  "workflow-step": "first-check",
};
var SHARING = ["first-check", ...Object.keys(LOADED_BEFORE)];
var uponEachOther = {
  name: "upon-each-other",
  setup(build) {
    const before = new Map(
      Object.entries(LOADED_BEFORE).map(([part, first]) => [resolve(LATE[part] ?? ""), resolve(LATE[first] ?? "")]),
    );
    build.initialOptions.logOverride = { "ignored-bare-import": "silent" };
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const first = before.get(path);
      if (first === void 0) return void 0;
      return {
        contents: `import ${JSON.stringify(first)};
${readFileSync(path, "utf8")}`,
        loader: "ts",
      };
    });
  },
};
var ENGINE = { name: "engine", entry: "src/index.ts" };
function modulesOf(entry) {
  const { metafile } = buildSync2({
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
var engineModules = new Set(
  modulesOf(LATE["first-check"] ?? "")
    .filter((path) => modulesOf(ENGINE.entry).includes(path))
    .map((path) => resolve(path)),
);
var makeEngine = {
  name: "make-engine",
  setup(build) {
    const lines = [...engineModules].map((path) => `export * from ${JSON.stringify(path)};`);
    build.onLoad({ filter: /[\\/]index\.ts$/ }, ({ path }) =>
      path === resolve(ENGINE.entry) ? { contents: lines.join("\n"), loader: "ts" } : void 0,
    );
  },
};
function uponEngine(extension) {
  return {
    name: "upon-engine",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) =>
        engineModules.has(resolve(resolveDir, path))
          ? { path: `./${ENGINE.name}.${extension}`, external: true }
          : void 0,
      );
    },
  };
}
function functionsOf(source) {
  const exported = /^export (?:\{([^}]+)\}|function (\w+))/gm;
  const found = [...readFileSync(source, "utf8").matchAll(exported)];
  return found.flatMap(([, named, declared = ""]) => named?.split(",").map((name) => name.trim()) ?? [declared]);
}
var requireAtFirstCall = {
  name: "require-at-first-call",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path }) =>
      path in AT_FIRST_CALL ? { path, namespace: "at-first-call" } : void 0,
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

// tsup.config.ts
var shared = {
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
};
var INTRINSICS = [
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
var CONSTANT_GLOBALS = `const { ${INTRINSICS.join(", ")} } = globalThis;`;
var inTests = { ...shared, format: "esm", banner: { js: CONSTANT_GLOBALS } };
var WORKER_ENTRIES = ["src/index.ts", "src/jest.ts"];
var MAIN_ENTRIES = [
  "src/cli.ts",
  "src/sweep-worker.ts",
  "src/plugin.ts",
  "src/reporter/jest.ts",
  "src/reporter/vitest.ts",
];
var PARTS_OF_MAIN = [
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
var FETCH_SETUP = ["src/fetch-setup.ts"];
var PARTS_REQUIRED = [
  "src/grounding-jest.ts",
  "src/grounding.ts",
  "src/laws.ts",
  "src/llm.ts",
  "src/mcp.ts",
  "src/openai-agents.ts",
];
var PARTS_OF_TESTS = [
  "src/ai-sdk-setup.ts",
  "src/ai-sdk.ts",
  "src/fetch.ts",
  "src/laws.ts",
  "src/llm.ts",
  "src/mcp.ts",
  "src/openai-agents.ts",
];
function compact(prefix) {
  return (options) => {
    options.minifyWhitespace = true;
    options.minifyIdentifiers = prefix !== "chunk" && prefix !== ENGINE.name;
    options.keepNames = false;
    options.minifySyntax = true;
    options.chunkNames = `${prefix}-[hash]`;
  };
}
var esm = {
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
var setup = {
  ...inTests,
  name: "setup",
  splitting: false,
  dts: false,
  entry: {
    vitest: "src/vitest.ts",
    "vitest-plugin-set-up": "src/vitest-plugin-set-up.ts",
    serializer: "src/serializer.ts",
    [`setup-${INSTALLER}`]: `src/matchers/lazy/${INSTALLER}.ts`,
  },
  // Bundled in, it would be there for every test file, with all that it imports.
  esbuildPlugins: [requireAtFirstCall, leaveOut(LATE_OF_VITEST, (part) => `setup-${part}.js`, { strict: true })],
  esbuildOptions: compact("setup"),
};
function lateOfVitest(name, isIn, upon) {
  const parts2 = Object.entries(LATE_OF_VITEST).filter(([part]) => isIn(part));
  return {
    ...inTests,
    name,
    splitting: true,
    dts: false,
    entry: Object.fromEntries(parts2.map(([part, source]) => [`setup-${part}`, source])),
    esbuildPlugins: [...upon, leaveOut(LATE_OF_VITEST, (part) => `setup-${part}.js`)],
    esbuildOptions: compact("setup"),
  };
}
var engine = {
  ...inTests,
  name: "engine",
  splitting: false,
  dts: false,
  entry: { [ENGINE.name]: ENGINE.entry },
  esbuildPlugins: [makeEngine, leaveOut(LATE_OF_VITEST, (part) => `setup-${part}.js`)],
  esbuildOptions: compact(ENGINE.name),
};
var setupLate = lateOfVitest("setup-late", (part) => SHARING.includes(part), [uponEachOther, uponEngine("js")]);
var setupRest = lateOfVitest("setup-rest", (part) => !SHARING.includes(part), []);
var pagePlugin = {
  name: "page",
  setup(build) {
    build.onResolve({ filter: /\?(?:raw|page)$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?\w+$/, "")),
      namespace: path.endsWith("?raw") ? "raw" : "page",
    }));
    build.onLoad({ filter: /.*/, namespace: "raw" }, ({ path }) => ({
      contents: readFileSync2(path, "utf8"),
      loader: "text",
    }));
    build.onLoad({ filter: /.*/, namespace: "page" }, ({ path }) => ({ contents: bundlePage(path), loader: "text" }));
  },
};
var engineAbove = {
  name: "engine-above",
  renderChunk(code, { path }) {
    const above = relative("dist", path).includes(sep);
    return above ? { code: code.replaceAll(`"./${ENGINE.name}.js"`, `"../${ENGINE.name}.js"`) } : void 0;
  },
};
var main = {
  ...inTests,
  name: "main",
  splitting: true,
  dts: false,
  entry: [...MAIN_ENTRIES, ...PARTS_OF_MAIN],
  esbuildPlugins: [pagePlugin, uponEngine("js")],
  plugins: [engineAbove],
  esbuildOptions: compact("main"),
};
var parts = {
  ...inTests,
  name: "parts",
  splitting: true,
  dts: false,
  entry: PARTS_OF_TESTS,
  esbuildPlugins: [uponEngine("js")],
  esbuildOptions: compact("part"),
};
var fetchSetup = { ...parts, name: "fetch-setup", splitting: false, entry: FETCH_SETUP, esbuildPlugins: [] };
var cjsBase = {
  ...shared,
  format: "cjs",
  splitting: false,
  // A directive must come first.
  banner: {
    js: `"use strict";
${CONSTANT_GLOBALS}`,
  },
  // CommonJS has no splitting of esbuild's.
  esbuildPlugins: [leaveOut(LATE, (part) => `${part}.cjs`)],
  esbuildOptions(options) {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
    options.supported = { ...options.supported, "dynamic-import": false };
  },
};
var cjs = {
  ...cjsBase,
  name: "cjs",
  entry: WORKER_ENTRIES,
  esbuildPlugins: [uponEngine("cjs"), ...cjsBase.esbuildPlugins],
};
var cjsEngine = {
  ...cjsBase,
  name: "cjs-engine",
  dts: false,
  entry: { [ENGINE.name]: ENGINE.entry },
  esbuildPlugins: [makeEngine, ...cjsBase.esbuildPlugins],
};
var cjsPlain = {
  ...cjsBase,
  name: "cjs-plain",
  entry: ["src/serializer.ts"],
  esbuildOptions(options) {
    cjsBase.esbuildOptions(options);
    options.minifyWhitespace = false;
  },
};
var cjsSetup = {
  ...cjsBase,
  name: "cjs-setup",
  entry: ["src/jest-setup.ts"],
  esbuildOptions(options, context) {
    compact("setup")(options, context);
    options.supported = { ...options.supported, "dynamic-import": false };
  },
};
var cjsParts = {
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
var asCommonJs = {
  name: "as-commonjs",
  async renderChunk(code) {
    const { code: required } = await transform(code, {
      format: "cjs",
      platform: "node",
      target: "node22",
      minifyWhitespace: true,
      banner: `"use strict";
${CONSTANT_GLOBALS}`,
    });
    return { code: required };
  },
};
var cjsChecks = {
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
var cjsOptional = {
  ...cjsChecks,
  name: "cjs-optional",
  entry: PARTS_REQUIRED,
  esbuildPlugins: [uponEngine("cjs"), ...cjsBase.esbuildPlugins],
  esbuildOptions(options, context) {
    cjsChecks.esbuildOptions?.(options, context);
    options.chunkNames = "required-[hash]";
  },
};
var cjsOptionalTypes = {
  ...cjsBase,
  name: "cjs-optional-types",
  dts: { only: true },
  entry: [...PARTS_REQUIRED, ...FETCH_SETUP],
};
var cjsDefault = {
  ...cjsBase,
  name: "cjs-default",
  entry: ["src/jest-preset.ts"],
  cjsInterop: true,
  footer: { js: "module.exports = module.exports.default;" },
};
var packageFacts = {
  name: "package-facts",
  setup(build) {
    build.onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) => {
      const facts = JSON.parse(readFileSync2(path, "utf8"));
      const version = typeof facts === "object" && facts !== null ? Reflect.get(facts, "version") : void 0;
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};
var builds = [
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
var config = builds.map((options) => ({
  ...options,
  esbuildPlugins: [packageFacts, ...(options.esbuildPlugins ?? [])],
}));
var tsup_config_default = config;
export { tsup_config_default as default };
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsidHN1cC5jb25maWcudHMiLCAic2NyaXB0cy9idW5kbGUtcGFnZS50cyIsICJzY3JpcHRzL2J1aWxkL2xhdGUtcGFydHMudHMiXSwKICAic291cmNlc0NvbnRlbnQiOiBbImNvbnN0IF9faW5qZWN0ZWRfZmlsZW5hbWVfXyA9IFwiL3RtcC93dC9ub3Rlcy90c3VwLmNvbmZpZy50c1wiO2NvbnN0IF9faW5qZWN0ZWRfZGlybmFtZV9fID0gXCIvdG1wL3d0L25vdGVzXCI7Y29uc3QgX19pbmplY3RlZF9pbXBvcnRfbWV0YV91cmxfXyA9IFwiZmlsZTovLy90bXAvd3Qvbm90ZXMvdHN1cC5jb25maWcudHNcIjtpbXBvcnQgeyByZWFkRmlsZVN5bmMgfSBmcm9tIFwibm9kZTpmc1wiO1xuaW1wb3J0IHsgam9pbiwgcmVsYXRpdmUsIHNlcCB9IGZyb20gXCJub2RlOnBhdGhcIjtcbmltcG9ydCB7IHR5cGUgQnVpbGRPcHRpb25zLCB0cmFuc2Zvcm0gfSBmcm9tIFwiZXNidWlsZFwiO1xuaW1wb3J0IHR5cGUgeyBPcHRpb25zIH0gZnJvbSBcInRzdXBcIjtcbmltcG9ydCB7IGJ1bmRsZVBhZ2UgfSBmcm9tIFwiLi9zY3JpcHRzL2J1bmRsZS1wYWdlLnRzXCI7XG5pbXBvcnQge1xuICBFTkdJTkUsXG4gIElOU1RBTExFUixcbiAgTEFURSxcbiAgTEFURV9PRl9WSVRFU1QsXG4gIFNIQVJJTkcsXG4gIGxlYXZlT3V0LFxuICBtYWtlRW5naW5lLFxuICByZXF1aXJlQXRGaXJzdENhbGwsXG4gIHVwb25FYWNoT3RoZXIsXG4gIHVwb25FbmdpbmUsXG59IGZyb20gXCIuL3NjcmlwdHMvYnVpbGQvbGF0ZS1wYXJ0cy50c1wiO1xuXG5jb25zdCBzaGFyZWQgPSB7XG4gIHRhcmdldDogXCJub2RlMjJcIixcbiAgcGxhdGZvcm06IFwibm9kZVwiLFxuICBvdXREaXI6IFwiZGlzdFwiLFxuICBleHRlcm5hbDogW1xuICAgIFwidml0ZXN0XCIsXG4gICAgXCJ2aXRlXCIsXG4gICAgXCJqZXN0XCIsXG4gICAgLy8gQnVuZGxlZDogd2hhdCBjb21wYXJlcyB0ZXh0cywgYW5kIHdoYXQgcHJldHR5LWZvcm1hdCBicmluZ3Mgd2l0aCBpdC5cbiAgICAvXkBqZXN0XFwvKD8hZGlmZi1zZXF1ZW5jZXN8c2NoZW1hc3xyZWFjdC1pcykvLFxuICAgIFwiem9kXCIsXG4gICAgXCJ1bnBkZlwiLFxuICAgIFwiQG9wZW50ZWxlbWV0cnkvYXBpXCIsXG4gICAgXCJAaHVnZ2luZ2ZhY2UvdHJhbnNmb3JtZXJzXCIsXG4gICAgXCJmYXN0LWNoZWNrXCIsXG4gICAgXCJwZ1wiLFxuICAgIFwicGctYm9zc1wiLFxuICBdLFxuICByZW1vdmVOb2RlUHJvdG9jb2w6IGZhbHNlLFxuICBkdHM6IHRydWUsXG59IHNhdGlzZmllcyBPcHRpb25zO1xuXG4vKipcbiAqIFdoYXQgY29kZSBvZiBldmVyeSBraW5kIGxvb2tzIHVwIG1vc3Qgb2Z0ZW4sIGFuZCBubyB0ZXN0IHJlcGxhY2VzOyB3aGF0IGZha2UgY2xvY2tzIGFuZCBwdXJpdHkgY2hlY2tzIHJlYWNoIGZvciBpc1xuICogbGVmdCBvdXQuXG4gKi9cbmNvbnN0IElOVFJJTlNJQ1MgPSBbXG4gIFwiQXJyYXlcIixcbiAgXCJKU09OXCIsXG4gIFwiTWFwXCIsXG4gIFwiTWF0aFwiLFxuICBcIk51bWJlclwiLFxuICBcIk9iamVjdFwiLFxuICBcIlByb21pc2VcIixcbiAgXCJSZWZsZWN0XCIsXG4gIFwiU2V0XCIsXG4gIFwiU3RyaW5nXCIsXG4gIFwiU3ltYm9sXCIsXG4gIFwiV2Vha01hcFwiLFxuICBcInByb2Nlc3NcIixcbl07XG5cbi8qKlxuICogSmVzdCBydW5zIHRlc3QgZmlsZXMgYW5kIGFsbCB0aGF0IHRoZXkgbG9hZCBpbiBhIHZtIGNvbnRleHQsIGFuZCBzbyBkbyBWaXRlc3QncyB2bSBwb29scy4gRWFjaCBsb29rIGF0IGEgZ2xvYmFsXG4gKiBhc2tzIHRoZSBjb250ZXh0J3Mgc2FuZGJveCB0aGVyZTogMC40IFx1MDBCNXMgaW5zdGVhZCBvZiBub3RoaW5nLiBBcyBjb25zdGFudHMgb2YgdGhlIGZpbGUgdGhlc2UgY29zdCBub3RoaW5nIGVpdGhlcjogYVxuICogdGhpcmQgb2YgYSBwYXNzaW5nIGNoZWNrIHVuZGVyIEplc3QsIGEgcXVhcnRlciBpbiBhIHZtIHBvb2wuXG4gKi9cbmNvbnN0IENPTlNUQU5UX0dMT0JBTFMgPSBgY29uc3QgeyAke0lOVFJJTlNJQ1Muam9pbihcIiwgXCIpfSB9ID0gZ2xvYmFsVGhpcztgO1xuXG4vKiogTW9kdWxlcyB0aGF0IHRlc3RzIGxvYWQuICovXG5jb25zdCBpblRlc3RzID0geyAuLi5zaGFyZWQsIGZvcm1hdDogXCJlc21cIiwgYmFubmVyOiB7IGpzOiBDT05TVEFOVF9HTE9CQUxTIH0gfSBzYXRpc2ZpZXMgT3B0aW9ucztcblxuLyoqIFdoYXQgdGVzdHMgaW1wb3J0LiBXaGF0IHJ1bm5lcnMgbG9hZCBmb3IgZXZlcnkgdGVzdCBmaWxlIGlzIGJ1aWx0IGJ5IGl0c2VsZi4gKi9cbmNvbnN0IFdPUktFUl9FTlRSSUVTOiBzdHJpbmdbXSA9IFtcInNyYy9pbmRleC50c1wiLCBcInNyYy9qZXN0LnRzXCJdO1xuLyoqIFdoYXQgcnVucyBvbmNlLCBiZXNpZGUgdGhlIHdvcmtlcnMuICovXG5jb25zdCBNQUlOX0VOVFJJRVM6IHN0cmluZ1tdID0gW1xuICBcInNyYy9jbGkudHNcIixcbiAgXCJzcmMvc3dlZXAtd29ya2VyLnRzXCIsXG4gIFwic3JjL3BsdWdpbi50c1wiLFxuICBcInNyYy9yZXBvcnRlci9qZXN0LnRzXCIsXG4gIFwic3JjL3JlcG9ydGVyL3ZpdGVzdC50c1wiLFxuXTtcbi8qKiBPcHRpb25hbCBwYXJ0cyB0aGF0IHRoZSBjb21tYW5kIGxpbmUgaXMgbWFkZSBvZiwgdG9vOiBieSB0aGVtc2VsdmVzIHRoZXkgd2VyZSA1NiBrQiBvZiB0aGUgcGFja2FnZSBhIHNlY29uZCB0aW1lLiAqL1xuY29uc3QgUEFSVFNfT0ZfTUFJTjogc3RyaW5nW10gPSBbXG4gIFwic3JjL2dyb3VuZGluZy1qZXN0LnRzXCIsXG4gIFwic3JjL2dyb3VuZGluZy12aXRlc3QudHNcIixcbiAgXCJzcmMvZ3JvdW5kaW5nLnRzXCIsXG4gIFwic3JjL3Byb3BlcnRpZXMudHNcIixcbiAgXCJzcmMvcXVldWUtcGctYm9zcy50c1wiLFxuICBcInNyYy9ydW5uZXIudHNcIixcbiAgXCJzcmMvc3RvcmUtY29udHJhY3QudHNcIixcbiAgXCJzcmMvc3RvcmUtcG9zdGdyZXMudHNcIixcbiAgXCJzcmMvc3RvcmUtc3FsaXRlLnRzXCIsXG4gIFwic3JjL3N0b3JlLnRzXCIsXG5dO1xuLyoqIEEgc2V0LXVwIG9mIGl0cyBvd24sIGxvYWRlZCBmb3IgZXZlcnkgdGVzdCBmaWxlIG9mIHRob3NlIHdobyBsaXN0IGl0OiBieSBpdHNlbGYsIHdpdGhvdXQgdGhlIGVuZ2luZS4gKi9cbmNvbnN0IEZFVENIX1NFVFVQOiBzdHJpbmdbXSA9IFtcInNyYy9mZXRjaC1zZXR1cC50c1wiXTtcbi8qKiBPcHRpb25hbCBwYXJ0cyB0aGF0IEplc3QgcmVxdWlyZXMsIHRvby4gKi9cbmNvbnN0IFBBUlRTX1JFUVVJUkVEOiBzdHJpbmdbXSA9IFtcbiAgXCJzcmMvZ3JvdW5kaW5nLWplc3QudHNcIixcbiAgXCJzcmMvZ3JvdW5kaW5nLnRzXCIsXG4gIFwic3JjL2xhd3MudHNcIixcbiAgXCJzcmMvbGxtLnRzXCIsXG4gIFwic3JjL21jcC50c1wiLFxuICBcInNyYy9vcGVuYWktYWdlbnRzLnRzXCIsXG5dO1xuLyoqIE9wdGlvbmFsIHBhcnRzIG9mIHRlc3RzLCBlYWNoIGxvYWRlZCBieSB0aG9zZSB3aG8gdXNlIGl0LCB1cG9uIHRoZSBlbmdpbmUuICovXG5jb25zdCBQQVJUU19PRl9URVNUUzogc3RyaW5nW10gPSBbXG4gIFwic3JjL2FpLXNkay1zZXR1cC50c1wiLFxuICBcInNyYy9haS1zZGsudHNcIixcbiAgXCJzcmMvZmV0Y2gudHNcIixcbiAgXCJzcmMvbGF3cy50c1wiLFxuICBcInNyYy9sbG0udHNcIixcbiAgXCJzcmMvbWNwLnRzXCIsXG4gIFwic3JjL29wZW5haS1hZ2VudHMudHNcIixcbl07XG5cbi8qKiBTbWFsbGVyIGZpbGVzLiBgcHJlZml4YCB0ZWxscyBhIGJ1aWxkJ3MgY2h1bmtzIGFwYXJ0LCBzbyB0aGF0IGVhY2ggc2l6ZSBidWRnZXQgY291bnRzIGl0cyBvd24uICovXG5mdW5jdGlvbiBjb21wYWN0KHByZWZpeDogc3RyaW5nKTogTm9uTnVsbGFibGU8T3B0aW9uc1tcImVzYnVpbGRPcHRpb25zXCJdPiB7XG4gIHJldHVybiAob3B0aW9ucykgPT4ge1xuICAgIG9wdGlvbnMubWluaWZ5V2hpdGVzcGFjZSA9IHRydWU7XG4gICAgLy8gTmFtZXMgc3RheSBpbiB3aGF0IHBlb3BsZSBjYWxsOiBhIHN0YWNrIHRyYWNlIHN0YXlzIHJlYWRhYmxlLiBUaGUgcmVzdCBpcyByZWFkIGJ5IG5vYm9keSwgYW5kIGlzIG1vc3Qgb2YgaXQuXG4gICAgb3B0aW9ucy5taW5pZnlJZGVudGlmaWVycyA9IHByZWZpeCAhPT0gXCJjaHVua1wiICYmIHByZWZpeCAhPT0gRU5HSU5FLm5hbWU7XG4gICAgb3B0aW9ucy5rZWVwTmFtZXMgPSBmYWxzZTtcbiAgICBvcHRpb25zLm1pbmlmeVN5bnRheCA9IHRydWU7XG4gICAgb3B0aW9ucy5jaHVua05hbWVzID0gYCR7cHJlZml4fS1baGFzaF1gO1xuICB9O1xufVxuXG4vKipcbiAqIFdoYXQgYGltcG9ydGAgZ2V0cyBpbiBhIHdvcmtlci4gT25lIGJ1aWxkLCBzbyB0aGF0IHRoZXNlIGVudHJpZXMgc2hhcmUgb25lIGNvcHkgb2YgZWFjaCBtb2R1bGUgYW5kIGBpbXBvcnQoKWAgc3RheXNcbiAqIGxhenkuXG4gKi9cbmNvbnN0IGVzbTogT3B0aW9ucyA9IHtcbiAgLi4uaW5UZXN0cyxcbiAgbmFtZTogXCJlc21cIixcbiAgc3BsaXR0aW5nOiB0cnVlLFxuICBlbnRyeTogV09SS0VSX0VOVFJJRVMsXG4gIGVzYnVpbGRQbHVnaW5zOiBbdXBvbkVuZ2luZShcImpzXCIpXSxcbiAgZXNidWlsZE9wdGlvbnM6IGNvbXBhY3QoXCJjaHVua1wiKSxcbiAgLy8gVGhlIGRlY2xhcmF0aW9ucyBvZiBhbGwgZW50cmllczogdHlwZXMgZGVjbGFyZWQgdHdpY2Ugd291bGQgbm90IGZpdCBlYWNoIG90aGVyLlxuICBkdHM6IHtcbiAgICBlbnRyeTogW1xuICAgICAgLi4uV09SS0VSX0VOVFJJRVMsXG4gICAgICBcInNyYy9zZXJpYWxpemVyLnRzXCIsXG4gICAgICBcInNyYy92aXRlc3QudHNcIixcbiAgICAgIFwic3JjL3BsdWdpbi50c1wiLFxuICAgICAgXCJzcmMvcmVwb3J0ZXIvamVzdC50c1wiLFxuICAgICAgXCJzcmMvcmVwb3J0ZXIvdml0ZXN0LnRzXCIsXG4gICAgICAuLi5QQVJUU19PRl9NQUlOLFxuICAgICAgLi4uUEFSVFNfT0ZfVEVTVFMsXG4gICAgICAuLi5GRVRDSF9TRVRVUCxcbiAgICBdLFxuICB9LFxufTtcblxuLyoqXG4gKiBXaGF0IFZpdGVzdCBsb2FkcyBmb3IgZXZlcnkgdGVzdCBmaWxlLiBOb3RoaW5nIGlzIHNwbGl0IG9mZjogZXZlcnkgZnVydGhlciBmaWxlIGNvc3QgYSByZXF1ZXN0IHRvIHRoZSBtYWluIHByb2Nlc3MuXG4gKi9cbmNvbnN0IHNldHVwOiBPcHRpb25zID0ge1xuICAuLi5pblRlc3RzLFxuICBuYW1lOiBcInNldHVwXCIsXG4gIHNwbGl0dGluZzogZmFsc2UsXG4gIGR0czogZmFsc2UsXG4gIGVudHJ5OiB7XG4gICAgdml0ZXN0OiBcInNyYy92aXRlc3QudHNcIixcbiAgICBcInZpdGVzdC1wbHVnaW4tc2V0LXVwXCI6IFwic3JjL3ZpdGVzdC1wbHVnaW4tc2V0LXVwLnRzXCIsXG4gICAgc2VyaWFsaXplcjogXCJzcmMvc2VyaWFsaXplci50c1wiLFxuICAgIFtgc2V0dXAtJHtJTlNUQUxMRVJ9YF06IGBzcmMvbGF0ZS8ke0lOU1RBTExFUn0udHNgLFxuICB9LFxuICAvLyBCdW5kbGVkIGluLCBpdCB3b3VsZCBiZSB0aGVyZSBmb3IgZXZlcnkgdGVzdCBmaWxlLCB3aXRoIGFsbCB0aGF0IGl0IGltcG9ydHMuXG4gIGVzYnVpbGRQbHVnaW5zOiBbcmVxdWlyZUF0Rmlyc3RDYWxsLCBsZWF2ZU91dChMQVRFX09GX1ZJVEVTVCwgKHBhcnQpID0+IGBzZXR1cC0ke3BhcnR9LmpzYCwgeyBzdHJpY3Q6IHRydWUgfSldLFxuICBlc2J1aWxkT3B0aW9uczogY29tcGFjdChcInNldHVwXCIpLFxufTtcblxudHlwZSBQbHVnaW5zID0gTm9uTnVsbGFibGU8T3B0aW9uc1tcImVzYnVpbGRQbHVnaW5zXCJdPjtcblxuLyoqIFRoZSBsYXRlIHBhcnRzIG9mIG9uZSBidWlsZCBzaGFyZSB3aGF0IHRoZXkgaGF2ZSBpbiBjb21tb247IG90aGVycyBhcmUgZXh0ZXJuYWwgdG8gaXQuICovXG5mdW5jdGlvbiBsYXRlT2ZWaXRlc3QobmFtZTogc3RyaW5nLCBpc0luOiAocGFydDogc3RyaW5nKSA9PiBib29sZWFuLCB1cG9uOiBQbHVnaW5zKTogT3B0aW9ucyB7XG4gIGNvbnN0IHBhcnRzID0gT2JqZWN0LmVudHJpZXMoTEFURV9PRl9WSVRFU1QpLmZpbHRlcigoW3BhcnRdKSA9PiBpc0luKHBhcnQpKTtcbiAgcmV0dXJuIHtcbiAgICAuLi5pblRlc3RzLFxuICAgIG5hbWUsXG4gICAgc3BsaXR0aW5nOiB0cnVlLFxuICAgIGR0czogZmFsc2UsXG4gICAgZW50cnk6IE9iamVjdC5mcm9tRW50cmllcyhwYXJ0cy5tYXAoKFtwYXJ0LCBzb3VyY2VdKSA9PiBbYHNldHVwLSR7cGFydH1gLCBzb3VyY2VdKSksXG4gICAgZXNidWlsZFBsdWdpbnM6IFsuLi51cG9uLCBsZWF2ZU91dChMQVRFX09GX1ZJVEVTVCwgKHBhcnQpID0+IGBzZXR1cC0ke3BhcnR9LmpzYCldLFxuICAgIGVzYnVpbGRPcHRpb25zOiBjb21wYWN0KFwic2V0dXBcIiksXG4gIH07XG59XG5cbi8qKiBXaGF0IGB2ZXJpdGVzdGAgYW5kIHRoZSBmaXJzdCBjaGVjayBhcmUgYm90aCBtYWRlIG9mLCBvbmNlIGZvciBhbGwgdGhhdCB0ZXN0cyBsb2FkLiAqL1xuY29uc3QgZW5naW5lOiBPcHRpb25zID0ge1xuICAuLi5pblRlc3RzLFxuICBuYW1lOiBcImVuZ2luZVwiLFxuICBzcGxpdHRpbmc6IGZhbHNlLFxuICBkdHM6IGZhbHNlLFxuICBlbnRyeTogeyBbRU5HSU5FLm5hbWVdOiBFTkdJTkUuZW50cnkgfSxcbiAgZXNidWlsZFBsdWdpbnM6IFttYWtlRW5naW5lLCBsZWF2ZU91dChMQVRFX09GX1ZJVEVTVCwgKHBhcnQpID0+IGBzZXR1cC0ke3BhcnR9LmpzYCldLFxuICBlc2J1aWxkT3B0aW9uczogY29tcGFjdChFTkdJTkUubmFtZSksXG59O1xuXG5jb25zdCBzZXR1cExhdGUgPSBsYXRlT2ZWaXRlc3QoXCJzZXR1cC1sYXRlXCIsIChwYXJ0KSA9PiBTSEFSSU5HLmluY2x1ZGVzKHBhcnQpLCBbdXBvbkVhY2hPdGhlciwgdXBvbkVuZ2luZShcImpzXCIpXSk7XG4vLyBCeSB0aGVtc2VsdmVzOiBhbiB1bmNoYW5nZWQgdmFsdWUgaXMgYW5zd2VyZWQgaW4gNiBtcyB3aXRob3V0IHRoZSBlbmdpbmUsIGluIDE4IHdpdGggaXQuXG5jb25zdCBzZXR1cFJlc3QgPSBsYXRlT2ZWaXRlc3QoXCJzZXR1cC1yZXN0XCIsIChwYXJ0KSA9PiAhU0hBUklORy5pbmNsdWRlcyhwYXJ0KSwgW10pO1xuXG4vKipcbiAqIE9mIHdoYXQgdGhlIHBhZ2Ugb2YgYSByZXBvcnQgaXMgbWFkZTogYGltcG9ydCB0ZXh0IGZyb20gXCIuL3BhZ2UuY3NzP3Jhd1wiYCBpcyB0aGUgZmlsZSdzIHRleHQsIGFzIFZpdGUga25vd3MgaXQsIGFuZFxuICogYGltcG9ydCBzY3JpcHQgZnJvbSBcIi4vbWFpbi50cz9wYWdlXCJgIHRoZSBtb2R1bGUgYW5kIGFsbCB0aGF0IGl0IGltcG9ydHMgYXMgb25lIHNjcmlwdC5cbiAqL1xuY29uc3QgcGFnZVBsdWdpbjogTm9uTnVsbGFibGU8T3B0aW9uc1tcImVzYnVpbGRQbHVnaW5zXCJdPltudW1iZXJdID0ge1xuICBuYW1lOiBcInBhZ2VcIixcbiAgc2V0dXAoYnVpbGQpIHtcbiAgICBidWlsZC5vblJlc29sdmUoeyBmaWx0ZXI6IC9cXD8oPzpyYXd8cGFnZSkkLyB9LCAoeyBwYXRoLCByZXNvbHZlRGlyIH0pID0+ICh7XG4gICAgICBwYXRoOiBqb2luKHJlc29sdmVEaXIsIHBhdGgucmVwbGFjZSgvXFw/XFx3KyQvLCBcIlwiKSksXG4gICAgICBuYW1lc3BhY2U6IHBhdGguZW5kc1dpdGgoXCI/cmF3XCIpID8gXCJyYXdcIiA6IFwicGFnZVwiLFxuICAgIH0pKTtcbiAgICBidWlsZC5vbkxvYWQoeyBmaWx0ZXI6IC8uKi8sIG5hbWVzcGFjZTogXCJyYXdcIiB9LCAoeyBwYXRoIH0pID0+ICh7XG4gICAgICBjb250ZW50czogcmVhZEZpbGVTeW5jKHBhdGgsIFwidXRmOFwiKSxcbiAgICAgIGxvYWRlcjogXCJ0ZXh0XCIsXG4gICAgfSkpO1xuICAgIGJ1aWxkLm9uTG9hZCh7IGZpbHRlcjogLy4qLywgbmFtZXNwYWNlOiBcInBhZ2VcIiB9LCAoeyBwYXRoIH0pID0+ICh7IGNvbnRlbnRzOiBidW5kbGVQYWdlKHBhdGgpLCBsb2FkZXI6IFwidGV4dFwiIH0pKTtcbiAgfSxcbn07XG5cbi8qKiBBbiBlbnRyeSBpbiBhIGZvbGRlciBvZiBkaXN0IGhhcyB0aGUgZW5naW5lIGEgZm9sZGVyIGFib3ZlOiB3aGF0IGlzIGV4dGVybmFsIGlzIG5hbWVkIGFzIGl0IHN0YW5kcyBldmVyeXdoZXJlIGVsc2UuICovXG5jb25zdCBlbmdpbmVBYm92ZTogTm9uTnVsbGFibGU8T3B0aW9uc1tcInBsdWdpbnNcIl0+W251bWJlcl0gPSB7XG4gIG5hbWU6IFwiZW5naW5lLWFib3ZlXCIsXG4gIHJlbmRlckNodW5rKGNvZGUsIHsgcGF0aCB9KSB7XG4gICAgY29uc3QgYWJvdmUgPSByZWxhdGl2ZShcImRpc3RcIiwgcGF0aCkuaW5jbHVkZXMoc2VwKTtcbiAgICByZXR1cm4gYWJvdmUgPyB7IGNvZGU6IGNvZGUucmVwbGFjZUFsbChgXCIuLyR7RU5HSU5FLm5hbWV9LmpzXCJgLCBgXCIuLi8ke0VOR0lORS5uYW1lfS5qc1wiYCkgfSA6IHVuZGVmaW5lZDtcbiAgfSxcbn07XG5cbi8qKiBUaGUgbWFpbiBwcm9jZXNzJ3MgcGFydCwgd2hpY2ggcmVwb3J0ZXJzLCB0aGUgY29tbWFuZCBsaW5lIGFuZCBvcHRpb25hbCBwYXJ0cyBzaGFyZSwgdXBvbiB0aGUgZW5naW5lLiAqL1xuY29uc3QgbWFpbjogT3B0aW9ucyA9IHtcbiAgLi4uaW5UZXN0cyxcbiAgbmFtZTogXCJtYWluXCIsXG4gIHNwbGl0dGluZzogdHJ1ZSxcbiAgZHRzOiBmYWxzZSxcbiAgZW50cnk6IFsuLi5NQUlOX0VOVFJJRVMsIC4uLlBBUlRTX09GX01BSU5dLFxuICBlc2J1aWxkUGx1Z2luczogW3BhZ2VQbHVnaW4sIHVwb25FbmdpbmUoXCJqc1wiKV0sXG4gIHBsdWdpbnM6IFtlbmdpbmVBYm92ZV0sXG4gIGVzYnVpbGRPcHRpb25zOiBjb21wYWN0KFwibWFpblwiKSxcbn07XG5cbi8qKiBUaGUgb3B0aW9uYWwgcGFydHMgb2YgdGVzdHMsIHdoaWNoIHNoYXJlIHdoYXQgdGhleSBoYXZlIGluIGNvbW1vbi4gKi9cbmNvbnN0IHBhcnRzOiBPcHRpb25zID0ge1xuICAuLi5pblRlc3RzLFxuICBuYW1lOiBcInBhcnRzXCIsXG4gIHNwbGl0dGluZzogdHJ1ZSxcbiAgZHRzOiBmYWxzZSxcbiAgZW50cnk6IFBBUlRTX09GX1RFU1RTLFxuICBlc2J1aWxkUGx1Z2luczogW3Vwb25FbmdpbmUoXCJqc1wiKV0sXG4gIGVzYnVpbGRPcHRpb25zOiBjb21wYWN0KFwicGFydFwiKSxcbn07XG5cbmNvbnN0IGZldGNoU2V0dXA6IE9wdGlvbnMgPSB7IC4uLnBhcnRzLCBuYW1lOiBcImZldGNoLXNldHVwXCIsIHNwbGl0dGluZzogZmFsc2UsIGVudHJ5OiBGRVRDSF9TRVRVUCwgZXNidWlsZFBsdWdpbnM6IFtdIH07XG5cbi8qKiBXaGF0IGByZXF1aXJlYCBnZXRzLCB3aGljaCBpcyBob3cgSmVzdCBsb2FkcyBtb3N0IG9mIGl0LiBUaGUgbGF0ZSBwYXJ0cyBhcmUgZmlsZXMgb2YgdGhlaXIgb3duLiAqL1xuY29uc3QgY2pzQmFzZSA9IHtcbiAgLi4uc2hhcmVkLFxuICBmb3JtYXQ6IFwiY2pzXCIsXG4gIHNwbGl0dGluZzogZmFsc2UsXG4gIC8vIEEgZGlyZWN0aXZlIG11c3QgY29tZSBmaXJzdC5cbiAgYmFubmVyOiB7IGpzOiBgXCJ1c2Ugc3RyaWN0XCI7XFxuJHtDT05TVEFOVF9HTE9CQUxTfWAgfSxcbiAgLy8gQ29tbW9uSlMgaGFzIG5vIHNwbGl0dGluZyBvZiBlc2J1aWxkJ3MuXG4gIGVzYnVpbGRQbHVnaW5zOiBbbGVhdmVPdXQoTEFURSwgKHBhcnQpID0+IGAke3BhcnR9LmNqc2ApXSxcbiAgZXNidWlsZE9wdGlvbnMob3B0aW9uczogQnVpbGRPcHRpb25zKSB7XG4gICAgLy8gTmFtZXMgc3RheTogdG9vbHMgdGVsbCBieSB0aGUgdGV4dCB3aGF0IGEgQ29tbW9uSlMgZmlsZSBleHBvcnRzLCBhbmQgcGVvcGxlIHJlYWQgdGhlbSBpbiBzdGFjayB0cmFjZXMuXG4gICAgb3B0aW9ucy5taW5pZnlXaGl0ZXNwYWNlID0gdHJ1ZTtcbiAgICBvcHRpb25zLm1pbmlmeVN5bnRheCA9IHRydWU7XG4gICAgLy8gSmVzdCBydW5zIENvbW1vbkpTIGluIGEgdm0gdGhhdCBoYXMgbm8gYGltcG9ydCgpYDogdGhlcmUgaXQgbXVzdCBiZWNvbWUgYSBgcmVxdWlyZWAgYXQgZmlyc3QgdXNlLlxuICAgIG9wdGlvbnMuc3VwcG9ydGVkID0geyAuLi5vcHRpb25zLnN1cHBvcnRlZCwgXCJkeW5hbWljLWltcG9ydFwiOiBmYWxzZSB9O1xuICB9LFxufSBzYXRpc2ZpZXMgT3B0aW9ucztcblxuY29uc3QgY2pzOiBPcHRpb25zID0ge1xuICAuLi5janNCYXNlLFxuICBuYW1lOiBcImNqc1wiLFxuICBlbnRyeTogV09SS0VSX0VOVFJJRVMsXG4gIGVzYnVpbGRQbHVnaW5zOiBbdXBvbkVuZ2luZShcImNqc1wiKSwgLi4uY2pzQmFzZS5lc2J1aWxkUGx1Z2luc10sXG59O1xuXG5jb25zdCBjanNFbmdpbmU6IE9wdGlvbnMgPSB7XG4gIC4uLmNqc0Jhc2UsXG4gIG5hbWU6IFwiY2pzLWVuZ2luZVwiLFxuICBkdHM6IGZhbHNlLFxuICBlbnRyeTogeyBbRU5HSU5FLm5hbWVdOiBFTkdJTkUuZW50cnkgfSxcbiAgZXNidWlsZFBsdWdpbnM6IFttYWtlRW5naW5lLCAuLi5janNCYXNlLmVzYnVpbGRQbHVnaW5zXSxcbn07XG5cbi8qKiBBIHNtYWxsIGZpbGUgd2l0aCBhIGRlZmF1bHQgZXhwb3J0LCB3aGljaCB0b29scyBvbmx5IHRlbGwgd2hlcmUgaXQgaXMgbm90IGNvbXBhY3RlZC4gKi9cbmNvbnN0IGNqc1BsYWluOiBPcHRpb25zID0ge1xuICAuLi5janNCYXNlLFxuICBuYW1lOiBcImNqcy1wbGFpblwiLFxuICBlbnRyeTogW1wic3JjL3NlcmlhbGl6ZXIudHNcIl0sXG4gIGVzYnVpbGRPcHRpb25zKG9wdGlvbnMpIHtcbiAgICBjanNCYXNlLmVzYnVpbGRPcHRpb25zKG9wdGlvbnMpO1xuICAgIG9wdGlvbnMubWluaWZ5V2hpdGVzcGFjZSA9IGZhbHNlO1xuICB9LFxufTtcblxuLyoqIFdoYXQgSmVzdCBsb2FkcyBmb3IgZXZlcnkgdGVzdCBmaWxlLCBieSBcXGByZXF1aXJlXFxgIG9yIFxcYGltcG9ydFxcYDogaXQgZXhwb3J0cyBub3RoaW5nLiAqL1xuY29uc3QgY2pzU2V0dXA6IE9wdGlvbnMgPSB7XG4gIC4uLmNqc0Jhc2UsXG4gIG5hbWU6IFwiY2pzLXNldHVwXCIsXG4gIGVudHJ5OiBbXCJzcmMvamVzdC1zZXR1cC50c1wiXSxcbiAgZXNidWlsZE9wdGlvbnMob3B0aW9ucywgY29udGV4dCkge1xuICAgIGNvbXBhY3QoXCJzZXR1cFwiKShvcHRpb25zLCBjb250ZXh0KTtcbiAgICBvcHRpb25zLnN1cHBvcnRlZCA9IHsgLi4ub3B0aW9ucy5zdXBwb3J0ZWQsIFwiZHluYW1pYy1pbXBvcnRcIjogZmFsc2UgfTtcbiAgfSxcbn07XG5cbi8qKiBQYXJ0cyB0aGF0IG9ubHkgZmlsZXMgb2Ygb3VycyByZXF1aXJlOiBub2JvZHkgcmVhZHMgd2hhdCB0aGV5IGV4cG9ydCBieSB0aGVpciB0ZXh0LiAqL1xuY29uc3QgY2pzUGFydHM6IE9wdGlvbnMgPSB7XG4gIC4uLmNqc0Jhc2UsXG4gIG5hbWU6IFwiY2pzLXBhcnRzXCIsXG4gIGR0czogZmFsc2UsXG4gIGVudHJ5OiB7XG4gICAgLi4uT2JqZWN0LmZyb21FbnRyaWVzKE9iamVjdC5lbnRyaWVzKExBVEUpLmZpbHRlcigoW3BhcnRdKSA9PiAhU0hBUklORy5pbmNsdWRlcyhwYXJ0KSkpLFxuICAgIFwiZmV0Y2gtc2V0dXBcIjogXCJzcmMvZmV0Y2gtc2V0dXAudHNcIixcbiAgICBcInNldHVwLXN5bmMtbWF0Y2hlcnNcIjogXCJzcmMvbGF0ZS9zeW5jLW1hdGNoZXJzLnRzXCIsXG4gIH0sXG4gIGVzYnVpbGRPcHRpb25zKG9wdGlvbnMsIGNvbnRleHQpIHtcbiAgICBjb21wYWN0KFwicGFydFwiKShvcHRpb25zLCBjb250ZXh0KTtcbiAgICBvcHRpb25zLnN1cHBvcnRlZCA9IHsgLi4ub3B0aW9ucy5zdXBwb3J0ZWQsIFwiZHluYW1pYy1pbXBvcnRcIjogZmFsc2UgfTtcbiAgfSxcbn07XG5cbi8qKiBXaGF0IGVzYnVpbGQgc3BsaXRzIGlzIEVTTTogZWFjaCBmaWxlIGJlY29tZXMgQ29tbW9uSlMgYnkgaXRzZWxmIGFmdGVyd2FyZHMsIGFuZCBzYXlzIHdoYXQgaXQgZXhwb3J0cy4gKi9cbmNvbnN0IGFzQ29tbW9uSnM6IE5vbk51bGxhYmxlPE9wdGlvbnNbXCJwbHVnaW5zXCJdPltudW1iZXJdID0ge1xuICBuYW1lOiBcImFzLWNvbW1vbmpzXCIsXG4gIGFzeW5jIHJlbmRlckNodW5rKGNvZGUpIHtcbiAgICBjb25zdCB7IGNvZGU6IHJlcXVpcmVkIH0gPSBhd2FpdCB0cmFuc2Zvcm0oY29kZSwge1xuICAgICAgZm9ybWF0OiBcImNqc1wiLFxuICAgICAgcGxhdGZvcm06IFwibm9kZVwiLFxuICAgICAgdGFyZ2V0OiBcIm5vZGUyMlwiLFxuICAgICAgbWluaWZ5V2hpdGVzcGFjZTogdHJ1ZSxcbiAgICAgIGJhbm5lcjogYFwidXNlIHN0cmljdFwiO1xcbiR7Q09OU1RBTlRfR0xPQkFMU31gLFxuICAgIH0pO1xuICAgIHJldHVybiB7IGNvZGU6IHJlcXVpcmVkIH07XG4gIH0sXG59O1xuXG4vKiogTGF0ZSBwYXJ0cyB0aGF0IGFyZSBidWlsdCB1cG9uIGVhY2ggb3RoZXIuICovXG5jb25zdCBjanNDaGVja3M6IE9wdGlvbnMgPSB7XG4gIC4uLmNqc1BhcnRzLFxuICBuYW1lOiBcImNqcy1jaGVja3NcIixcbiAgZm9ybWF0OiBcImVzbVwiLFxuICBzcGxpdHRpbmc6IHRydWUsXG4gIG91dEV4dGVuc2lvbjogKCkgPT4gKHsganM6IFwiLmNqc1wiIH0pLFxuICBiYW5uZXI6IHt9LFxuICBlbnRyeTogT2JqZWN0LmZyb21FbnRyaWVzKFNIQVJJTkcubWFwKChwYXJ0KSA9PiBbcGFydCwgTEFURVtwYXJ0XSA/PyBcIlwiXSkpLFxuICBlc2J1aWxkUGx1Z2luczogW3Vwb25FYWNoT3RoZXIsIHVwb25FbmdpbmUoXCJjanNcIiksIC4uLmNqc0Jhc2UuZXNidWlsZFBsdWdpbnNdLFxuICBlc2J1aWxkT3B0aW9ucyhvcHRpb25zLCBjb250ZXh0KSB7XG4gICAgY2pzUGFydHMuZXNidWlsZE9wdGlvbnM/LihvcHRpb25zLCBjb250ZXh0KTtcbiAgICBvcHRpb25zLmNodW5rTmFtZXMgPSBcImxhdGUtW2hhc2hdXCI7XG4gIH0sXG4gIHBsdWdpbnM6IFthc0NvbW1vbkpzXSxcbn07XG5cbi8qKiBUaGUgb3B0aW9uYWwgcGFydHMgdGhhdCBhcmUgcmVxdWlyZWQsIHdoaWNoIHNoYXJlIHdoYXQgdGhleSBoYXZlIGluIGNvbW1vbi4gKi9cbmNvbnN0IGNqc09wdGlvbmFsOiBPcHRpb25zID0ge1xuICAuLi5janNDaGVja3MsXG4gIG5hbWU6IFwiY2pzLW9wdGlvbmFsXCIsXG4gIGVudHJ5OiBQQVJUU19SRVFVSVJFRCxcbiAgZXNidWlsZFBsdWdpbnM6IFt1cG9uRW5naW5lKFwiY2pzXCIpLCAuLi5janNCYXNlLmVzYnVpbGRQbHVnaW5zXSxcbiAgZXNidWlsZE9wdGlvbnMob3B0aW9ucywgY29udGV4dCkge1xuICAgIGNqc0NoZWNrcy5lc2J1aWxkT3B0aW9ucz8uKG9wdGlvbnMsIGNvbnRleHQpO1xuICAgIG9wdGlvbnMuY2h1bmtOYW1lcyA9IFwicmVxdWlyZWQtW2hhc2hdXCI7XG4gIH0sXG59O1xuXG4vKiogVGhlaXIgZGVjbGFyYXRpb25zLCB3aGljaCBhcmUgbm8gbW9kdWxlcyBvZiBOb2RlJ3MuICovXG5jb25zdCBjanNPcHRpb25hbFR5cGVzOiBPcHRpb25zID0ge1xuICAuLi5janNCYXNlLFxuICBuYW1lOiBcImNqcy1vcHRpb25hbC10eXBlc1wiLFxuICBkdHM6IHsgb25seTogdHJ1ZSB9LFxuICBlbnRyeTogWy4uLlBBUlRTX1JFUVVJUkVELCAuLi5GRVRDSF9TRVRVUF0sXG59O1xuXG4vKipcbiAqIENvbW1vbkpTIHdob3NlIG9uZSBleHBvcnQgaXMgd2hhdCBKZXN0IHJlYWRzIG9mIGEgcHJlc2V0OiBgbW9kdWxlLmV4cG9ydHNgIGlzIHRoZSBkZWZhdWx0IGV4cG9ydCBpdHNlbGYuIEl0cyByZXBvcnRlclxuICogaXMgRVNNLCB3aGljaCBldmVyeSBOb2RlIHRoYXQgdmVyaXRlc3QgcnVucyBvbiBjYW4gcmVxdWlyZTogYXMgQ29tbW9uSlMgaXQgd2FzIDk1IGtCIG9mIHRoZSBwYWNrYWdlIGZvciBhIHNlY29uZCB0aW1lLlxuICovXG5jb25zdCBjanNEZWZhdWx0OiBPcHRpb25zID0ge1xuICAuLi5janNCYXNlLFxuICBuYW1lOiBcImNqcy1kZWZhdWx0XCIsXG4gIGVudHJ5OiBbXCJzcmMvamVzdC1wcmVzZXQudHNcIl0sXG4gIGNqc0ludGVyb3A6IHRydWUsXG4gIGZvb3RlcjogeyBqczogXCJtb2R1bGUuZXhwb3J0cyA9IG1vZHVsZS5leHBvcnRzLmRlZmF1bHQ7XCIgfSxcbn07XG5cbi8qKiBPZiBwYWNrYWdlLmpzb24gb25seSB3aGF0IGlzIGFza2VkIG9mIGl0OiB3aG9sZSwgaXQgd2FzIGluIGZpdmUgZmlsZXMsIHdpdGggZXZlcnkgZGV2ZWxvcG1lbnQgZGVwZW5kZW5jeS4gKi9cbmNvbnN0IHBhY2thZ2VGYWN0czogTm9uTnVsbGFibGU8T3B0aW9uc1tcImVzYnVpbGRQbHVnaW5zXCJdPltudW1iZXJdID0ge1xuICBuYW1lOiBcInBhY2thZ2UtZmFjdHNcIixcbiAgc2V0dXAoYnVpbGQpIHtcbiAgICBidWlsZC5vbkxvYWQoeyBmaWx0ZXI6IC9bXFxcXC9dcGFja2FnZVxcLmpzb24kLyB9LCAoeyBwYXRoIH0pID0+IHtcbiAgICAgIGNvbnN0IGZhY3RzOiB1bmtub3duID0gSlNPTi5wYXJzZShyZWFkRmlsZVN5bmMocGF0aCwgXCJ1dGY4XCIpKTtcbiAgICAgIGNvbnN0IHZlcnNpb246IHVua25vd24gPSB0eXBlb2YgZmFjdHMgPT09IFwib2JqZWN0XCIgJiYgZmFjdHMgIT09IG51bGwgPyBSZWZsZWN0LmdldChmYWN0cywgXCJ2ZXJzaW9uXCIpIDogdW5kZWZpbmVkO1xuICAgICAgcmV0dXJuIHsgY29udGVudHM6IEpTT04uc3RyaW5naWZ5KHsgdmVyc2lvbiB9KSwgbG9hZGVyOiBcImpzb25cIiB9O1xuICAgIH0pO1xuICB9LFxufTtcblxuY29uc3QgYnVpbGRzOiBPcHRpb25zW10gPSBbXG4gIGVzbSxcbiAgZW5naW5lLFxuICBzZXR1cCxcbiAgc2V0dXBMYXRlLFxuICBzZXR1cFJlc3QsXG4gIG1haW4sXG4gIHBhcnRzLFxuICBmZXRjaFNldHVwLFxuICBjanMsXG4gIGNqc0VuZ2luZSxcbiAgY2pzUGxhaW4sXG4gIGNqc1NldHVwLFxuICBjanNQYXJ0cyxcbiAgY2pzQ2hlY2tzLFxuICBjanNPcHRpb25hbCxcbiAgLy8gV2l0aG91dCBkZWNsYXJhdGlvbnMgaXQgd291bGQgcHV0IG1vZHVsZXMgaW4gdGhlIHBsYWNlIG9mIHRob3NlIGp1c3QgYnVpbHQuXG4gIC4uLihwcm9jZXNzLmFyZ3YuaW5jbHVkZXMoXCItLW5vLWR0c1wiKSA/IFtdIDogW2Nqc09wdGlvbmFsVHlwZXNdKSxcbiAgY2pzRGVmYXVsdCxcbl07XG5jb25zdCBjb25maWc6IE9wdGlvbnNbXSA9IGJ1aWxkcy5tYXAoKG9wdGlvbnMpID0+ICh7XG4gIC4uLm9wdGlvbnMsXG4gIGVzYnVpbGRQbHVnaW5zOiBbcGFja2FnZUZhY3RzLCAuLi4ob3B0aW9ucy5lc2J1aWxkUGx1Z2lucyA/PyBbXSldLFxufSkpO1xuZXhwb3J0IGRlZmF1bHQgY29uZmlnO1xuIiwgImNvbnN0IF9faW5qZWN0ZWRfZmlsZW5hbWVfXyA9IFwiL3RtcC93dC9ub3Rlcy9zY3JpcHRzL2J1bmRsZS1wYWdlLnRzXCI7Y29uc3QgX19pbmplY3RlZF9kaXJuYW1lX18gPSBcIi90bXAvd3Qvbm90ZXMvc2NyaXB0c1wiO2NvbnN0IF9faW5qZWN0ZWRfaW1wb3J0X21ldGFfdXJsX18gPSBcImZpbGU6Ly8vdG1wL3d0L25vdGVzL3NjcmlwdHMvYnVuZGxlLXBhZ2UudHNcIjtpbXBvcnQgeyBidWlsZFN5bmMgfSBmcm9tIFwiZXNidWlsZFwiO1xuXG4vKipcbiAqIFRoZSBzY3JpcHQgb2YgYSByZXBvcnQncyBwYWdlIGFzIG9uZSB0ZXh0OiB0aGUgbW9kdWxlIGFuZCBhbGwgdGhhdCBpdCBpbXBvcnRzLCB3aGljaCB0aGUgcGFnZSBoYXMgbm8gd2F5IHRvIGxvYWQuXG4gKiBCdWlsZHMgYW5kIHRlc3RzIHB1dCBpdCBpbiB0aGUgcGxhY2Ugb2YgYGltcG9ydCBzY3JpcHQgZnJvbSBcIi4vbWFpbi50cz9wYWdlXCJgLlxuICovXG5leHBvcnQgZnVuY3Rpb24gYnVuZGxlUGFnZShwYXRoOiBzdHJpbmcpOiBzdHJpbmcge1xuICBjb25zdCB7IG91dHB1dEZpbGVzIH0gPSBidWlsZFN5bmMoe1xuICAgIGVudHJ5UG9pbnRzOiBbcGF0aF0sXG4gICAgYnVuZGxlOiB0cnVlLFxuICAgIHdyaXRlOiBmYWxzZSxcbiAgICBmb3JtYXQ6IFwiaWlmZVwiLFxuICAgIHBsYXRmb3JtOiBcImJyb3dzZXJcIixcbiAgICB0YXJnZXQ6IFwiZXMyMDI0XCIsXG4gICAgbWluaWZ5OiB0cnVlLFxuICAgIGxlZ2FsQ29tbWVudHM6IFwiaW5saW5lXCIsXG4gICAgbG9nTGV2ZWw6IFwiZXJyb3JcIixcbiAgfSk7XG4gIHJldHVybiBvdXRwdXRGaWxlcy5tYXAoKHsgdGV4dCB9KSA9PiB0ZXh0KS5qb2luKFwiXCIpO1xufVxuIiwgImNvbnN0IF9faW5qZWN0ZWRfZmlsZW5hbWVfXyA9IFwiL3RtcC93dC9ub3Rlcy9zY3JpcHRzL2J1aWxkL2xhdGUtcGFydHMudHNcIjtjb25zdCBfX2luamVjdGVkX2Rpcm5hbWVfXyA9IFwiL3RtcC93dC9ub3Rlcy9zY3JpcHRzL2J1aWxkXCI7Y29uc3QgX19pbmplY3RlZF9pbXBvcnRfbWV0YV91cmxfXyA9IFwiZmlsZTovLy90bXAvd3Qvbm90ZXMvc2NyaXB0cy9idWlsZC9sYXRlLXBhcnRzLnRzXCI7LyoqXG4gKiBIb3cgdGhlIHBhcnRzIG9mIGEgd29ya2VyIHRoYXQgYXJlIGxvYWRlZCBsYXRlIHN0YXkgb3V0IG9mIHRoZSBzZXQtdXAgZmlsZXM6IHJ1bm5lcnMgcmVhZCB0aG9zZSBmb3IgZXZlcnkgdGVzdCBmaWxlLlxuICogV2hhdCBhIHBhcnQgZ2F0aGVycyBmcm9tIHNldmVyYWwgcm9vbXMgbGllcyBpbiBzcmMvbGF0ZS5cbiAqL1xuaW1wb3J0IHsgcmVhZEZpbGVTeW5jIH0gZnJvbSBcIm5vZGU6ZnNcIjtcbmltcG9ydCB7IHJlc29sdmUgfSBmcm9tIFwibm9kZTpwYXRoXCI7XG5pbXBvcnQgeyBidWlsZFN5bmMgfSBmcm9tIFwiZXNidWlsZFwiO1xuaW1wb3J0IHR5cGUgeyBPcHRpb25zIH0gZnJvbSBcInRzdXBcIjtcblxudHlwZSBQbHVnaW4gPSBOb25OdWxsYWJsZTxPcHRpb25zW1wiZXNidWlsZFBsdWdpbnNcIl0+W251bWJlcl07XG5cbi8qKiBXaGF0IGlzIGltcG9ydGVkIHdoZW4gYSB0ZXN0IGZpcnN0IG5lZWRzIGl0LCBlYWNoIGEgZmlsZSBvZiBpdHMgb3duOiBpdHMgbmFtZSBpbiBkaXN0LCBhbmQgd2hhdCBpdCBpcyBtYWRlIG9mLiAqL1xuZXhwb3J0IGNvbnN0IExBVEU6IFJlYWRvbmx5PFJlY29yZDxzdHJpbmcsIHN0cmluZz4+ID0ge1xuICBcImNhbGxzLXBhcnRcIjogXCJzcmMvYWdlbnRzL2NhbGxzLXBhcnQudHNcIixcbiAgXCJjb21tYW5kLXNjaGVtYVwiOiBcInNyYy9zdGVwL2NvbW1hbmQtc2NoZW1hLnRzXCIsXG4gIFwiZmFpbHVyZS1wYXRoXCI6IFwic3JjL2xhdGUvZmFpbHVyZS1wYXRoLnRzXCIsXG4gIFwiZmlyc3QtY2hlY2tcIjogXCJzcmMvbGF0ZS9maXJzdC1jaGVjay50c1wiLFxuICBcImxhd3MtcGFydFwiOiBcInNyYy9sYXRlL2xhd3MtcGFydC50c1wiLFxuICBcInByb2plY3QtZmluZGluZ3NcIjogXCJzcmMvc2Vzc2lvbi9wcm9qZWN0LWZpbmRpbmdzLnRzXCIsXG4gIFwic2V0dGxlLWF0dGVtcHRcIjogXCJzcmMvc2V0dGxlL3NldHRsZS1hdHRlbXB0LnRzXCIsXG4gIFwidW5jaGFuZ2VkLXZhbHVlXCI6IFwic3JjL21hdGNoZXJzL3VuY2hhbmdlZC12YWx1ZS50c1wiLFxuICBcIndvcmtmbG93LXN0ZXBcIjogXCJzcmMvcnVubmVyL3dvcmtmbG93LXN0ZXAudHNcIixcbn07XG4vKiogVGhlIHNhbWUgZm9yIFZpdGVzdDsgYGltcG9ydC1tb2R1bGVgIGlzIGJ5IGl0c2VsZiBzbyB0aGF0IE5vZGUgcnVucyBpdCBhbmQgbm90IFZpdGUuICovXG5leHBvcnQgY29uc3QgTEFURV9PRl9WSVRFU1Q6IFJlYWRvbmx5PFJlY29yZDxzdHJpbmcsIHN0cmluZz4+ID0ge1xuICAuLi5MQVRFLFxuICBcImltcG9ydC1tb2R1bGVcIjogXCJzcmMvbGF0ZS9pbXBvcnQtbW9kdWxlLnRzXCIsXG59O1xuXG4vKipcbiAqIE5lYXJseSBhbGwgb2YgVml0ZXN0J3Mgc2V0LXVwIGZpbGUsIGluIGEgZmlsZSBvZiBpdHMgb3duLiBUaGUgcGx1Z2luIGhhcyBWaXRlIGxvYWQgdGhlIHNldC11cCBmaWxlIGZvciBldmVyeSB0ZXN0XG4gKiBmaWxlLCB3aGljaCBzZW5kcyBpdHMgdGV4dCBhbmQgbWFwIHRvIGVhY2ggd29ya2VyOyBOb2RlIGxvYWRzIHRoZSByZXN0IGJ5IGl0c2VsZiwgZm9yIGhhbGYgb2YgdGhhdC5cbiAqL1xuZXhwb3J0IGNvbnN0IElOU1RBTExFUiA9IFwiaW5zdGFsbC12aXRlc3RcIjtcblxuLyoqXG4gKiBXaGF0IFZpdGVzdCdzIHNldC11cCBmaWxlIGltcG9ydHMgYnV0IGxvYWRzIGF0IHRoZSBmaXJzdCBjYWxsOiBtb3N0IHRlc3QgZmlsZXMgY2FsbCBub25lIG9mIGl0LiBDb21tb25KUywgYmVjYXVzZSBhXG4gKiBtYXRjaGVyIG9yIHNlcmlhbGl6ZXIgdGhhdCBhbnN3ZXJzIGF0IG9uY2UgY2Fubm90IHdhaXQgZm9yIGBpbXBvcnQoKWAsIGFuZCBWaXRlc3QncyB2bSBwb29scyBgcmVxdWlyZWAgbm90aGluZyBlbHNlLlxuICovXG5jb25zdCBBVF9GSVJTVF9DQUxMOiBSZWFkb25seTxSZWNvcmQ8c3RyaW5nLCB7IHJlYWRvbmx5IGZpbGU6IHN0cmluZzsgcmVhZG9ubHkgc291cmNlOiBzdHJpbmcgfT4+ID0ge1xuICBcIi4uL2xhdGUvc3luYy1tYXRjaGVycy50c1wiOiB7IGZpbGU6IFwic2V0dXAtc3luYy1tYXRjaGVycy5janNcIiwgc291cmNlOiBcInNyYy9sYXRlL3N5bmMtbWF0Y2hlcnMudHNcIiB9LFxuICBcIi4vc2VyaWFsaXplci50c1wiOiB7IGZpbGU6IFwic2VyaWFsaXplci5janNcIiwgc291cmNlOiBcInNyYy9zZXJpYWxpemVyL3NlcmlhbGl6ZXIudHNcIiB9LFxufTtcblxuLyoqIExlYXZlcyBsYXRlIHBhcnRzIG91dCBvZiB0aGUgZmlsZSB0aGF0IGltcG9ydHMgdGhlbS4gYHN0cmljdGA6IHdoYXRldmVyIGVsc2UgaXMgaW1wb3J0ZWQgbGF0ZSBpcyBhbiBlcnJvci4gKi9cbmV4cG9ydCBmdW5jdGlvbiBsZWF2ZU91dChcbiAgcGFydHM6IFJlYWRvbmx5PFJlY29yZDxzdHJpbmcsIHN0cmluZz4+LFxuICBmaWxlT2Y6IChwYXJ0OiBzdHJpbmcpID0+IHN0cmluZyxcbiAgeyBzdHJpY3QgPSBmYWxzZSB9OiB7IHJlYWRvbmx5IHN0cmljdD86IGJvb2xlYW4gfSA9IHt9LFxuKTogUGx1Z2luIHtcbiAgcmV0dXJuIHtcbiAgICBuYW1lOiBcImxlYXZlLW91dFwiLFxuICAgIHNldHVwKGJ1aWxkKSB7XG4gICAgICBidWlsZC5vblJlc29sdmUoeyBmaWx0ZXI6IC9eXFwuezEsMn1cXC8uKlxcLnRzJC8gfSwgKHsgcGF0aCwga2luZCwgaW1wb3J0ZXIgfSkgPT4ge1xuICAgICAgICBjb25zdCBwYXJ0ID0gcGF0aC5yZXBsYWNlKC9eLipcXC8oLiopXFwudHMkLywgXCIkMVwiKTtcbiAgICAgICAgY29uc3QgaXNMYXRlID0ga2luZCA9PT0gXCJkeW5hbWljLWltcG9ydFwiID8gcGFydCBpbiBwYXJ0cyA6IHBhdGggPT09IGAuL2xhdGUvJHtJTlNUQUxMRVJ9LnRzYDtcbiAgICAgICAgaWYgKGlzTGF0ZSkgcmV0dXJuIHsgcGF0aDogYC4vJHtmaWxlT2YocGFydCl9YCwgZXh0ZXJuYWw6IHRydWUgfTtcbiAgICAgICAgaWYgKGtpbmQgIT09IFwiZHluYW1pYy1pbXBvcnRcIiB8fCAhc3RyaWN0KSByZXR1cm4gdW5kZWZpbmVkO1xuICAgICAgICByZXR1cm4geyBlcnJvcnM6IFt7IHRleHQ6IGAke2ltcG9ydGVyfSBpbXBvcnRzICR7cGF0aH0gbGF0ZTogbmFtZSBpdCBpbiBMQVRFIG9mIGxhdGUtcGFydHMudHMuYCB9XSB9O1xuICAgICAgfSk7XG4gICAgfSxcbiAgfTtcbn1cblxuLyoqXG4gKiBMYXRlIHBhcnRzIGJ5IHRob3NlIHRoYXQgYXJlIGxvYWRlZCB3aGVyZXZlciB0aGV5IGFyZTogYXMgaWYgdGhleSB3ZXJlIGltcG9ydGVkLCBzbyB0aGF0IHdoYXQgYm90aCBhcmUgbWFkZSBvZiBpcyBvbmVcbiAqIGZpbGUsIGFuZCBub3Qgb25lIGZvciBlYWNoIG1peHR1cmUgb2YgdXNlcy4gQ29waWVzIG9mIHdoYXQgdGhleSBzaGFyZSB3ZXJlIGEgc2l4dGggb2YgdGhlIHBhY2thZ2UuXG4gKi9cbmNvbnN0IExPQURFRF9CRUZPUkU6IFJlYWRvbmx5PFJlY29yZDxzdHJpbmcsIHN0cmluZz4+ID0ge1xuICBcImNhbGxzLXBhcnRcIjogXCJmaXJzdC1jaGVja1wiLFxuICBcImZhaWx1cmUtcGF0aFwiOiBcImZpcnN0LWNoZWNrXCIsXG4gIFwibGF3cy1wYXJ0XCI6IFwiZmFpbHVyZS1wYXRoXCIsXG4gIFwicHJvamVjdC1maW5kaW5nc1wiOiBcImZhaWx1cmUtcGF0aFwiLFxuICBcInNldHRsZS1hdHRlbXB0XCI6IFwiZmFpbHVyZS1wYXRoXCIsXG4gIFwid29ya2Zsb3ctc3RlcFwiOiBcImZpcnN0LWNoZWNrXCIsXG59O1xuXG4vKiogVGhlIGxhdGUgcGFydHMgdGhhdCBhcmUgYnVpbHQgdXBvbiBlYWNoIG90aGVyLiAqL1xuZXhwb3J0IGNvbnN0IFNIQVJJTkc6IHJlYWRvbmx5IHN0cmluZ1tdID0gW1wiZmlyc3QtY2hlY2tcIiwgLi4uT2JqZWN0LmtleXMoTE9BREVEX0JFRk9SRSldO1xuXG4vKiogQnVpbGRzIGxhdGUgcGFydHMgdXBvbiBlYWNoIG90aGVyLiAqL1xuZXhwb3J0IGNvbnN0IHVwb25FYWNoT3RoZXI6IFBsdWdpbiA9IHtcbiAgbmFtZTogXCJ1cG9uLWVhY2gtb3RoZXJcIixcbiAgc2V0dXAoYnVpbGQpIHtcbiAgICBjb25zdCBiZWZvcmUgPSBuZXcgTWFwKFxuICAgICAgT2JqZWN0LmVudHJpZXMoTE9BREVEX0JFRk9SRSkubWFwKChbcGFydCwgZmlyc3RdKSA9PiBbcmVzb2x2ZShMQVRFW3BhcnRdID8/IFwiXCIpLCByZXNvbHZlKExBVEVbZmlyc3RdID8/IFwiXCIpXSksXG4gICAgKTtcbiAgICAvLyBXaGF0IGlzIGltcG9ydGVkIGZvciBub3RoaW5nIGJ1dCBpdHMgcGxhY2UgaXMgd2hhdCBpcyBtZWFudC5cbiAgICBidWlsZC5pbml0aWFsT3B0aW9ucy5sb2dPdmVycmlkZSA9IHsgXCJpZ25vcmVkLWJhcmUtaW1wb3J0XCI6IFwic2lsZW50XCIgfTtcbiAgICBidWlsZC5vbkxvYWQoeyBmaWx0ZXI6IC9cXC50cyQvIH0sICh7IHBhdGggfSkgPT4ge1xuICAgICAgY29uc3QgZmlyc3QgPSBiZWZvcmUuZ2V0KHBhdGgpO1xuICAgICAgaWYgKGZpcnN0ID09PSB1bmRlZmluZWQpIHJldHVybiB1bmRlZmluZWQ7XG4gICAgICByZXR1cm4geyBjb250ZW50czogYGltcG9ydCAke0pTT04uc3RyaW5naWZ5KGZpcnN0KX07XFxuJHtyZWFkRmlsZVN5bmMocGF0aCwgXCJ1dGY4XCIpfWAsIGxvYWRlcjogXCJ0c1wiIH07XG4gICAgfSk7XG4gIH0sXG59O1xuXG4vKipcbiAqIFdoYXQgdGhlIGVudHJ5IGB2ZXJpdGVzdGAgYW5kIHRoZSBmaXJzdCBjaGVjayBvZiBhIHRlc3QgZmlsZSBhcmUgYm90aCBtYWRlIG9mLCBuaW5lIHRlbnRocyBvZiBlaXRoZXIuIEJ5IGl0c2VsZiBpblxuICogZWFjaCBpdCB3YXMgZm91ciB0aW1lcyBpbiB0aGUgcGFja2FnZSwgYW5kIHR3aWNlIGluIGV2ZXJ5IHdvcmtlciB0aGF0IGltcG9ydHMgb25lIGFuZCBydW5zIHRoZSBvdGhlci5cbiAqL1xuZXhwb3J0IGNvbnN0IEVOR0lORSA9IHsgbmFtZTogXCJlbmdpbmVcIiwgZW50cnk6IFwic3JjL2luZGV4LnRzXCIgfSBhcyBjb25zdDtcblxuLyoqIFRoZSBtb2R1bGVzIHRoYXQgZmlsZXMgaW1wb3J0IGF0IG9uY2UsIGJ5IHRoZWlyIHBhdGhzLiAqL1xuZnVuY3Rpb24gbW9kdWxlc09mKGVudHJ5OiBzdHJpbmcpOiByZWFkb25seSBzdHJpbmdbXSB7XG4gIGNvbnN0IHsgbWV0YWZpbGUgfSA9IGJ1aWxkU3luYyh7XG4gICAgZW50cnlQb2ludHM6IFtlbnRyeV0sXG4gICAgYnVuZGxlOiB0cnVlLFxuICAgIHdyaXRlOiBmYWxzZSxcbiAgICBtZXRhZmlsZTogdHJ1ZSxcbiAgICBzcGxpdHRpbmc6IHRydWUsXG4gICAgZm9ybWF0OiBcImVzbVwiLFxuICAgIHBsYXRmb3JtOiBcIm5vZGVcIixcbiAgICBwYWNrYWdlczogXCJleHRlcm5hbFwiLFxuICAgIG91dGRpcjogXCJkaXN0XCIsXG4gICAgbG9nTGV2ZWw6IFwiZXJyb3JcIixcbiAgfSk7XG4gIGNvbnN0IG93biA9IE9iamVjdC52YWx1ZXMobWV0YWZpbGUub3V0cHV0cykuZmluZCgoeyBlbnRyeVBvaW50IH0pID0+IGVudHJ5UG9pbnQgPT09IGVudHJ5KTtcbiAgY29uc3QgbGF0ZXIgPSAob3duPy5pbXBvcnRzID8/IFtdKS5maWx0ZXIoKHsga2luZCwgZXh0ZXJuYWwgfSkgPT4ga2luZCAhPT0gXCJkeW5hbWljLWltcG9ydFwiICYmIGV4dGVybmFsICE9PSB0cnVlKTtcbiAgY29uc3QgZmlsZXMgPSBbb3duLCAuLi5sYXRlci5tYXAoKHsgcGF0aCB9KSA9PiBtZXRhZmlsZS5vdXRwdXRzW3BhdGhdKV07XG4gIHJldHVybiBmaWxlcy5mbGF0TWFwKChmaWxlKSA9PiBPYmplY3Qua2V5cyhmaWxlPy5pbnB1dHMgPz8ge30pKTtcbn1cblxuY29uc3QgZW5naW5lTW9kdWxlcyA9IG5ldyBTZXQoXG4gIG1vZHVsZXNPZihMQVRFW1wiZmlyc3QtY2hlY2tcIl0gPz8gXCJcIilcbiAgICAuZmlsdGVyKChwYXRoKSA9PiBtb2R1bGVzT2YoRU5HSU5FLmVudHJ5KS5pbmNsdWRlcyhwYXRoKSlcbiAgICAubWFwKChwYXRoKSA9PiByZXNvbHZlKHBhdGgpKSxcbik7XG5cbi8qKiBNYWtlcyB0aGUgZW5naW5lIG9mIHRoZSBwbGFjZSB3aGVyZSBpdHMgZW50cnkgc3RhbmRzOiBhbGwgdGhhdCBpdHMgbW9kdWxlcyBleHBvcnQuICovXG5leHBvcnQgY29uc3QgbWFrZUVuZ2luZTogUGx1Z2luID0ge1xuICBuYW1lOiBcIm1ha2UtZW5naW5lXCIsXG4gIHNldHVwKGJ1aWxkKSB7XG4gICAgY29uc3QgbGluZXMgPSBbLi4uZW5naW5lTW9kdWxlc10ubWFwKChwYXRoKSA9PiBgZXhwb3J0ICogZnJvbSAke0pTT04uc3RyaW5naWZ5KHBhdGgpfTtgKTtcbiAgICBidWlsZC5vbkxvYWQoeyBmaWx0ZXI6IC9bXFxcXC9daW5kZXhcXC50cyQvIH0sICh7IHBhdGggfSkgPT5cbiAgICAgIHBhdGggPT09IHJlc29sdmUoRU5HSU5FLmVudHJ5KSA/IHsgY29udGVudHM6IGxpbmVzLmpvaW4oXCJcXG5cIiksIGxvYWRlcjogXCJ0c1wiIH0gOiB1bmRlZmluZWQsXG4gICAgKTtcbiAgfSxcbn07XG5cbi8qKiBMZWF2ZXMgdGhlIGVuZ2luZSBvdXQgb2Ygd2hhdCBpcyBidWlsdCB1cG9uIGl0LiAqL1xuZXhwb3J0IGZ1bmN0aW9uIHVwb25FbmdpbmUoZXh0ZW5zaW9uOiBcImNqc1wiIHwgXCJqc1wiKTogUGx1Z2luIHtcbiAgcmV0dXJuIHtcbiAgICBuYW1lOiBcInVwb24tZW5naW5lXCIsXG4gICAgc2V0dXAoYnVpbGQpIHtcbiAgICAgIGJ1aWxkLm9uUmVzb2x2ZSh7IGZpbHRlcjogL15cXC57MSwyfVxcLy4qXFwudHMkLyB9LCAoeyBwYXRoLCByZXNvbHZlRGlyIH0pID0+XG4gICAgICAgIGVuZ2luZU1vZHVsZXMuaGFzKHJlc29sdmUocmVzb2x2ZURpciwgcGF0aCkpXG4gICAgICAgICAgPyB7IHBhdGg6IGAuLyR7RU5HSU5FLm5hbWV9LiR7ZXh0ZW5zaW9ufWAsIGV4dGVybmFsOiB0cnVlIH1cbiAgICAgICAgICA6IHVuZGVmaW5lZCxcbiAgICAgICk7XG4gICAgfSxcbiAgfTtcbn1cblxuLyoqIFdoYXQgYSBmaWxlIGV4cG9ydHMgYnkgYGV4cG9ydCB7IG5hbWUgfSBmcm9tYCBvciBgZXhwb3J0IGZ1bmN0aW9uIG5hbWVgLCBvbmUgdG8gYSBsaW5lLiAqL1xuZnVuY3Rpb24gZnVuY3Rpb25zT2Yoc291cmNlOiBzdHJpbmcpOiByZWFkb25seSBzdHJpbmdbXSB7XG4gIGNvbnN0IGV4cG9ydGVkID0gL15leHBvcnQgKD86XFx7KFtefV0rKVxcfXxmdW5jdGlvbiAoXFx3KykpL2dtO1xuICBjb25zdCBmb3VuZCA9IFsuLi5yZWFkRmlsZVN5bmMoc291cmNlLCBcInV0ZjhcIikubWF0Y2hBbGwoZXhwb3J0ZWQpXTtcbiAgcmV0dXJuIGZvdW5kLmZsYXRNYXAoKFssIG5hbWVkLCBkZWNsYXJlZCA9IFwiXCJdKSA9PiBuYW1lZD8uc3BsaXQoXCIsXCIpLm1hcCgobmFtZSkgPT4gbmFtZS50cmltKCkpID8/IFtkZWNsYXJlZF0pO1xufVxuXG4vKiogUHV0cyBmdW5jdGlvbnMgdGhhdCByZXF1aXJlIHRoZWlyIG1vZHVsZSB3aGVuIHRoZXkgYXJlIGNhbGxlZCBpbiB0aGUgcGxhY2Ugb2YgdGhvc2UgbW9kdWxlcy4gKi9cbmV4cG9ydCBjb25zdCByZXF1aXJlQXRGaXJzdENhbGw6IFBsdWdpbiA9IHtcbiAgbmFtZTogXCJyZXF1aXJlLWF0LWZpcnN0LWNhbGxcIixcbiAgc2V0dXAoYnVpbGQpIHtcbiAgICBidWlsZC5vblJlc29sdmUoeyBmaWx0ZXI6IC9eXFwuezEsMn1cXC8uKlxcLnRzJC8gfSwgKHsgcGF0aCB9KSA9PlxuICAgICAgcGF0aCBpbiBBVF9GSVJTVF9DQUxMID8geyBwYXRoLCBuYW1lc3BhY2U6IFwiYXQtZmlyc3QtY2FsbFwiIH0gOiB1bmRlZmluZWQsXG4gICAgKTtcbiAgICBidWlsZC5vbkxvYWQoeyBmaWx0ZXI6IC8uKi8sIG5hbWVzcGFjZTogXCJhdC1maXJzdC1jYWxsXCIgfSwgKHsgcGF0aCB9KSA9PiB7XG4gICAgICBjb25zdCB7IGZpbGUgPSBcIlwiLCBzb3VyY2UgPSBcIlwiIH0gPSBBVF9GSVJTVF9DQUxMW3BhdGhdID8/IHt9O1xuICAgICAgY29uc3QgbGluZXMgPSBbXG4gICAgICAgICdpbXBvcnQgeyBjcmVhdGVSZXF1aXJlIH0gZnJvbSBcIm5vZGU6bW9kdWxlXCI7JyxcbiAgICAgICAgXCJsZXQgbG9hZGVkO1wiLFxuICAgICAgICBgY29uc3QgbG9hZCA9ICgpID0+IChsb2FkZWQgPz89IGNyZWF0ZVJlcXVpcmUoaW1wb3J0Lm1ldGEudXJsKShcIi4vJHtmaWxlfVwiKSk7YCxcbiAgICAgICAgLi4uZnVuY3Rpb25zT2Yoc291cmNlKS5tYXAoXG4gICAgICAgICAgKG5hbWUpID0+IGBleHBvcnQgZnVuY3Rpb24gJHtuYW1lfSguLi5hcmdzKSB7IHJldHVybiBsb2FkKCkuJHtuYW1lfS5hcHBseSh0aGlzLCBhcmdzKTsgfWAsXG4gICAgICAgICksXG4gICAgICBdO1xuICAgICAgcmV0dXJuIHsgY29udGVudHM6IGxpbmVzLmpvaW4oXCJcXG5cIiksIGxvYWRlcjogXCJqc1wiIH07XG4gICAgfSk7XG4gIH0sXG59O1xuIl0sCiAgIm1hcHBpbmdzIjogIjtBQUFxTCxTQUFTLGdCQUFBQSxxQkFBb0I7QUFDbE4sU0FBUyxNQUFNLFVBQVUsV0FBVztBQUNwQyxTQUE0QixpQkFBaUI7OztBQ0ZnSyxTQUFTLGlCQUFpQjtBQU1oTyxTQUFTLFdBQVcsTUFBc0I7QUFDL0MsUUFBTSxFQUFFLFlBQVksSUFBSSxVQUFVO0FBQUEsSUFDaEMsYUFBYSxDQUFDLElBQUk7QUFBQSxJQUNsQixRQUFRO0FBQUEsSUFDUixPQUFPO0FBQUEsSUFDUCxRQUFRO0FBQUEsSUFDUixVQUFVO0FBQUEsSUFDVixRQUFRO0FBQUEsSUFDUixRQUFRO0FBQUEsSUFDUixlQUFlO0FBQUEsSUFDZixVQUFVO0FBQUEsRUFDWixDQUFDO0FBQ0QsU0FBTyxZQUFZLElBQUksQ0FBQyxFQUFFLEtBQUssTUFBTSxJQUFJLEVBQUUsS0FBSyxFQUFFO0FBQ3BEOzs7QUNmQSxTQUFTLG9CQUFvQjtBQUM3QixTQUFTLGVBQWU7QUFDeEIsU0FBUyxhQUFBQyxrQkFBaUI7QUFNbkIsSUFBTSxPQUF5QztBQUFBLEVBQ3BELGNBQWM7QUFBQSxFQUNkLGtCQUFrQjtBQUFBLEVBQ2xCLGdCQUFnQjtBQUFBLEVBQ2hCLGVBQWU7QUFBQSxFQUNmLGFBQWE7QUFBQSxFQUNiLG9CQUFvQjtBQUFBLEVBQ3BCLGtCQUFrQjtBQUFBLEVBQ2xCLG1CQUFtQjtBQUFBLEVBQ25CLGlCQUFpQjtBQUNuQjtBQUVPLElBQU0saUJBQW1EO0FBQUEsRUFDOUQsR0FBRztBQUFBLEVBQ0gsaUJBQWlCO0FBQ25CO0FBTU8sSUFBTSxZQUFZO0FBTXpCLElBQU0sZ0JBQThGO0FBQUEsRUFDbEcsNEJBQTRCLEVBQUUsTUFBTSwyQkFBMkIsUUFBUSw0QkFBNEI7QUFBQSxFQUNuRyxtQkFBbUIsRUFBRSxNQUFNLGtCQUFrQixRQUFRLCtCQUErQjtBQUN0RjtBQUdPLFNBQVMsU0FDZEMsUUFDQSxRQUNBLEVBQUUsU0FBUyxNQUFNLElBQW1DLENBQUMsR0FDN0M7QUFDUixTQUFPO0FBQUEsSUFDTCxNQUFNO0FBQUEsSUFDTixNQUFNLE9BQU87QUFDWCxZQUFNLFVBQVUsRUFBRSxRQUFRLG9CQUFvQixHQUFHLENBQUMsRUFBRSxNQUFNLE1BQU0sU0FBUyxNQUFNO0FBQzdFLGNBQU0sT0FBTyxLQUFLLFFBQVEsa0JBQWtCLElBQUk7QUFDaEQsY0FBTSxTQUFTLFNBQVMsbUJBQW1CLFFBQVFBLFNBQVEsU0FBUyxVQUFVLFNBQVM7QUFDdkYsWUFBSSxPQUFRLFFBQU8sRUFBRSxNQUFNLEtBQUssT0FBTyxJQUFJLENBQUMsSUFBSSxVQUFVLEtBQUs7QUFDL0QsWUFBSSxTQUFTLG9CQUFvQixDQUFDLE9BQVEsUUFBTztBQUNqRCxlQUFPLEVBQUUsUUFBUSxDQUFDLEVBQUUsTUFBTSxHQUFHLFFBQVEsWUFBWSxJQUFJLDJDQUEyQyxDQUFDLEVBQUU7QUFBQSxNQUNyRyxDQUFDO0FBQUEsSUFDSDtBQUFBLEVBQ0Y7QUFDRjtBQU1BLElBQU0sZ0JBQWtEO0FBQUEsRUFDdEQsY0FBYztBQUFBLEVBQ2QsZ0JBQWdCO0FBQUEsRUFDaEIsYUFBYTtBQUFBLEVBQ2Isb0JBQW9CO0FBQUEsRUFDcEIsa0JBQWtCO0FBQUEsRUFDbEIsaUJBQWlCO0FBQ25CO0FBR08sSUFBTSxVQUE2QixDQUFDLGVBQWUsR0FBRyxPQUFPLEtBQUssYUFBYSxDQUFDO0FBR2hGLElBQU0sZ0JBQXdCO0FBQUEsRUFDbkMsTUFBTTtBQUFBLEVBQ04sTUFBTSxPQUFPO0FBQ1gsVUFBTSxTQUFTLElBQUk7QUFBQSxNQUNqQixPQUFPLFFBQVEsYUFBYSxFQUFFLElBQUksQ0FBQyxDQUFDLE1BQU0sS0FBSyxNQUFNLENBQUMsUUFBUSxLQUFLLElBQUksS0FBSyxFQUFFLEdBQUcsUUFBUSxLQUFLLEtBQUssS0FBSyxFQUFFLENBQUMsQ0FBQztBQUFBLElBQzlHO0FBRUEsVUFBTSxlQUFlLGNBQWMsRUFBRSx1QkFBdUIsU0FBUztBQUNyRSxVQUFNLE9BQU8sRUFBRSxRQUFRLFFBQVEsR0FBRyxDQUFDLEVBQUUsS0FBSyxNQUFNO0FBQzlDLFlBQU0sUUFBUSxPQUFPLElBQUksSUFBSTtBQUM3QixVQUFJLFVBQVUsT0FBVyxRQUFPO0FBQ2hDLGFBQU8sRUFBRSxVQUFVLFVBQVUsS0FBSyxVQUFVLEtBQUssQ0FBQztBQUFBLEVBQU0sYUFBYSxNQUFNLE1BQU0sQ0FBQyxJQUFJLFFBQVEsS0FBSztBQUFBLElBQ3JHLENBQUM7QUFBQSxFQUNIO0FBQ0Y7QUFNTyxJQUFNLFNBQVMsRUFBRSxNQUFNLFVBQVUsT0FBTyxlQUFlO0FBRzlELFNBQVMsVUFBVSxPQUFrQztBQUNuRCxRQUFNLEVBQUUsU0FBUyxJQUFJQyxXQUFVO0FBQUEsSUFDN0IsYUFBYSxDQUFDLEtBQUs7QUFBQSxJQUNuQixRQUFRO0FBQUEsSUFDUixPQUFPO0FBQUEsSUFDUCxVQUFVO0FBQUEsSUFDVixXQUFXO0FBQUEsSUFDWCxRQUFRO0FBQUEsSUFDUixVQUFVO0FBQUEsSUFDVixVQUFVO0FBQUEsSUFDVixRQUFRO0FBQUEsSUFDUixVQUFVO0FBQUEsRUFDWixDQUFDO0FBQ0QsUUFBTSxNQUFNLE9BQU8sT0FBTyxTQUFTLE9BQU8sRUFBRSxLQUFLLENBQUMsRUFBRSxXQUFXLE1BQU0sZUFBZSxLQUFLO0FBQ3pGLFFBQU0sU0FBUyxLQUFLLFdBQVcsQ0FBQyxHQUFHLE9BQU8sQ0FBQyxFQUFFLE1BQU0sU0FBUyxNQUFNLFNBQVMsb0JBQW9CLGFBQWEsSUFBSTtBQUNoSCxRQUFNLFFBQVEsQ0FBQyxLQUFLLEdBQUcsTUFBTSxJQUFJLENBQUMsRUFBRSxLQUFLLE1BQU0sU0FBUyxRQUFRLElBQUksQ0FBQyxDQUFDO0FBQ3RFLFNBQU8sTUFBTSxRQUFRLENBQUMsU0FBUyxPQUFPLEtBQUssTUFBTSxVQUFVLENBQUMsQ0FBQyxDQUFDO0FBQ2hFO0FBRUEsSUFBTSxnQkFBZ0IsSUFBSTtBQUFBLEVBQ3hCLFVBQVUsS0FBSyxhQUFhLEtBQUssRUFBRSxFQUNoQyxPQUFPLENBQUMsU0FBUyxVQUFVLE9BQU8sS0FBSyxFQUFFLFNBQVMsSUFBSSxDQUFDLEVBQ3ZELElBQUksQ0FBQyxTQUFTLFFBQVEsSUFBSSxDQUFDO0FBQ2hDO0FBR08sSUFBTSxhQUFxQjtBQUFBLEVBQ2hDLE1BQU07QUFBQSxFQUNOLE1BQU0sT0FBTztBQUNYLFVBQU0sUUFBUSxDQUFDLEdBQUcsYUFBYSxFQUFFLElBQUksQ0FBQyxTQUFTLGlCQUFpQixLQUFLLFVBQVUsSUFBSSxDQUFDLEdBQUc7QUFDdkYsVUFBTTtBQUFBLE1BQU8sRUFBRSxRQUFRLGtCQUFrQjtBQUFBLE1BQUcsQ0FBQyxFQUFFLEtBQUssTUFDbEQsU0FBUyxRQUFRLE9BQU8sS0FBSyxJQUFJLEVBQUUsVUFBVSxNQUFNLEtBQUssSUFBSSxHQUFHLFFBQVEsS0FBSyxJQUFJO0FBQUEsSUFDbEY7QUFBQSxFQUNGO0FBQ0Y7QUFHTyxTQUFTLFdBQVcsV0FBaUM7QUFDMUQsU0FBTztBQUFBLElBQ0wsTUFBTTtBQUFBLElBQ04sTUFBTSxPQUFPO0FBQ1gsWUFBTTtBQUFBLFFBQVUsRUFBRSxRQUFRLG9CQUFvQjtBQUFBLFFBQUcsQ0FBQyxFQUFFLE1BQU0sV0FBVyxNQUNuRSxjQUFjLElBQUksUUFBUSxZQUFZLElBQUksQ0FBQyxJQUN2QyxFQUFFLE1BQU0sS0FBSyxPQUFPLElBQUksSUFBSSxTQUFTLElBQUksVUFBVSxLQUFLLElBQ3hEO0FBQUEsTUFDTjtBQUFBLElBQ0Y7QUFBQSxFQUNGO0FBQ0Y7QUFHQSxTQUFTLFlBQVksUUFBbUM7QUFDdEQsUUFBTSxXQUFXO0FBQ2pCLFFBQU0sUUFBUSxDQUFDLEdBQUcsYUFBYSxRQUFRLE1BQU0sRUFBRSxTQUFTLFFBQVEsQ0FBQztBQUNqRSxTQUFPLE1BQU0sUUFBUSxDQUFDLENBQUMsRUFBRSxPQUFPLFdBQVcsRUFBRSxNQUFNLE9BQU8sTUFBTSxHQUFHLEVBQUUsSUFBSSxDQUFDLFNBQVMsS0FBSyxLQUFLLENBQUMsS0FBSyxDQUFDLFFBQVEsQ0FBQztBQUMvRztBQUdPLElBQU0scUJBQTZCO0FBQUEsRUFDeEMsTUFBTTtBQUFBLEVBQ04sTUFBTSxPQUFPO0FBQ1gsVUFBTTtBQUFBLE1BQVUsRUFBRSxRQUFRLG9CQUFvQjtBQUFBLE1BQUcsQ0FBQyxFQUFFLEtBQUssTUFDdkQsUUFBUSxnQkFBZ0IsRUFBRSxNQUFNLFdBQVcsZ0JBQWdCLElBQUk7QUFBQSxJQUNqRTtBQUNBLFVBQU0sT0FBTyxFQUFFLFFBQVEsTUFBTSxXQUFXLGdCQUFnQixHQUFHLENBQUMsRUFBRSxLQUFLLE1BQU07QUFDdkUsWUFBTSxFQUFFLE9BQU8sSUFBSSxTQUFTLEdBQUcsSUFBSSxjQUFjLElBQUksS0FBSyxDQUFDO0FBQzNELFlBQU0sUUFBUTtBQUFBLFFBQ1o7QUFBQSxRQUNBO0FBQUEsUUFDQSxvRUFBb0UsSUFBSTtBQUFBLFFBQ3hFLEdBQUcsWUFBWSxNQUFNLEVBQUU7QUFBQSxVQUNyQixDQUFDLFNBQVMsbUJBQW1CLElBQUksNkJBQTZCLElBQUk7QUFBQSxRQUNwRTtBQUFBLE1BQ0Y7QUFDQSxhQUFPLEVBQUUsVUFBVSxNQUFNLEtBQUssSUFBSSxHQUFHLFFBQVEsS0FBSztBQUFBLElBQ3BELENBQUM7QUFBQSxFQUNIO0FBQ0Y7OztBRm5LQSxJQUFNLFNBQVM7QUFBQSxFQUNiLFFBQVE7QUFBQSxFQUNSLFVBQVU7QUFBQSxFQUNWLFFBQVE7QUFBQSxFQUNSLFVBQVU7QUFBQSxJQUNSO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQTtBQUFBLElBRUE7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsRUFDRjtBQUFBLEVBQ0Esb0JBQW9CO0FBQUEsRUFDcEIsS0FBSztBQUNQO0FBTUEsSUFBTSxhQUFhO0FBQUEsRUFDakI7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFDRjtBQU9BLElBQU0sbUJBQW1CLFdBQVcsV0FBVyxLQUFLLElBQUksQ0FBQztBQUd6RCxJQUFNLFVBQVUsRUFBRSxHQUFHLFFBQVEsUUFBUSxPQUFPLFFBQVEsRUFBRSxJQUFJLGlCQUFpQixFQUFFO0FBRzdFLElBQU0saUJBQTJCLENBQUMsZ0JBQWdCLGFBQWE7QUFFL0QsSUFBTSxlQUF5QjtBQUFBLEVBQzdCO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUNGO0FBRUEsSUFBTSxnQkFBMEI7QUFBQSxFQUM5QjtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUNGO0FBRUEsSUFBTSxjQUF3QixDQUFDLG9CQUFvQjtBQUVuRCxJQUFNLGlCQUEyQjtBQUFBLEVBQy9CO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFDRjtBQUVBLElBQU0saUJBQTJCO0FBQUEsRUFDL0I7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFDRjtBQUdBLFNBQVMsUUFBUSxRQUF3RDtBQUN2RSxTQUFPLENBQUMsWUFBWTtBQUNsQixZQUFRLG1CQUFtQjtBQUUzQixZQUFRLG9CQUFvQixXQUFXLFdBQVcsV0FBVyxPQUFPO0FBQ3BFLFlBQVEsWUFBWTtBQUNwQixZQUFRLGVBQWU7QUFDdkIsWUFBUSxhQUFhLEdBQUcsTUFBTTtBQUFBLEVBQ2hDO0FBQ0Y7QUFNQSxJQUFNLE1BQWU7QUFBQSxFQUNuQixHQUFHO0FBQUEsRUFDSCxNQUFNO0FBQUEsRUFDTixXQUFXO0FBQUEsRUFDWCxPQUFPO0FBQUEsRUFDUCxnQkFBZ0IsQ0FBQyxXQUFXLElBQUksQ0FBQztBQUFBLEVBQ2pDLGdCQUFnQixRQUFRLE9BQU87QUFBQTtBQUFBLEVBRS9CLEtBQUs7QUFBQSxJQUNILE9BQU87QUFBQSxNQUNMLEdBQUc7QUFBQSxNQUNIO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0EsR0FBRztBQUFBLE1BQ0gsR0FBRztBQUFBLE1BQ0gsR0FBRztBQUFBLElBQ0w7QUFBQSxFQUNGO0FBQ0Y7QUFLQSxJQUFNLFFBQWlCO0FBQUEsRUFDckIsR0FBRztBQUFBLEVBQ0gsTUFBTTtBQUFBLEVBQ04sV0FBVztBQUFBLEVBQ1gsS0FBSztBQUFBLEVBQ0wsT0FBTztBQUFBLElBQ0wsUUFBUTtBQUFBLElBQ1Isd0JBQXdCO0FBQUEsSUFDeEIsWUFBWTtBQUFBLElBQ1osQ0FBQyxTQUFTLFNBQVMsRUFBRSxHQUFHLFlBQVksU0FBUztBQUFBLEVBQy9DO0FBQUE7QUFBQSxFQUVBLGdCQUFnQixDQUFDLG9CQUFvQixTQUFTLGdCQUFnQixDQUFDLFNBQVMsU0FBUyxJQUFJLE9BQU8sRUFBRSxRQUFRLEtBQUssQ0FBQyxDQUFDO0FBQUEsRUFDN0csZ0JBQWdCLFFBQVEsT0FBTztBQUNqQztBQUtBLFNBQVMsYUFBYSxNQUFjLE1BQWlDLE1BQXdCO0FBQzNGLFFBQU1DLFNBQVEsT0FBTyxRQUFRLGNBQWMsRUFBRSxPQUFPLENBQUMsQ0FBQyxJQUFJLE1BQU0sS0FBSyxJQUFJLENBQUM7QUFDMUUsU0FBTztBQUFBLElBQ0wsR0FBRztBQUFBLElBQ0g7QUFBQSxJQUNBLFdBQVc7QUFBQSxJQUNYLEtBQUs7QUFBQSxJQUNMLE9BQU8sT0FBTyxZQUFZQSxPQUFNLElBQUksQ0FBQyxDQUFDLE1BQU0sTUFBTSxNQUFNLENBQUMsU0FBUyxJQUFJLElBQUksTUFBTSxDQUFDLENBQUM7QUFBQSxJQUNsRixnQkFBZ0IsQ0FBQyxHQUFHLE1BQU0sU0FBUyxnQkFBZ0IsQ0FBQyxTQUFTLFNBQVMsSUFBSSxLQUFLLENBQUM7QUFBQSxJQUNoRixnQkFBZ0IsUUFBUSxPQUFPO0FBQUEsRUFDakM7QUFDRjtBQUdBLElBQU0sU0FBa0I7QUFBQSxFQUN0QixHQUFHO0FBQUEsRUFDSCxNQUFNO0FBQUEsRUFDTixXQUFXO0FBQUEsRUFDWCxLQUFLO0FBQUEsRUFDTCxPQUFPLEVBQUUsQ0FBQyxPQUFPLElBQUksR0FBRyxPQUFPLE1BQU07QUFBQSxFQUNyQyxnQkFBZ0IsQ0FBQyxZQUFZLFNBQVMsZ0JBQWdCLENBQUMsU0FBUyxTQUFTLElBQUksS0FBSyxDQUFDO0FBQUEsRUFDbkYsZ0JBQWdCLFFBQVEsT0FBTyxJQUFJO0FBQ3JDO0FBRUEsSUFBTSxZQUFZLGFBQWEsY0FBYyxDQUFDLFNBQVMsUUFBUSxTQUFTLElBQUksR0FBRyxDQUFDLGVBQWUsV0FBVyxJQUFJLENBQUMsQ0FBQztBQUVoSCxJQUFNLFlBQVksYUFBYSxjQUFjLENBQUMsU0FBUyxDQUFDLFFBQVEsU0FBUyxJQUFJLEdBQUcsQ0FBQyxDQUFDO0FBTWxGLElBQU0sYUFBNkQ7QUFBQSxFQUNqRSxNQUFNO0FBQUEsRUFDTixNQUFNLE9BQU87QUFDWCxVQUFNLFVBQVUsRUFBRSxRQUFRLGtCQUFrQixHQUFHLENBQUMsRUFBRSxNQUFNLFdBQVcsT0FBTztBQUFBLE1BQ3hFLE1BQU0sS0FBSyxZQUFZLEtBQUssUUFBUSxVQUFVLEVBQUUsQ0FBQztBQUFBLE1BQ2pELFdBQVcsS0FBSyxTQUFTLE1BQU0sSUFBSSxRQUFRO0FBQUEsSUFDN0MsRUFBRTtBQUNGLFVBQU0sT0FBTyxFQUFFLFFBQVEsTUFBTSxXQUFXLE1BQU0sR0FBRyxDQUFDLEVBQUUsS0FBSyxPQUFPO0FBQUEsTUFDOUQsVUFBVUMsY0FBYSxNQUFNLE1BQU07QUFBQSxNQUNuQyxRQUFRO0FBQUEsSUFDVixFQUFFO0FBQ0YsVUFBTSxPQUFPLEVBQUUsUUFBUSxNQUFNLFdBQVcsT0FBTyxHQUFHLENBQUMsRUFBRSxLQUFLLE9BQU8sRUFBRSxVQUFVLFdBQVcsSUFBSSxHQUFHLFFBQVEsT0FBTyxFQUFFO0FBQUEsRUFDbEg7QUFDRjtBQUdBLElBQU0sY0FBdUQ7QUFBQSxFQUMzRCxNQUFNO0FBQUEsRUFDTixZQUFZLE1BQU0sRUFBRSxLQUFLLEdBQUc7QUFDMUIsVUFBTSxRQUFRLFNBQVMsUUFBUSxJQUFJLEVBQUUsU0FBUyxHQUFHO0FBQ2pELFdBQU8sUUFBUSxFQUFFLE1BQU0sS0FBSyxXQUFXLE1BQU0sT0FBTyxJQUFJLFFBQVEsT0FBTyxPQUFPLElBQUksTUFBTSxFQUFFLElBQUk7QUFBQSxFQUNoRztBQUNGO0FBR0EsSUFBTSxPQUFnQjtBQUFBLEVBQ3BCLEdBQUc7QUFBQSxFQUNILE1BQU07QUFBQSxFQUNOLFdBQVc7QUFBQSxFQUNYLEtBQUs7QUFBQSxFQUNMLE9BQU8sQ0FBQyxHQUFHLGNBQWMsR0FBRyxhQUFhO0FBQUEsRUFDekMsZ0JBQWdCLENBQUMsWUFBWSxXQUFXLElBQUksQ0FBQztBQUFBLEVBQzdDLFNBQVMsQ0FBQyxXQUFXO0FBQUEsRUFDckIsZ0JBQWdCLFFBQVEsTUFBTTtBQUNoQztBQUdBLElBQU0sUUFBaUI7QUFBQSxFQUNyQixHQUFHO0FBQUEsRUFDSCxNQUFNO0FBQUEsRUFDTixXQUFXO0FBQUEsRUFDWCxLQUFLO0FBQUEsRUFDTCxPQUFPO0FBQUEsRUFDUCxnQkFBZ0IsQ0FBQyxXQUFXLElBQUksQ0FBQztBQUFBLEVBQ2pDLGdCQUFnQixRQUFRLE1BQU07QUFDaEM7QUFFQSxJQUFNLGFBQXNCLEVBQUUsR0FBRyxPQUFPLE1BQU0sZUFBZSxXQUFXLE9BQU8sT0FBTyxhQUFhLGdCQUFnQixDQUFDLEVBQUU7QUFHdEgsSUFBTSxVQUFVO0FBQUEsRUFDZCxHQUFHO0FBQUEsRUFDSCxRQUFRO0FBQUEsRUFDUixXQUFXO0FBQUE7QUFBQSxFQUVYLFFBQVEsRUFBRSxJQUFJO0FBQUEsRUFBa0IsZ0JBQWdCLEdBQUc7QUFBQTtBQUFBLEVBRW5ELGdCQUFnQixDQUFDLFNBQVMsTUFBTSxDQUFDLFNBQVMsR0FBRyxJQUFJLE1BQU0sQ0FBQztBQUFBLEVBQ3hELGVBQWUsU0FBdUI7QUFFcEMsWUFBUSxtQkFBbUI7QUFDM0IsWUFBUSxlQUFlO0FBRXZCLFlBQVEsWUFBWSxFQUFFLEdBQUcsUUFBUSxXQUFXLGtCQUFrQixNQUFNO0FBQUEsRUFDdEU7QUFDRjtBQUVBLElBQU0sTUFBZTtBQUFBLEVBQ25CLEdBQUc7QUFBQSxFQUNILE1BQU07QUFBQSxFQUNOLE9BQU87QUFBQSxFQUNQLGdCQUFnQixDQUFDLFdBQVcsS0FBSyxHQUFHLEdBQUcsUUFBUSxjQUFjO0FBQy9EO0FBRUEsSUFBTSxZQUFxQjtBQUFBLEVBQ3pCLEdBQUc7QUFBQSxFQUNILE1BQU07QUFBQSxFQUNOLEtBQUs7QUFBQSxFQUNMLE9BQU8sRUFBRSxDQUFDLE9BQU8sSUFBSSxHQUFHLE9BQU8sTUFBTTtBQUFBLEVBQ3JDLGdCQUFnQixDQUFDLFlBQVksR0FBRyxRQUFRLGNBQWM7QUFDeEQ7QUFHQSxJQUFNLFdBQW9CO0FBQUEsRUFDeEIsR0FBRztBQUFBLEVBQ0gsTUFBTTtBQUFBLEVBQ04sT0FBTyxDQUFDLG1CQUFtQjtBQUFBLEVBQzNCLGVBQWUsU0FBUztBQUN0QixZQUFRLGVBQWUsT0FBTztBQUM5QixZQUFRLG1CQUFtQjtBQUFBLEVBQzdCO0FBQ0Y7QUFHQSxJQUFNLFdBQW9CO0FBQUEsRUFDeEIsR0FBRztBQUFBLEVBQ0gsTUFBTTtBQUFBLEVBQ04sT0FBTyxDQUFDLG1CQUFtQjtBQUFBLEVBQzNCLGVBQWUsU0FBUyxTQUFTO0FBQy9CLFlBQVEsT0FBTyxFQUFFLFNBQVMsT0FBTztBQUNqQyxZQUFRLFlBQVksRUFBRSxHQUFHLFFBQVEsV0FBVyxrQkFBa0IsTUFBTTtBQUFBLEVBQ3RFO0FBQ0Y7QUFHQSxJQUFNLFdBQW9CO0FBQUEsRUFDeEIsR0FBRztBQUFBLEVBQ0gsTUFBTTtBQUFBLEVBQ04sS0FBSztBQUFBLEVBQ0wsT0FBTztBQUFBLElBQ0wsR0FBRyxPQUFPLFlBQVksT0FBTyxRQUFRLElBQUksRUFBRSxPQUFPLENBQUMsQ0FBQyxJQUFJLE1BQU0sQ0FBQyxRQUFRLFNBQVMsSUFBSSxDQUFDLENBQUM7QUFBQSxJQUN0RixlQUFlO0FBQUEsSUFDZix1QkFBdUI7QUFBQSxFQUN6QjtBQUFBLEVBQ0EsZUFBZSxTQUFTLFNBQVM7QUFDL0IsWUFBUSxNQUFNLEVBQUUsU0FBUyxPQUFPO0FBQ2hDLFlBQVEsWUFBWSxFQUFFLEdBQUcsUUFBUSxXQUFXLGtCQUFrQixNQUFNO0FBQUEsRUFDdEU7QUFDRjtBQUdBLElBQU0sYUFBc0Q7QUFBQSxFQUMxRCxNQUFNO0FBQUEsRUFDTixNQUFNLFlBQVksTUFBTTtBQUN0QixVQUFNLEVBQUUsTUFBTSxTQUFTLElBQUksTUFBTSxVQUFVLE1BQU07QUFBQSxNQUMvQyxRQUFRO0FBQUEsTUFDUixVQUFVO0FBQUEsTUFDVixRQUFRO0FBQUEsTUFDUixrQkFBa0I7QUFBQSxNQUNsQixRQUFRO0FBQUEsRUFBa0IsZ0JBQWdCO0FBQUEsSUFDNUMsQ0FBQztBQUNELFdBQU8sRUFBRSxNQUFNLFNBQVM7QUFBQSxFQUMxQjtBQUNGO0FBR0EsSUFBTSxZQUFxQjtBQUFBLEVBQ3pCLEdBQUc7QUFBQSxFQUNILE1BQU07QUFBQSxFQUNOLFFBQVE7QUFBQSxFQUNSLFdBQVc7QUFBQSxFQUNYLGNBQWMsT0FBTyxFQUFFLElBQUksT0FBTztBQUFBLEVBQ2xDLFFBQVEsQ0FBQztBQUFBLEVBQ1QsT0FBTyxPQUFPLFlBQVksUUFBUSxJQUFJLENBQUMsU0FBUyxDQUFDLE1BQU0sS0FBSyxJQUFJLEtBQUssRUFBRSxDQUFDLENBQUM7QUFBQSxFQUN6RSxnQkFBZ0IsQ0FBQyxlQUFlLFdBQVcsS0FBSyxHQUFHLEdBQUcsUUFBUSxjQUFjO0FBQUEsRUFDNUUsZUFBZSxTQUFTLFNBQVM7QUFDL0IsYUFBUyxpQkFBaUIsU0FBUyxPQUFPO0FBQzFDLFlBQVEsYUFBYTtBQUFBLEVBQ3ZCO0FBQUEsRUFDQSxTQUFTLENBQUMsVUFBVTtBQUN0QjtBQUdBLElBQU0sY0FBdUI7QUFBQSxFQUMzQixHQUFHO0FBQUEsRUFDSCxNQUFNO0FBQUEsRUFDTixPQUFPO0FBQUEsRUFDUCxnQkFBZ0IsQ0FBQyxXQUFXLEtBQUssR0FBRyxHQUFHLFFBQVEsY0FBYztBQUFBLEVBQzdELGVBQWUsU0FBUyxTQUFTO0FBQy9CLGNBQVUsaUJBQWlCLFNBQVMsT0FBTztBQUMzQyxZQUFRLGFBQWE7QUFBQSxFQUN2QjtBQUNGO0FBR0EsSUFBTSxtQkFBNEI7QUFBQSxFQUNoQyxHQUFHO0FBQUEsRUFDSCxNQUFNO0FBQUEsRUFDTixLQUFLLEVBQUUsTUFBTSxLQUFLO0FBQUEsRUFDbEIsT0FBTyxDQUFDLEdBQUcsZ0JBQWdCLEdBQUcsV0FBVztBQUMzQztBQU1BLElBQU0sYUFBc0I7QUFBQSxFQUMxQixHQUFHO0FBQUEsRUFDSCxNQUFNO0FBQUEsRUFDTixPQUFPLENBQUMsb0JBQW9CO0FBQUEsRUFDNUIsWUFBWTtBQUFBLEVBQ1osUUFBUSxFQUFFLElBQUksMkNBQTJDO0FBQzNEO0FBR0EsSUFBTSxlQUErRDtBQUFBLEVBQ25FLE1BQU07QUFBQSxFQUNOLE1BQU0sT0FBTztBQUNYLFVBQU0sT0FBTyxFQUFFLFFBQVEsc0JBQXNCLEdBQUcsQ0FBQyxFQUFFLEtBQUssTUFBTTtBQUM1RCxZQUFNLFFBQWlCLEtBQUssTUFBTUEsY0FBYSxNQUFNLE1BQU0sQ0FBQztBQUM1RCxZQUFNLFVBQW1CLE9BQU8sVUFBVSxZQUFZLFVBQVUsT0FBTyxRQUFRLElBQUksT0FBTyxTQUFTLElBQUk7QUFDdkcsYUFBTyxFQUFFLFVBQVUsS0FBSyxVQUFVLEVBQUUsUUFBUSxDQUFDLEdBQUcsUUFBUSxPQUFPO0FBQUEsSUFDakUsQ0FBQztBQUFBLEVBQ0g7QUFDRjtBQUVBLElBQU0sU0FBb0I7QUFBQSxFQUN4QjtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUE7QUFBQSxFQUVBLEdBQUksUUFBUSxLQUFLLFNBQVMsVUFBVSxJQUFJLENBQUMsSUFBSSxDQUFDLGdCQUFnQjtBQUFBLEVBQzlEO0FBQ0Y7QUFDQSxJQUFNLFNBQW9CLE9BQU8sSUFBSSxDQUFDLGFBQWE7QUFBQSxFQUNqRCxHQUFHO0FBQUEsRUFDSCxnQkFBZ0IsQ0FBQyxjQUFjLEdBQUksUUFBUSxrQkFBa0IsQ0FBQyxDQUFFO0FBQ2xFLEVBQUU7QUFDRixJQUFPLHNCQUFROyIsCiAgIm5hbWVzIjogWyJyZWFkRmlsZVN5bmMiLCAiYnVpbGRTeW5jIiwgInBhcnRzIiwgImJ1aWxkU3luYyIsICJwYXJ0cyIsICJyZWFkRmlsZVN5bmMiXQp9Cg==
