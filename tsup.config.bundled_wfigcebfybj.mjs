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
    logLevel: "error"
  });
  return outputFiles.map(({ text }) => text).join("");
}

// scripts/build/lazy-parts.ts
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { buildSync as buildSync2 } from "esbuild";
var OWN_MODULE = /^\.{1,2}\/.*\.ts$/;
function factsOf(entry) {
  return buildSync2({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    outdir: "dist",
    logLevel: "error"
  }).metafile;
}
var IMPORTED_ENTRIES = ["src/index.ts", "src/commands.ts", "src/kernel.ts", "src/redaction.ts"];
var WORKER_ENTRIES = ["src/vitest.ts", "src/jest-setup.ts", ...IMPORTED_ENTRIES];
var LAZY = lazyModules();
function lazyModules() {
  const inputs = WORKER_ENTRIES.flatMap((entry) => Object.values(factsOf(entry).inputs));
  const paths = inputs.flatMap(
    ({ imports }) => imports.filter(({ kind, external }) => kind === "dynamic-import" && external !== true).map(({ path }) => path)
  );
  const lazy = {};
  for (const path of new Set(paths)) {
    const name = basename(path, ".ts");
    if (name in lazy) throw new Error(`${path} and ${lazy[name]} are both loaded by import(): rename one.`);
    lazy[name] = path;
  }
  return lazy;
}
var INSTALLER = "src/install-vitest.ts";
function leaveOut(fileOf) {
  const names = new Map(Object.entries(LAZY).map(([name, path]) => [resolve(path), name]));
  return {
    name: "leave-out",
    setup(build) {
      build.onResolve({ filter: OWN_MODULE }, ({ path, kind, resolveDir }) => {
        if (kind === "dynamic-import" && /[\\/]reporter[\\/]formats$/.test(resolveDir)) return { path, external: true };
        const file = resolve(resolveDir, path);
        const name = kind === "dynamic-import" ? names.get(file) : void 0;
        if (name !== void 0) return { path: `./${fileOf(name)}`, external: true };
        if (file === resolve(INSTALLER) && kind !== "entry-point")
          return { path: "./setup-install-vitest.js", external: true };
        return void 0;
      });
    }
  };
}
var LOADED_BEFORE = {
  "calls-entry": "check-entry",
  "config-schema": "check-entry",
  "failure-entry": "check-entry",
  "load-config": "check-entry",
  "properties-entry": "failure-entry",
  "project-findings": "failure-entry",
  "stage-attempt": "failure-entry",
  "worker-settings": "check-entry",
  "workflow-step": "check-entry"
};
var SHARING = /* @__PURE__ */ new Set(["check-entry", ...Object.keys(LOADED_BEFORE)]);
function lazyEntries(shared2, fileOf) {
  const some = Object.entries(LAZY).filter(([name]) => SHARING.has(name) === shared2);
  return Object.fromEntries(some.map(([name, path]) => [fileOf(name), path]));
}
var uponEachOther = {
  name: "upon-each-other",
  setup(build) {
    const pathOf = (name) => resolve(LAZY[name] ?? "");
    const before = new Map(Object.entries(LOADED_BEFORE).map(([name, first]) => [pathOf(name), pathOf(first)]));
    build.initialOptions.logOverride = { "ignored-bare-import": "silent" };
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const first = before.get(path);
      if (first === void 0) return void 0;
      return { contents: `import ${JSON.stringify(first)};
${readFileSync(path, "utf8")}`, loader: "ts" };
    });
  }
};
var BUNDLED_PACKAGES = {
  "event-stream": "src/kernel/event-stream.ts",
  pretty: "src/kernel/pretty.ts"
};
var ENGINE = "scripts/build/engine.ts";
function eagerModulesOf(entry) {
  const { outputs } = factsOf(entry);
  const own = Object.values(outputs).find(({ entryPoint }) => entryPoint === entry);
  const chunks = (own?.imports ?? []).filter(({ kind, external }) => kind !== "dynamic-import" && external !== true);
  const files = [own, ...chunks.map(({ path }) => outputs[path])];
  return new Set(files.flatMap((file) => Object.keys(file?.inputs ?? {})));
}
var ofEntries = new Set(IMPORTED_ENTRIES.flatMap((entry) => [...eagerModulesOf(entry)]));
var engineModules = new Set(
  [...eagerModulesOf(LAZY["check-entry"] ?? "")].filter((path) => ofEntries.has(path) && !Object.values(BUNDLED_PACKAGES).includes(path)).map((path) => resolve(path))
);
function uponEngine(extension) {
  const engine = resolve(ENGINE);
  return {
    name: "upon-engine",
    setup(build) {
      build.onLoad({ filter: /[\\/]engine\.ts$/ }, ({ path }) => {
        const lines = [...engineModules].map((module) => `export * from ${JSON.stringify(module)};`);
        return path === engine ? { contents: lines.join("\n"), loader: "ts" } : void 0;
      });
      build.onResolve({ filter: OWN_MODULE }, ({ path, importer, resolveDir }) => {
        const isEngines = importer === engine || engineModules.has(importer);
        return !isEngines && engineModules.has(resolve(resolveDir, path)) ? { path: `./engine.${extension}`, external: true } : void 0;
      });
    }
  };
}
var AT_FIRST_CALL = {
  "setup-sync-matchers": "src/matchers/sync-matchers.ts",
  serializer: "src/matchers/serializer/serializer.ts"
};
var FEW = 6;
function stubOf(name, source2, format) {
  const outputs = Object.values(factsOf(source2).outputs);
  const exported = outputs.find(({ entryPoint }) => entryPoint !== void 0)?.exports ?? [];
  const call = `("./${name}.cjs")`;
  return [
    ...format === "cjs" ? [] : ['import { createRequire } from "node:module";'],
    "let loaded;",
    `const load = () => (loaded ??= ${format === "cjs" ? `require${call}` : `createRequire(import.meta.url)${call}`});`,
    ...exported.length > FEW ? [
      "const later = { get: (_, name) => function (...args) { return load()[name].apply(this, args); } };",
      `export const { ${exported.join(", ")} } = new Proxy({}, later);`
    ] : exported.map((member) => `export function ${member}(...args) { return load().${member}.apply(this, args); }`)
  ].join("\n");
}
function requireLater(format, modules) {
  const names = new Map(Object.entries(modules).map(([name, source2]) => [resolve(source2), name]));
  const namespace = Object.keys(modules).join(" ");
  return {
    name: "require-later",
    setup(build) {
      build.onResolve({ filter: OWN_MODULE }, ({ path, importer, resolveDir }) => {
        const file = resolve(resolveDir, path);
        const isReplaced = names.has(file) && importer !== "" && importer !== resolve("src/serializer.ts");
        return isReplaced ? { path: file, namespace } : void 0;
      });
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => {
        const name = names.get(path) ?? "";
        return { contents: stubOf(name, path, format), loader: "js" };
      });
      build.onResolve(
        { filter: /^\.\/[\w-]+\.cjs$/ },
        ({ path }) => path.slice(2, -4) in modules ? { path, external: true } : void 0
      );
    }
  };
}
var requireAtFirstCall = requireLater("esm", AT_FIRST_CALL);
var requireMatchersAtFirstCall = requireLater("cjs", {
  "setup-sync-matchers": "src/matchers/sync-matchers.ts"
});
function requireBundled(format) {
  return requireLater(format, BUNDLED_PACKAGES);
}

// tsup.config.ts
var shared = {
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
    "@opentelemetry/api",
    "@huggingface/transformers",
    "fast-check",
    "pg",
    "pg-boss"
  ],
  removeNodeProtocol: false,
  dts: true
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
  "process"
];
var CONSTANT_GLOBALS = `const { ${INTRINSICS.join(", ")} } = globalThis;`;
var inTests = { ...shared, format: "esm", banner: { js: CONSTANT_GLOBALS } };
var source = (names) => names.map((name) => `src/${name}.ts`);
var PARTS = source(["commands", "kernel", "redaction"]);
var TEST_EXTRAS = [
  ...source(["ai-sdk-setup", "ai-sdk", "fetch", "llm", "mcp", "openai-agents", "properties"]),
  ...PARTS
];
var REQUIRED_EXTRAS = [
  ...source(["grounding-jest", "grounding", "llm", "mcp", "openai-agents", "properties"]),
  ...PARTS
];
var MAIN_ENTRIES = source([
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
  "store"
]);
var FETCH_SETUP = "src/fetch-setup.ts";
function compact({ chunk, names = false, dynamicImport = true }) {
  return (options) => {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
    options.minifyIdentifiers = !names;
    options.keepNames = false;
    options.chunkNames = `${chunk}-[hash]`;
    if (!dynamicImport) options.supported = { ...options.supported, "dynamic-import": false };
  };
}
var setupFile = (name) => `setup-${name}`;
var esmLazy = leaveOut((name) => `${setupFile(name)}.js`);
var cjsLazy = leaveOut((name) => `${name}.cjs`);
var esm = {
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
      FETCH_SETUP
    ]
  }
};
var setup = {
  ...inTests,
  name: "setup",
  splitting: false,
  dts: false,
  entry: {
    ...entriesOf([...source(["vitest", "vitest-plugin-set-up", "serializer"]), FETCH_SETUP]),
    "setup-install-vitest": INSTALLER,
    ...lazyEntries(false, setupFile)
  },
  esbuildPlugins: [requireAtFirstCall, esmLazy],
  esbuildOptions: compact({ chunk: "setup" })
};
var setupShared = {
  ...inTests,
  name: "setup-shared",
  splitting: true,
  dts: false,
  entry: lazyEntries(true, setupFile),
  esbuildPlugins: [uponEachOther, uponEngine("js"), esmLazy],
  esbuildOptions: compact({ chunk: "setup" })
};
var pagePlugin = {
  name: "page",
  setup(build) {
    build.onResolve({ filter: /\?(?:raw|page)$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?\w+$/, "")),
      namespace: path.endsWith("?raw") ? "raw" : "page"
    }));
    build.onLoad({ filter: /.*/, namespace: "raw" }, ({ path }) => ({
      contents: readFileSync2(path, "utf8"),
      loader: "text"
    }));
    build.onLoad({ filter: /.*/, namespace: "page" }, ({ path }) => ({ contents: bundlePage(path), loader: "text" }));
  }
};
var engineAbove = {
  name: "engine-above",
  renderChunk(code, { path }) {
    const above = relative("dist", path).includes(sep);
    return above ? { code: code.replaceAll(/"\.\/(engine\.js|event-stream\.cjs|pretty\.cjs)"/g, '"../$1"') } : void 0;
  }
};
var main = {
  ...inTests,
  name: "main",
  splitting: true,
  dts: false,
  entry: MAIN_ENTRIES,
  esbuildPlugins: [pagePlugin, uponEngine("js")],
  plugins: [engineAbove],
  esbuildOptions: compact({ chunk: "main" })
};
var mergeDriver = {
  ...shared,
  name: "merge-driver",
  format: "esm",
  splitting: false,
  dts: false,
  entry: source(["merge-driver"]),
  esbuildOptions: compact({ chunk: "merge-driver" })
};
var cjsBase = {
  ...shared,
  format: "cjs",
  splitting: false,
  // A directive must come first.
  banner: { js: `"use strict";
${CONSTANT_GLOBALS}` },
  esbuildPlugins: [cjsLazy],
  esbuildOptions: compact({ chunk: "chunk", names: true, dynamicImport: false })
};
var cjs = {
  ...cjsBase,
  name: "cjs",
  // The declarations of all that is required, for the same reason as above.
  dts: { entry: [...source(["index", "jest", "jest-setup", "serializer"]), ...REQUIRED_EXTRAS, FETCH_SETUP] },
  entry: { ...entriesOf(source(["index", "jest"])), engine: ENGINE },
  esbuildPlugins: [uponEngine("cjs"), cjsLazy]
};
var cjsPlain = {
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
      renderChunk: (code, { path }) => path.endsWith("jest-preset.cjs") ? { code: `${code}module.exports = module.exports.default;
` } : void 0
    }
  ]
};
var cjsSetup = {
  ...cjsBase,
  name: "cjs-setup",
  dts: false,
  entry: {
    ...entriesOf(["src/jest-setup.ts", FETCH_SETUP]),
    "setup-sync-matchers": "src/matchers/sync-matchers.ts",
    ...lazyEntries(false, (name) => name),
    ...BUNDLED_PACKAGES
  },
  esbuildPlugins: [requireMatchersAtFirstCall, cjsLazy],
  esbuildOptions: compact({ chunk: "setup", dynamicImport: false })
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
${CONSTANT_GLOBALS}`
    });
    return { code: required };
  }
};
var cjsShared = {
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
  plugins: [asCommonJs]
};
function entriesOf(paths) {
  return Object.fromEntries(paths.map((path) => [path.replace(/^src\/(.*)\.ts$/, "$1"), path]));
}
var packageFacts = {
  name: "package-facts",
  setup(build) {
    build.onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) => {
      const facts = JSON.parse(readFileSync2(path, "utf8"));
      const version = typeof facts === "object" && facts !== null ? Reflect.get(facts, "version") : void 0;
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  }
};
var config = [esm, setup, setupShared, main, mergeDriver, cjs, cjsPlain, cjsSetup, cjsShared].map(
  (options) => ({
    ...options,
    // `tsup --no-dts` is for what runs alone; the option of a build would win over it.
    dts: process.argv.includes("--no-dts") ? false : options.dts ?? false,
    esbuildPlugins: [
      packageFacts,
      ...options.esbuildPlugins ?? [],
      ...options === mergeDriver ? [] : [requireBundled(options.name?.startsWith("cjs") === true ? "cjs" : "esm")]
    ]
  })
);
var tsup_config_default = config;
export {
  tsup_config_default as default
};
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsidHN1cC5jb25maWcudHMiLCAic2NyaXB0cy9idW5kbGUtcGFnZS50cyIsICJzY3JpcHRzL2J1aWxkL2xhenktcGFydHMudHMiXSwKICAic291cmNlc0NvbnRlbnQiOiBbImNvbnN0IF9faW5qZWN0ZWRfZmlsZW5hbWVfXyA9IFwiL3RtcC93dC9zOC13MS90c3VwLmNvbmZpZy50c1wiO2NvbnN0IF9faW5qZWN0ZWRfZGlybmFtZV9fID0gXCIvdG1wL3d0L3M4LXcxXCI7Y29uc3QgX19pbmplY3RlZF9pbXBvcnRfbWV0YV91cmxfXyA9IFwiZmlsZTovLy90bXAvd3QvczgtdzEvdHN1cC5jb25maWcudHNcIjtpbXBvcnQgeyByZWFkRmlsZVN5bmMgfSBmcm9tIFwibm9kZTpmc1wiO1xuaW1wb3J0IHsgam9pbiwgcmVsYXRpdmUsIHNlcCB9IGZyb20gXCJub2RlOnBhdGhcIjtcbmltcG9ydCB7IHRyYW5zZm9ybSB9IGZyb20gXCJlc2J1aWxkXCI7XG5pbXBvcnQgdHlwZSB7IE9wdGlvbnMgfSBmcm9tIFwidHN1cFwiO1xuaW1wb3J0IHsgYnVuZGxlUGFnZSB9IGZyb20gXCIuL3NjcmlwdHMvYnVuZGxlLXBhZ2UudHNcIjtcbmltcG9ydCB7XG4gIEJVTkRMRURfUEFDS0FHRVMsXG4gIEVOR0lORSxcbiAgSU5TVEFMTEVSLFxuICBsYXp5RW50cmllcyxcbiAgbGVhdmVPdXQsXG4gIHJlcXVpcmVBdEZpcnN0Q2FsbCxcbiAgcmVxdWlyZUJ1bmRsZWQsXG4gIHJlcXVpcmVNYXRjaGVyc0F0Rmlyc3RDYWxsLFxuICB1cG9uRWFjaE90aGVyLFxuICB1cG9uRW5naW5lLFxufSBmcm9tIFwiLi9zY3JpcHRzL2J1aWxkL2xhenktcGFydHMudHNcIjtcblxuY29uc3Qgc2hhcmVkID0ge1xuICB0YXJnZXQ6IFwibm9kZTIyXCIsXG4gIHBsYXRmb3JtOiBcIm5vZGVcIixcbiAgb3V0RGlyOiBcImRpc3RcIixcbiAgZXh0ZXJuYWw6IFtcbiAgICBcInZpdGVzdFwiLFxuICAgIFwidml0ZVwiLFxuICAgIFwiamVzdFwiLFxuICAgIC8vIEJ1bmRsZWQ6IHdoYXQgY29tcGFyZXMgdGV4dHMsIGFuZCB3aGF0IGplc3QtZGlmZiBhbmQgcHJldHR5LWZvcm1hdCBicmluZyB3aXRoIHRoZW0uXG4gICAgL15AamVzdFxcLyg/IWRpZmYtc2VxdWVuY2VzfGdldC10eXBlfHJlYWN0LWlzKS8sXG4gICAgXCJ6b2RcIixcbiAgICBcInVucGRmXCIsXG4gICAgXCJAb3BlbnRlbGVtZXRyeS9hcGlcIixcbiAgICBcIkBodWdnaW5nZmFjZS90cmFuc2Zvcm1lcnNcIixcbiAgICBcImZhc3QtY2hlY2tcIixcbiAgICBcInBnXCIsXG4gICAgXCJwZy1ib3NzXCIsXG4gIF0sXG4gIHJlbW92ZU5vZGVQcm90b2NvbDogZmFsc2UsXG4gIGR0czogdHJ1ZSxcbn0gc2F0aXNmaWVzIE9wdGlvbnM7XG5cbi8qKlxuICogR2xvYmFscyB0aGF0IGNvZGUgb2YgZXZlcnkga2luZCBsb29rcyB1cCBtb3N0IG9mdGVuLCBhbmQgbm8gdGVzdCByZXBsYWNlczsgdGhvc2UgdGhhdCBmYWtlIGNsb2NrcyBhbmQgcHVyaXR5IGNoZWNrc1xuICogcmVwbGFjZSBhcmUgbGVmdCBvdXQuXG4gKi9cbmNvbnN0IElOVFJJTlNJQ1MgPSBbXG4gIFwiQXJyYXlcIixcbiAgXCJKU09OXCIsXG4gIFwiTWFwXCIsXG4gIFwiTWF0aFwiLFxuICBcIk51bWJlclwiLFxuICBcIk9iamVjdFwiLFxuICBcIlByb21pc2VcIixcbiAgXCJSZWZsZWN0XCIsXG4gIFwiU2V0XCIsXG4gIFwiU3RyaW5nXCIsXG4gIFwiU3ltYm9sXCIsXG4gIFwiV2Vha01hcFwiLFxuICBcInByb2Nlc3NcIixcbl07XG5cbi8qKlxuICogSmVzdCBydW5zIHRlc3QgZmlsZXMgYW5kIGFsbCB0aGF0IHRoZXkgbG9hZCBpbiBhIHZtIGNvbnRleHQsIGFuZCBzbyBkbyBWaXRlc3QncyB2bSBwb29scy4gRWFjaCBhY2Nlc3MgdG8gYSBnbG9iYWxcbiAqIGNhbGxzIHRoZSBjb250ZXh0J3Mgc2FuZGJveCB0aGVyZTogMC40IFx1MDBCNXMgaW5zdGVhZCBvZiBhbG1vc3Qgbm8gdGltZS4gQ29uc3RhbnRzIG9mIHRoZSBmaWxlIGF2b2lkIHRoYXQ6IGEgdGhpcmQgb2YgYVxuICogcGFzc2luZyBjaGVjayB1bmRlciBKZXN0LCBhIHF1YXJ0ZXIgaW4gYSB2bSBwb29sLlxuICovXG5jb25zdCBDT05TVEFOVF9HTE9CQUxTID0gYGNvbnN0IHsgJHtJTlRSSU5TSUNTLmpvaW4oXCIsIFwiKX0gfSA9IGdsb2JhbFRoaXM7YDtcblxuLyoqIE1vZHVsZXMgdGhhdCB0ZXN0cyBsb2FkLiAqL1xuY29uc3QgaW5UZXN0cyA9IHsgLi4uc2hhcmVkLCBmb3JtYXQ6IFwiZXNtXCIsIGJhbm5lcjogeyBqczogQ09OU1RBTlRfR0xPQkFMUyB9IH0gc2F0aXNmaWVzIE9wdGlvbnM7XG5cbmNvbnN0IHNvdXJjZSA9IChuYW1lczogcmVhZG9ubHkgc3RyaW5nW10pOiBzdHJpbmdbXSA9PiBuYW1lcy5tYXAoKG5hbWUpID0+IGBzcmMvJHtuYW1lfS50c2ApO1xuXG4vKiogRW50cmllcyBvZiB0aGUgY29yZSB0aGF0IHNvbWUgdGVzdHMgaW1wb3J0LiAqL1xuY29uc3QgUEFSVFMgPSBzb3VyY2UoW1wiY29tbWFuZHNcIiwgXCJrZXJuZWxcIiwgXCJyZWRhY3Rpb25cIl0pO1xuLyoqIEV4dHJhcyBvZiB0ZXN0cywgZWFjaCBsb2FkZWQgYnkgdGhvc2Ugd2hvIHVzZSBpdC4gKi9cbmNvbnN0IFRFU1RfRVhUUkFTID0gW1xuICAuLi5zb3VyY2UoW1wiYWktc2RrLXNldHVwXCIsIFwiYWktc2RrXCIsIFwiZmV0Y2hcIiwgXCJsbG1cIiwgXCJtY3BcIiwgXCJvcGVuYWktYWdlbnRzXCIsIFwicHJvcGVydGllc1wiXSksXG4gIC4uLlBBUlRTLFxuXTtcbi8qKiBFeHRyYXMgdGhhdCBKZXN0IHJlcXVpcmVzLCB0b28uICovXG5jb25zdCBSRVFVSVJFRF9FWFRSQVMgPSBbXG4gIC4uLnNvdXJjZShbXCJncm91bmRpbmctamVzdFwiLCBcImdyb3VuZGluZ1wiLCBcImxsbVwiLCBcIm1jcFwiLCBcIm9wZW5haS1hZ2VudHNcIiwgXCJwcm9wZXJ0aWVzXCJdKSxcbiAgLi4uUEFSVFMsXG5dO1xuLyoqIEVudHJpZXMgdGhhdCBydW4gb25jZSwgb3V0c2lkZSBvZiB0aGUgd29ya2VycywgYW5kIHRoZSBleHRyYXMgdGhhdCBhcmUgcGFydCBvZiB0aGUgY29tbWFuZCBsaW5lLiAqL1xuY29uc3QgTUFJTl9FTlRSSUVTID0gc291cmNlKFtcbiAgXCJjbGlcIixcbiAgXCJwbHVnaW5cIixcbiAgXCJyZXBvcnRlci9qZXN0XCIsXG4gIFwicmVwb3J0ZXIvdml0ZXN0XCIsXG4gIFwiZ3JvdW5kaW5nLWplc3RcIixcbiAgXCJncm91bmRpbmctdml0ZXN0XCIsXG4gIFwiZ3JvdW5kaW5nXCIsXG4gIFwiZ3JvdW5kaW5nLXByb3BlcnRpZXNcIixcbiAgXCJxdWV1ZS1wZy1ib3NzXCIsXG4gIFwicnVubmVyXCIsXG4gIFwic3RvcmUtY29udHJhY3RcIixcbiAgXCJzdG9yZS1wb3N0Z3Jlc1wiLFxuICBcInN0b3JlLXNxbGl0ZVwiLFxuICBcInN0b3JlXCIsXG5dKTtcbi8qKiBBIHNldC11cCBmaWxlIHdpdGhvdXQgdGhlIGVuZ2luZSwgZm9yIGV2ZXJ5IHRlc3QgZmlsZSBvZiB0aG9zZSB3aG8gbGlzdCBpdC4gKi9cbmNvbnN0IEZFVENIX1NFVFVQID0gXCJzcmMvZmV0Y2gtc2V0dXAudHNcIjtcblxudHlwZSBFc2J1aWxkT3B0aW9ucyA9IE5vbk51bGxhYmxlPE9wdGlvbnNbXCJlc2J1aWxkT3B0aW9uc1wiXT47XG5cbi8qKiBTbWFsbGVyIGZpbGVzLiBgY2h1bmtgIG5hbWVzIHRoZSBzcGxpdC1vZmYgZmlsZXMsIHNvIHRoYXQgZWFjaCBzaXplIGJ1ZGdldCBjb3VudHMgaXRzIG93bi4gKi9cbmZ1bmN0aW9uIGNvbXBhY3QoeyBjaHVuaywgbmFtZXMgPSBmYWxzZSwgZHluYW1pY0ltcG9ydCA9IHRydWUgfTogQ29tcGFjdE9wdGlvbnMpOiBFc2J1aWxkT3B0aW9ucyB7XG4gIHJldHVybiAob3B0aW9ucykgPT4ge1xuICAgIG9wdGlvbnMubWluaWZ5V2hpdGVzcGFjZSA9IHRydWU7XG4gICAgb3B0aW9ucy5taW5pZnlTeW50YXggPSB0cnVlO1xuICAgIG9wdGlvbnMubWluaWZ5SWRlbnRpZmllcnMgPSAhbmFtZXM7XG4gICAgb3B0aW9ucy5rZWVwTmFtZXMgPSBmYWxzZTtcbiAgICBvcHRpb25zLmNodW5rTmFtZXMgPSBgJHtjaHVua30tW2hhc2hdYDtcbiAgICAvLyBKZXN0IHJ1bnMgQ29tbW9uSlMgaW4gYSB2bSB0aGF0IGhhcyBubyBgaW1wb3J0KClgOiB0aGVyZSBpdCBtdXN0IGJlY29tZSBhIGByZXF1aXJlYCBhdCBmaXJzdCB1c2UuXG4gICAgaWYgKCFkeW5hbWljSW1wb3J0KSBvcHRpb25zLnN1cHBvcnRlZCA9IHsgLi4ub3B0aW9ucy5zdXBwb3J0ZWQsIFwiZHluYW1pYy1pbXBvcnRcIjogZmFsc2UgfTtcbiAgfTtcbn1cblxuaW50ZXJmYWNlIENvbXBhY3RPcHRpb25zIHtcbiAgcmVhZG9ubHkgY2h1bms6IHN0cmluZztcbiAgLyoqIEtlZXBzIG5hbWVzOiB3aGF0IHBlb3BsZSBjYWxsIHN0YXlzIHJlYWRhYmxlIGluIHN0YWNrIHRyYWNlcywgYW5kIHRvb2xzIHJlYWQgd2hhdCBhIENvbW1vbkpTIGZpbGUgZXhwb3J0cy4gKi9cbiAgcmVhZG9ubHkgbmFtZXM/OiBib29sZWFuO1xuICByZWFkb25seSBkeW5hbWljSW1wb3J0PzogYm9vbGVhbjtcbn1cblxuY29uc3Qgc2V0dXBGaWxlID0gKG5hbWU6IHN0cmluZyk6IHN0cmluZyA9PiBgc2V0dXAtJHtuYW1lfWA7XG5jb25zdCBlc21MYXp5ID0gbGVhdmVPdXQoKG5hbWUpID0+IGAke3NldHVwRmlsZShuYW1lKX0uanNgKTtcbmNvbnN0IGNqc0xhenkgPSBsZWF2ZU91dCgobmFtZSkgPT4gYCR7bmFtZX0uY2pzYCk7XG5cbi8qKiBGaWxlcyB0aGF0IGBpbXBvcnRgIGdldHMgaW4gYSB3b3JrZXIsIGFuZCB0aGUgZW5naW5lIHRoYXQgaXQgc2hhcmVzIHdpdGggdGhlIGZpcnN0IGNoZWNrLiAqL1xuY29uc3QgZXNtOiBPcHRpb25zID0ge1xuICAuLi5pblRlc3RzLFxuICBuYW1lOiBcImVzbVwiLFxuICBzcGxpdHRpbmc6IHRydWUsXG4gIGVudHJ5OiB7IC4uLmVudHJpZXNPZihbXCJzcmMvaW5kZXgudHNcIiwgXCJzcmMvamVzdC50c1wiLCAuLi5URVNUX0VYVFJBU10pLCBlbmdpbmU6IEVOR0lORSB9LFxuICBlc2J1aWxkUGx1Z2luczogW3Vwb25FbmdpbmUoXCJqc1wiKSwgZXNtTGF6eV0sXG4gIGVzYnVpbGRPcHRpb25zOiBjb21wYWN0KHsgY2h1bms6IFwiY2h1bmtcIiwgbmFtZXM6IHRydWUgfSksXG4gIC8vIFRoZSBkZWNsYXJhdGlvbnMgb2YgYWxsIGVudHJpZXM6IHR5cGVzIGRlY2xhcmVkIHR3aWNlIHdvdWxkIG5vdCBmaXQgZWFjaCBvdGhlci5cbiAgZHRzOiB7XG4gICAgZW50cnk6IFtcbiAgICAgIC4uLnNvdXJjZShbXCJpbmRleFwiLCBcImplc3RcIiwgXCJzZXJpYWxpemVyXCIsIFwidml0ZXN0XCJdKSxcbiAgICAgIC4uLk1BSU5fRU5UUklFUy5maWx0ZXIoKHBhdGgpID0+ICFwYXRoLmVuZHNXaXRoKFwiL2NsaS50c1wiKSksXG4gICAgICAuLi5URVNUX0VYVFJBUyxcbiAgICAgIEZFVENIX1NFVFVQLFxuICAgIF0sXG4gIH0sXG59O1xuXG4vKipcbiAqIEZpbGVzIHRoYXQgcnVubmVycyBsb2FkIGZvciBldmVyeSB0ZXN0IGZpbGUsIHdpdGhvdXQgc3BsaXR0aW5nOiBldmVyeSBmdXJ0aGVyIGZpbGUgY29zdCBhIHJlcXVlc3QgdG8gdGhlIG1haW5cbiAqIHByb2Nlc3MuIExhenkgbW9kdWxlcyB0aGF0IHNoYXJlIG5vIGNvZGUgYXJlIGhlcmUsIHRvbzogYW4gdW5jaGFuZ2VkIHZhbHVlIGlzIGFuc3dlcmVkIGluIDYgbXMgd2l0aG91dCB0aGUgZW5naW5lLCBpblxuICogMTggd2l0aC5cbiAqL1xuY29uc3Qgc2V0dXA6IE9wdGlvbnMgPSB7XG4gIC4uLmluVGVzdHMsXG4gIG5hbWU6IFwic2V0dXBcIixcbiAgc3BsaXR0aW5nOiBmYWxzZSxcbiAgZHRzOiBmYWxzZSxcbiAgZW50cnk6IHtcbiAgICAuLi5lbnRyaWVzT2YoWy4uLnNvdXJjZShbXCJ2aXRlc3RcIiwgXCJ2aXRlc3QtcGx1Z2luLXNldC11cFwiLCBcInNlcmlhbGl6ZXJcIl0pLCBGRVRDSF9TRVRVUF0pLFxuICAgIFwic2V0dXAtaW5zdGFsbC12aXRlc3RcIjogSU5TVEFMTEVSLFxuICAgIC4uLmxhenlFbnRyaWVzKGZhbHNlLCBzZXR1cEZpbGUpLFxuICB9LFxuICBlc2J1aWxkUGx1Z2luczogW3JlcXVpcmVBdEZpcnN0Q2FsbCwgZXNtTGF6eV0sXG4gIGVzYnVpbGRPcHRpb25zOiBjb21wYWN0KHsgY2h1bms6IFwic2V0dXBcIiB9KSxcbn07XG5cbi8qKiBUaGUgbGF6eSBtb2R1bGVzIHRoYXQgc2hhcmUgY29kZS4gKi9cbmNvbnN0IHNldHVwU2hhcmVkOiBPcHRpb25zID0ge1xuICAuLi5pblRlc3RzLFxuICBuYW1lOiBcInNldHVwLXNoYXJlZFwiLFxuICBzcGxpdHRpbmc6IHRydWUsXG4gIGR0czogZmFsc2UsXG4gIGVudHJ5OiBsYXp5RW50cmllcyh0cnVlLCBzZXR1cEZpbGUpLFxuICBlc2J1aWxkUGx1Z2luczogW3Vwb25FYWNoT3RoZXIsIHVwb25FbmdpbmUoXCJqc1wiKSwgZXNtTGF6eV0sXG4gIGVzYnVpbGRPcHRpb25zOiBjb21wYWN0KHsgY2h1bms6IFwic2V0dXBcIiB9KSxcbn07XG5cbi8qKlxuICogU291cmNlcyBvZiBhIHJlcG9ydCdzIHBhZ2U6IGBpbXBvcnQgdGV4dCBmcm9tIFwiLi9wYWdlLmNzcz9yYXdcImAgaXMgdGhlIGZpbGUncyB0ZXh0LCBhcyBpbiBWaXRlLCBhbmQgYGltcG9ydCBzY3JpcHRcbiAqIGZyb20gXCIuL21haW4udHM/cGFnZVwiYCB0aGUgbW9kdWxlIGFuZCBhbGwgdGhhdCBpdCBpbXBvcnRzIGFzIG9uZSBzY3JpcHQuXG4gKi9cbmNvbnN0IHBhZ2VQbHVnaW46IE5vbk51bGxhYmxlPE9wdGlvbnNbXCJlc2J1aWxkUGx1Z2luc1wiXT5bbnVtYmVyXSA9IHtcbiAgbmFtZTogXCJwYWdlXCIsXG4gIHNldHVwKGJ1aWxkKSB7XG4gICAgYnVpbGQub25SZXNvbHZlKHsgZmlsdGVyOiAvXFw/KD86cmF3fHBhZ2UpJC8gfSwgKHsgcGF0aCwgcmVzb2x2ZURpciB9KSA9PiAoe1xuICAgICAgcGF0aDogam9pbihyZXNvbHZlRGlyLCBwYXRoLnJlcGxhY2UoL1xcP1xcdyskLywgXCJcIikpLFxuICAgICAgbmFtZXNwYWNlOiBwYXRoLmVuZHNXaXRoKFwiP3Jhd1wiKSA/IFwicmF3XCIgOiBcInBhZ2VcIixcbiAgICB9KSk7XG4gICAgYnVpbGQub25Mb2FkKHsgZmlsdGVyOiAvLiovLCBuYW1lc3BhY2U6IFwicmF3XCIgfSwgKHsgcGF0aCB9KSA9PiAoe1xuICAgICAgY29udGVudHM6IHJlYWRGaWxlU3luYyhwYXRoLCBcInV0ZjhcIiksXG4gICAgICBsb2FkZXI6IFwidGV4dFwiLFxuICAgIH0pKTtcbiAgICBidWlsZC5vbkxvYWQoeyBmaWx0ZXI6IC8uKi8sIG5hbWVzcGFjZTogXCJwYWdlXCIgfSwgKHsgcGF0aCB9KSA9PiAoeyBjb250ZW50czogYnVuZGxlUGFnZShwYXRoKSwgbG9hZGVyOiBcInRleHRcIiB9KSk7XG4gIH0sXG59O1xuXG4vKiogQW4gZW50cnkgaW4gYSBmb2xkZXIgb2YgZGlzdCBmaW5kcyB0aGUgZmlsZXMgdGhhdCBidWlsZHMgc2hhcmUgYSBmb2xkZXIgYWJvdmUuICovXG5jb25zdCBlbmdpbmVBYm92ZTogTm9uTnVsbGFibGU8T3B0aW9uc1tcInBsdWdpbnNcIl0+W251bWJlcl0gPSB7XG4gIG5hbWU6IFwiZW5naW5lLWFib3ZlXCIsXG4gIHJlbmRlckNodW5rKGNvZGUsIHsgcGF0aCB9KSB7XG4gICAgY29uc3QgYWJvdmUgPSByZWxhdGl2ZShcImRpc3RcIiwgcGF0aCkuaW5jbHVkZXMoc2VwKTtcbiAgICByZXR1cm4gYWJvdmVcbiAgICAgID8geyBjb2RlOiBjb2RlLnJlcGxhY2VBbGwoL1wiXFwuXFwvKGVuZ2luZVxcLmpzfGV2ZW50LXN0cmVhbVxcLmNqc3xwcmV0dHlcXC5janMpXCIvZywgJ1wiLi4vJDFcIicpIH1cbiAgICAgIDogdW5kZWZpbmVkO1xuICB9LFxufTtcblxuLyoqIFRoZSBtYWluIHByb2Nlc3MncyBwYXJ0LCB3aGljaCByZXBvcnRlcnMsIHRoZSBjb21tYW5kIGxpbmUgYW5kIGV4dHJhcyBzaGFyZSwgdXBvbiB0aGUgZW5naW5lLiAqL1xuY29uc3QgbWFpbjogT3B0aW9ucyA9IHtcbiAgLi4uaW5UZXN0cyxcbiAgbmFtZTogXCJtYWluXCIsXG4gIHNwbGl0dGluZzogdHJ1ZSxcbiAgZHRzOiBmYWxzZSxcbiAgZW50cnk6IE1BSU5fRU5UUklFUyxcbiAgZXNidWlsZFBsdWdpbnM6IFtwYWdlUGx1Z2luLCB1cG9uRW5naW5lKFwianNcIildLFxuICBwbHVnaW5zOiBbZW5naW5lQWJvdmVdLFxuICBlc2J1aWxkT3B0aW9uczogY29tcGFjdCh7IGNodW5rOiBcIm1haW5cIiB9KSxcbn07XG5cbi8qKiBQcm9ncmFtIHRoYXQgZ2l0IHJ1bnMgdG8gbWVyZ2UgYSBiYXNlbGluZTogb25lIGZpbGUgd2l0aG91dCBpbXBvcnRzLCBiZWNhdXNlIGdpdCBnZXRzIGEgY29weSBvZiBpdC4gKi9cbmNvbnN0IG1lcmdlRHJpdmVyOiBPcHRpb25zID0ge1xuICAuLi5zaGFyZWQsXG4gIG5hbWU6IFwibWVyZ2UtZHJpdmVyXCIsXG4gIGZvcm1hdDogXCJlc21cIixcbiAgc3BsaXR0aW5nOiBmYWxzZSxcbiAgZHRzOiBmYWxzZSxcbiAgZW50cnk6IHNvdXJjZShbXCJtZXJnZS1kcml2ZXJcIl0pLFxuICBlc2J1aWxkT3B0aW9uczogY29tcGFjdCh7IGNodW5rOiBcIm1lcmdlLWRyaXZlclwiIH0pLFxufTtcblxuLyoqIEZpbGVzIHRoYXQgYHJlcXVpcmVgIGdldHMsIHdoaWNoIGlzIGhvdyBKZXN0IGxvYWRzIG1vc3Qgb2YgaXQuIEl0cyBsYXp5IG1vZHVsZXMgYXJlIHNlcGFyYXRlIGZpbGVzLiAqL1xuY29uc3QgY2pzQmFzZSA9IHtcbiAgLi4uc2hhcmVkLFxuICBmb3JtYXQ6IFwiY2pzXCIsXG4gIHNwbGl0dGluZzogZmFsc2UsXG4gIC8vIEEgZGlyZWN0aXZlIG11c3QgY29tZSBmaXJzdC5cbiAgYmFubmVyOiB7IGpzOiBgXCJ1c2Ugc3RyaWN0XCI7XFxuJHtDT05TVEFOVF9HTE9CQUxTfWAgfSxcbiAgZXNidWlsZFBsdWdpbnM6IFtjanNMYXp5XSxcbiAgZXNidWlsZE9wdGlvbnM6IGNvbXBhY3QoeyBjaHVuazogXCJjaHVua1wiLCBuYW1lczogdHJ1ZSwgZHluYW1pY0ltcG9ydDogZmFsc2UgfSksXG59IHNhdGlzZmllcyBPcHRpb25zO1xuXG5jb25zdCBjanM6IE9wdGlvbnMgPSB7XG4gIC4uLmNqc0Jhc2UsXG4gIG5hbWU6IFwiY2pzXCIsXG4gIC8vIFRoZSBkZWNsYXJhdGlvbnMgb2YgYWxsIHRoYXQgaXMgcmVxdWlyZWQsIGZvciB0aGUgc2FtZSByZWFzb24gYXMgYWJvdmUuXG4gIGR0czogeyBlbnRyeTogWy4uLnNvdXJjZShbXCJpbmRleFwiLCBcImplc3RcIiwgXCJqZXN0LXNldHVwXCIsIFwic2VyaWFsaXplclwiXSksIC4uLlJFUVVJUkVEX0VYVFJBUywgRkVUQ0hfU0VUVVBdIH0sXG4gIGVudHJ5OiB7IC4uLmVudHJpZXNPZihzb3VyY2UoW1wiaW5kZXhcIiwgXCJqZXN0XCJdKSksIGVuZ2luZTogRU5HSU5FIH0sXG4gIGVzYnVpbGRQbHVnaW5zOiBbdXBvbkVuZ2luZShcImNqc1wiKSwgY2pzTGF6eV0sXG59O1xuXG4vKiogU21hbGwgZmlsZXMgd2l0aCBhIGRlZmF1bHQgZXhwb3J0LCB3aGljaCB0b29scyBvbmx5IGZpbmQgaWYgdGhleSBhcmUgbm90IGNvbXBhY3RlZC4gKi9cbmNvbnN0IGNqc1BsYWluOiBPcHRpb25zID0ge1xuICAuLi5janNCYXNlLFxuICBuYW1lOiBcImNqcy1wbGFpblwiLFxuICBkdHM6IHsgZW50cnk6IHNvdXJjZShbXCJqZXN0LXByZXNldFwiXSkgfSxcbiAgZW50cnk6IHNvdXJjZShbXCJzZXJpYWxpemVyXCIsIFwiamVzdC1wcmVzZXRcIl0pLFxuICBlc2J1aWxkT3B0aW9uczogKG9wdGlvbnMpID0+IHtcbiAgICBvcHRpb25zLm1pbmlmeVN5bnRheCA9IHRydWU7XG4gICAgb3B0aW9ucy5zdXBwb3J0ZWQgPSB7IC4uLm9wdGlvbnMuc3VwcG9ydGVkLCBcImR5bmFtaWMtaW1wb3J0XCI6IGZhbHNlIH07XG4gIH0sXG4gIHBsdWdpbnM6IFtcbiAgICB7XG4gICAgICBuYW1lOiBcInByZXNldC1pcy1pdHMtZGVmYXVsdFwiLFxuICAgICAgLy8gSmVzdCByZWFkcyBhIHByZXNldCBmcm9tIGBtb2R1bGUuZXhwb3J0c2AgaXRzZWxmLlxuICAgICAgcmVuZGVyQ2h1bms6IChjb2RlLCB7IHBhdGggfSkgPT5cbiAgICAgICAgcGF0aC5lbmRzV2l0aChcImplc3QtcHJlc2V0LmNqc1wiKSA/IHsgY29kZTogYCR7Y29kZX1tb2R1bGUuZXhwb3J0cyA9IG1vZHVsZS5leHBvcnRzLmRlZmF1bHQ7XFxuYCB9IDogdW5kZWZpbmVkLFxuICAgIH0sXG4gIF0sXG59O1xuXG4vKiogRmlsZXMgd2l0aG91dCBleHBvcnRzIHRoYXQgb3RoZXJzIHJlYWQ6IEplc3QncyBzZXQtdXAgZmlsZSwgYW5kIHNlcGFyYXRlIGxhenkgbW9kdWxlcy4gKi9cbmNvbnN0IGNqc1NldHVwOiBPcHRpb25zID0ge1xuICAuLi5janNCYXNlLFxuICBuYW1lOiBcImNqcy1zZXR1cFwiLFxuICBkdHM6IGZhbHNlLFxuICBlbnRyeToge1xuICAgIC4uLmVudHJpZXNPZihbXCJzcmMvamVzdC1zZXR1cC50c1wiLCBGRVRDSF9TRVRVUF0pLFxuICAgIFwic2V0dXAtc3luYy1tYXRjaGVyc1wiOiBcInNyYy9tYXRjaGVycy9zeW5jLW1hdGNoZXJzLnRzXCIsXG4gICAgLi4ubGF6eUVudHJpZXMoZmFsc2UsIChuYW1lKSA9PiBuYW1lKSxcbiAgICAuLi5CVU5ETEVEX1BBQ0tBR0VTLFxuICB9LFxuICBlc2J1aWxkUGx1Z2luczogW3JlcXVpcmVNYXRjaGVyc0F0Rmlyc3RDYWxsLCBjanNMYXp5XSxcbiAgZXNidWlsZE9wdGlvbnM6IGNvbXBhY3QoeyBjaHVuazogXCJzZXR1cFwiLCBkeW5hbWljSW1wb3J0OiBmYWxzZSB9KSxcbn07XG5cbi8qKiBUaGUgZmlsZXMgdGhhdCBlc2J1aWxkIHNwbGl0cyBhcmUgRVNNOiBlYWNoIG9uZSBpcyB0aGVuIGNvbnZlcnRlZCB0byBDb21tb25KUyBzZXBhcmF0ZWx5LCB3aXRoIGl0cyBleHBvcnRzLiAqL1xuY29uc3QgYXNDb21tb25KczogTm9uTnVsbGFibGU8T3B0aW9uc1tcInBsdWdpbnNcIl0+W251bWJlcl0gPSB7XG4gIG5hbWU6IFwiYXMtY29tbW9uanNcIixcbiAgYXN5bmMgcmVuZGVyQ2h1bmsoY29kZSkge1xuICAgIGNvbnN0IHsgY29kZTogcmVxdWlyZWQgfSA9IGF3YWl0IHRyYW5zZm9ybShjb2RlLCB7XG4gICAgICBmb3JtYXQ6IFwiY2pzXCIsXG4gICAgICBwbGF0Zm9ybTogXCJub2RlXCIsXG4gICAgICB0YXJnZXQ6IFwibm9kZTIyXCIsXG4gICAgICBtaW5pZnlXaGl0ZXNwYWNlOiB0cnVlLFxuICAgICAgYmFubmVyOiBgXCJ1c2Ugc3RyaWN0XCI7XFxuJHtDT05TVEFOVF9HTE9CQUxTfWAsXG4gICAgfSk7XG4gICAgcmV0dXJuIHsgY29kZTogcmVxdWlyZWQgfTtcbiAgfSxcbn07XG5cbi8qKiBUaGUgbGF6eSBtb2R1bGVzIHRoYXQgc2hhcmUgY29kZSwgYW5kIHRoZSBleHRyYXMgdGhhdCBKZXN0IHJlcXVpcmVzLiAqL1xuY29uc3QgY2pzU2hhcmVkOiBPcHRpb25zID0ge1xuICAuLi5janNCYXNlLFxuICBuYW1lOiBcImNqcy1zaGFyZWRcIixcbiAgZm9ybWF0OiBcImVzbVwiLFxuICBzcGxpdHRpbmc6IHRydWUsXG4gIG91dEV4dGVuc2lvbjogKCkgPT4gKHsganM6IFwiLmNqc1wiIH0pLFxuICBiYW5uZXI6IHt9LFxuICBkdHM6IGZhbHNlLFxuICBlbnRyeTogeyAuLi5lbnRyaWVzT2YoUkVRVUlSRURfRVhUUkFTKSwgLi4ubGF6eUVudHJpZXModHJ1ZSwgKG5hbWUpID0+IG5hbWUpIH0sXG4gIGVzYnVpbGRQbHVnaW5zOiBbdXBvbkVhY2hPdGhlciwgdXBvbkVuZ2luZShcImNqc1wiKSwgY2pzTGF6eV0sXG4gIGVzYnVpbGRPcHRpb25zOiBjb21wYWN0KHsgY2h1bms6IFwic2hhcmVkXCIsIGR5bmFtaWNJbXBvcnQ6IGZhbHNlIH0pLFxuICBwbHVnaW5zOiBbYXNDb21tb25Kc10sXG59O1xuXG4vKiogRW50cmllcyBieSB0aGVpciBuYW1lcyBpbiBkaXN0LiAqL1xuZnVuY3Rpb24gZW50cmllc09mKHBhdGhzOiByZWFkb25seSBzdHJpbmdbXSk6IFJlY29yZDxzdHJpbmcsIHN0cmluZz4ge1xuICByZXR1cm4gT2JqZWN0LmZyb21FbnRyaWVzKHBhdGhzLm1hcCgocGF0aCkgPT4gW3BhdGgucmVwbGFjZSgvXnNyY1xcLyguKilcXC50cyQvLCBcIiQxXCIpLCBwYXRoXSkpO1xufVxuXG4vKiogT25seSB0aGUgdXNlZCBmaWVsZHMgb2YgcGFja2FnZS5qc29uOiB0aGUgY29tcGxldGUgZmlsZSB3YXMgaW4gZml2ZSBmaWxlcywgd2l0aCBldmVyeSBkZXZlbG9wbWVudCBkZXBlbmRlbmN5LiAqL1xuY29uc3QgcGFja2FnZUZhY3RzOiBOb25OdWxsYWJsZTxPcHRpb25zW1wiZXNidWlsZFBsdWdpbnNcIl0+W251bWJlcl0gPSB7XG4gIG5hbWU6IFwicGFja2FnZS1mYWN0c1wiLFxuICBzZXR1cChidWlsZCkge1xuICAgIGJ1aWxkLm9uTG9hZCh7IGZpbHRlcjogL1tcXFxcL11wYWNrYWdlXFwuanNvbiQvIH0sICh7IHBhdGggfSkgPT4ge1xuICAgICAgY29uc3QgZmFjdHM6IHVua25vd24gPSBKU09OLnBhcnNlKHJlYWRGaWxlU3luYyhwYXRoLCBcInV0ZjhcIikpO1xuICAgICAgY29uc3QgdmVyc2lvbjogdW5rbm93biA9IHR5cGVvZiBmYWN0cyA9PT0gXCJvYmplY3RcIiAmJiBmYWN0cyAhPT0gbnVsbCA/IFJlZmxlY3QuZ2V0KGZhY3RzLCBcInZlcnNpb25cIikgOiB1bmRlZmluZWQ7XG4gICAgICByZXR1cm4geyBjb250ZW50czogSlNPTi5zdHJpbmdpZnkoeyB2ZXJzaW9uIH0pLCBsb2FkZXI6IFwianNvblwiIH07XG4gICAgfSk7XG4gIH0sXG59O1xuXG5jb25zdCBjb25maWc6IE9wdGlvbnNbXSA9IFtlc20sIHNldHVwLCBzZXR1cFNoYXJlZCwgbWFpbiwgbWVyZ2VEcml2ZXIsIGNqcywgY2pzUGxhaW4sIGNqc1NldHVwLCBjanNTaGFyZWRdLm1hcChcbiAgKG9wdGlvbnMpID0+ICh7XG4gICAgLi4ub3B0aW9ucyxcbiAgICAvLyBgdHN1cCAtLW5vLWR0c2AgaXMgZm9yIHdoYXQgcnVucyBhbG9uZTsgdGhlIG9wdGlvbiBvZiBhIGJ1aWxkIHdvdWxkIHdpbiBvdmVyIGl0LlxuICAgIGR0czogcHJvY2Vzcy5hcmd2LmluY2x1ZGVzKFwiLS1uby1kdHNcIikgPyBmYWxzZSA6IChvcHRpb25zLmR0cyA/PyBmYWxzZSksXG4gICAgZXNidWlsZFBsdWdpbnM6IFtcbiAgICAgIHBhY2thZ2VGYWN0cyxcbiAgICAgIC4uLihvcHRpb25zLmVzYnVpbGRQbHVnaW5zID8/IFtdKSxcbiAgICAgIC4uLihvcHRpb25zID09PSBtZXJnZURyaXZlciA/IFtdIDogW3JlcXVpcmVCdW5kbGVkKG9wdGlvbnMubmFtZT8uc3RhcnRzV2l0aChcImNqc1wiKSA9PT0gdHJ1ZSA/IFwiY2pzXCIgOiBcImVzbVwiKV0pLFxuICAgIF0sXG4gIH0pLFxuKTtcbmV4cG9ydCBkZWZhdWx0IGNvbmZpZztcbiIsICJjb25zdCBfX2luamVjdGVkX2ZpbGVuYW1lX18gPSBcIi90bXAvd3QvczgtdzEvc2NyaXB0cy9idW5kbGUtcGFnZS50c1wiO2NvbnN0IF9faW5qZWN0ZWRfZGlybmFtZV9fID0gXCIvdG1wL3d0L3M4LXcxL3NjcmlwdHNcIjtjb25zdCBfX2luamVjdGVkX2ltcG9ydF9tZXRhX3VybF9fID0gXCJmaWxlOi8vL3RtcC93dC9zOC13MS9zY3JpcHRzL2J1bmRsZS1wYWdlLnRzXCI7aW1wb3J0IHsgYnVpbGRTeW5jIH0gZnJvbSBcImVzYnVpbGRcIjtcblxuLyoqXG4gKiBUaGUgc2NyaXB0IG9mIGEgcmVwb3J0J3MgcGFnZSBhcyBvbmUgdGV4dDogdGhlIG1vZHVsZSBhbmQgYWxsIHRoYXQgaXQgaW1wb3J0cywgYmVjYXVzZSB0aGUgcGFnZSBjYW4ndCBsb2FkIG1vZHVsZXMuXG4gKiBCdWlsZHMgYW5kIHRlc3RzIHJlcGxhY2UgYGltcG9ydCBzY3JpcHQgZnJvbSBcIi4vbWFpbi50cz9wYWdlXCJgIGJ5IGl0LlxuICovXG5leHBvcnQgZnVuY3Rpb24gYnVuZGxlUGFnZShwYXRoOiBzdHJpbmcpOiBzdHJpbmcge1xuICBjb25zdCB7IG91dHB1dEZpbGVzIH0gPSBidWlsZFN5bmMoe1xuICAgIGVudHJ5UG9pbnRzOiBbcGF0aF0sXG4gICAgYnVuZGxlOiB0cnVlLFxuICAgIHdyaXRlOiBmYWxzZSxcbiAgICBmb3JtYXQ6IFwiaWlmZVwiLFxuICAgIHBsYXRmb3JtOiBcImJyb3dzZXJcIixcbiAgICB0YXJnZXQ6IFwiZXMyMDI0XCIsXG4gICAgbWluaWZ5OiB0cnVlLFxuICAgIGxlZ2FsQ29tbWVudHM6IFwiaW5saW5lXCIsXG4gICAgbG9nTGV2ZWw6IFwiZXJyb3JcIixcbiAgfSk7XG4gIHJldHVybiBvdXRwdXRGaWxlcy5tYXAoKHsgdGV4dCB9KSA9PiB0ZXh0KS5qb2luKFwiXCIpO1xufVxuIiwgImNvbnN0IF9faW5qZWN0ZWRfZmlsZW5hbWVfXyA9IFwiL3RtcC93dC9zOC13MS9zY3JpcHRzL2J1aWxkL2xhenktcGFydHMudHNcIjtjb25zdCBfX2luamVjdGVkX2Rpcm5hbWVfXyA9IFwiL3RtcC93dC9zOC13MS9zY3JpcHRzL2J1aWxkXCI7Y29uc3QgX19pbmplY3RlZF9pbXBvcnRfbWV0YV91cmxfXyA9IFwiZmlsZTovLy90bXAvd3QvczgtdzEvc2NyaXB0cy9idWlsZC9sYXp5LXBhcnRzLnRzXCI7LyoqXG4gKiBLZWVwcyBtb2R1bGVzIHRoYXQgYSB3b3JrZXIgbG9hZHMgb24gZGVtYW5kIG91dCBvZiB0aGUgc2V0LXVwIGZpbGVzLCB3aGljaCBydW5uZXJzIHJlYWQgZm9yIGV2ZXJ5IHRlc3QgZmlsZS5cbiAqIGBpbXBvcnQoKWAgYWxvbmUgbWFya3MgYSBtb2R1bGUgYXMgbG9hZGVkIG9uIGRlbWFuZC5cbiAqL1xuaW1wb3J0IHsgcmVhZEZpbGVTeW5jIH0gZnJvbSBcIm5vZGU6ZnNcIjtcbmltcG9ydCB7IGJhc2VuYW1lLCByZXNvbHZlIH0gZnJvbSBcIm5vZGU6cGF0aFwiO1xuaW1wb3J0IHsgdHlwZSBNZXRhZmlsZSwgYnVpbGRTeW5jIH0gZnJvbSBcImVzYnVpbGRcIjtcbmltcG9ydCB0eXBlIHsgT3B0aW9ucyB9IGZyb20gXCJ0c3VwXCI7XG5cbnR5cGUgUGx1Z2luID0gTm9uTnVsbGFibGU8T3B0aW9uc1tcImVzYnVpbGRQbHVnaW5zXCJdPltudW1iZXJdO1xuXG5jb25zdCBPV05fTU9EVUxFID0gL15cXC57MSwyfVxcLy4qXFwudHMkLztcblxuLyoqIEJ1bmRsZXMgYW4gZW50cnkgd2l0aG91dCB3cml0aW5nIGl0LCBhbmQgcmV0dXJucyB3aGF0IGVzYnVpbGQgcmVwb3J0cyBvZiBpdC4gKi9cbmZ1bmN0aW9uIGZhY3RzT2YoZW50cnk6IHN0cmluZyk6IE1ldGFmaWxlIHtcbiAgcmV0dXJuIGJ1aWxkU3luYyh7XG4gICAgZW50cnlQb2ludHM6IFtlbnRyeV0sXG4gICAgYnVuZGxlOiB0cnVlLFxuICAgIHdyaXRlOiBmYWxzZSxcbiAgICBtZXRhZmlsZTogdHJ1ZSxcbiAgICBzcGxpdHRpbmc6IHRydWUsXG4gICAgZm9ybWF0OiBcImVzbVwiLFxuICAgIHBsYXRmb3JtOiBcIm5vZGVcIixcbiAgICBwYWNrYWdlczogXCJleHRlcm5hbFwiLFxuICAgIG91dGRpcjogXCJkaXN0XCIsXG4gICAgbG9nTGV2ZWw6IFwiZXJyb3JcIixcbiAgfSkubWV0YWZpbGU7XG59XG5cbi8qKiBFbnRyaWVzIHRoYXQgdGVzdHMgaW1wb3J0LCBvZiB3aGljaCBvbmUgdGVzdCBmaWxlIG9mdGVuIGltcG9ydHMgc2V2ZXJhbC4gKi9cbmNvbnN0IElNUE9SVEVEX0VOVFJJRVMgPSBbXCJzcmMvaW5kZXgudHNcIiwgXCJzcmMvY29tbWFuZHMudHNcIiwgXCJzcmMva2VybmVsLnRzXCIsIFwic3JjL3JlZGFjdGlvbi50c1wiXTtcbi8qKiBFbnRyaWVzIHRoYXQgcnVubmVycyBsb2FkIGZvciBldmVyeSB0ZXN0IGZpbGUsIGFuZCB0aG9zZSB0aGF0IHRlc3RzIGltcG9ydC4gKi9cbmNvbnN0IFdPUktFUl9FTlRSSUVTID0gW1wic3JjL3ZpdGVzdC50c1wiLCBcInNyYy9qZXN0LXNldHVwLnRzXCIsIC4uLklNUE9SVEVEX0VOVFJJRVNdO1xuXG4vKiogRXZlcnkgbW9kdWxlIG9mIGEgd29ya2VyIHRoYXQgaXMgaW1wb3J0ZWQgYnkgYGltcG9ydCgpYDogaXRzIG5hbWUgaW4gZGlzdCwgYW5kIGl0cyBwYXRoLiBUaHJvd3MgZm9yIGEgbmFtZSB0d2ljZS4gKi9cbmNvbnN0IExBWlk6IFJlYWRvbmx5PFJlY29yZDxzdHJpbmcsIHN0cmluZz4+ID0gbGF6eU1vZHVsZXMoKTtcblxuZnVuY3Rpb24gbGF6eU1vZHVsZXMoKTogUmVjb3JkPHN0cmluZywgc3RyaW5nPiB7XG4gIGNvbnN0IGlucHV0cyA9IFdPUktFUl9FTlRSSUVTLmZsYXRNYXAoKGVudHJ5KSA9PiBPYmplY3QudmFsdWVzKGZhY3RzT2YoZW50cnkpLmlucHV0cykpO1xuICBjb25zdCBwYXRocyA9IGlucHV0cy5mbGF0TWFwKCh7IGltcG9ydHMgfSkgPT5cbiAgICBpbXBvcnRzLmZpbHRlcigoeyBraW5kLCBleHRlcm5hbCB9KSA9PiBraW5kID09PSBcImR5bmFtaWMtaW1wb3J0XCIgJiYgZXh0ZXJuYWwgIT09IHRydWUpLm1hcCgoeyBwYXRoIH0pID0+IHBhdGgpLFxuICApO1xuICBjb25zdCBsYXp5OiBSZWNvcmQ8c3RyaW5nLCBzdHJpbmc+ID0ge307XG4gIGZvciAoY29uc3QgcGF0aCBvZiBuZXcgU2V0KHBhdGhzKSkge1xuICAgIGNvbnN0IG5hbWUgPSBiYXNlbmFtZShwYXRoLCBcIi50c1wiKTtcbiAgICBpZiAobmFtZSBpbiBsYXp5KSB0aHJvdyBuZXcgRXJyb3IoYCR7cGF0aH0gYW5kICR7bGF6eVtuYW1lXX0gYXJlIGJvdGggbG9hZGVkIGJ5IGltcG9ydCgpOiByZW5hbWUgb25lLmApO1xuICAgIGxhenlbbmFtZV0gPSBwYXRoO1xuICB9XG4gIHJldHVybiBsYXp5O1xufVxuXG4vKipcbiAqIE5lYXJseSBhbGwgb2YgVml0ZXN0J3Mgc2V0LXVwIGZpbGUsIGluIGEgc2VwYXJhdGUgZmlsZS4gVGhlIHBsdWdpbiBoYXMgVml0ZSBsb2FkIHRoZSBzZXQtdXAgZmlsZSBmb3IgZXZlcnkgdGVzdCBmaWxlLFxuICogd2hpY2ggc2VuZHMgaXRzIHRleHQgYW5kIG1hcCB0byBlYWNoIHdvcmtlcjsgTm9kZSBsb2FkcyB0aGUgcmVzdCwgZm9yIGhhbGYgb2YgdGhhdC5cbiAqL1xuZXhwb3J0IGNvbnN0IElOU1RBTExFUiA9IFwic3JjL2luc3RhbGwtdml0ZXN0LnRzXCI7XG5cbi8qKiBMZWF2ZXMgbGF6eSBtb2R1bGVzLCBhbmQgdGhlIGluc3RhbGxlciwgb3V0IG9mIHRoZSBmaWxlIHRoYXQgaW1wb3J0cyB0aGVtOyBgZmlsZU9mYCBuYW1lcyB0aGUgZmlsZXMgdGhleSBhcmUgaW4uICovXG5leHBvcnQgZnVuY3Rpb24gbGVhdmVPdXQoZmlsZU9mOiAobmFtZTogc3RyaW5nKSA9PiBzdHJpbmcpOiBQbHVnaW4ge1xuICBjb25zdCBuYW1lcyA9IG5ldyBNYXAoT2JqZWN0LmVudHJpZXMoTEFaWSkubWFwKChbbmFtZSwgcGF0aF0pID0+IFtyZXNvbHZlKHBhdGgpLCBuYW1lXSkpO1xuICByZXR1cm4ge1xuICAgIG5hbWU6IFwibGVhdmUtb3V0XCIsXG4gICAgc2V0dXAoYnVpbGQpIHtcbiAgICAgIGJ1aWxkLm9uUmVzb2x2ZSh7IGZpbHRlcjogT1dOX01PRFVMRSB9LCAoeyBwYXRoLCBraW5kLCByZXNvbHZlRGlyIH0pID0+IHtcbiAgICAgICAgaWYgKGtpbmQgPT09IFwiZHluYW1pYy1pbXBvcnRcIiAmJiAvW1xcXFwvXXJlcG9ydGVyW1xcXFwvXWZvcm1hdHMkLy50ZXN0KHJlc29sdmVEaXIpKSByZXR1cm4geyBwYXRoLCBleHRlcm5hbDogdHJ1ZSB9O1xuICAgICAgICBjb25zdCBmaWxlID0gcmVzb2x2ZShyZXNvbHZlRGlyLCBwYXRoKTtcbiAgICAgICAgY29uc3QgbmFtZSA9IGtpbmQgPT09IFwiZHluYW1pYy1pbXBvcnRcIiA/IG5hbWVzLmdldChmaWxlKSA6IHVuZGVmaW5lZDtcbiAgICAgICAgaWYgKG5hbWUgIT09IHVuZGVmaW5lZCkgcmV0dXJuIHsgcGF0aDogYC4vJHtmaWxlT2YobmFtZSl9YCwgZXh0ZXJuYWw6IHRydWUgfTtcbiAgICAgICAgaWYgKGZpbGUgPT09IHJlc29sdmUoSU5TVEFMTEVSKSAmJiBraW5kICE9PSBcImVudHJ5LXBvaW50XCIpXG4gICAgICAgICAgcmV0dXJuIHsgcGF0aDogXCIuL3NldHVwLWluc3RhbGwtdml0ZXN0LmpzXCIsIGV4dGVybmFsOiB0cnVlIH07XG4gICAgICAgIHJldHVybiB1bmRlZmluZWQ7XG4gICAgICB9KTtcbiAgICB9LFxuICB9O1xufVxuXG4vKipcbiAqIExhenkgbW9kdWxlcyBieSB0aGUgb25lIHRoYXQgaXMgYWx3YXlzIGxvYWRlZCBiZWZvcmUgdGhlbTogdGhleSBhcmUgYnVpbHQgYXMgaWYgdGhleSBpbXBvcnRlZCBpdCwgc28gdGhhdCB0aGVpclxuICogY29tbW9uIGNvZGUgaXMgb25lIGZpbGUsIGFuZCBub3Qgb25lIGZvciBlYWNoIG1peHR1cmUgb2YgdXNlcy4gQ29waWVzIG9mIHNoYXJlZCBjb2RlIHdlcmUgYSBzaXh0aCBvZiB0aGUgcGFja2FnZS4gQVxuICogbGF6eSBtb2R1bGUgd2l0aG91dCBhIHJvdyBzaGFyZXMgbm8gY29kZSB3aXRoIG90aGVycy5cbiAqL1xuY29uc3QgTE9BREVEX0JFRk9SRTogUmVhZG9ubHk8UmVjb3JkPHN0cmluZywgc3RyaW5nPj4gPSB7XG4gIFwiY2FsbHMtZW50cnlcIjogXCJjaGVjay1lbnRyeVwiLFxuICBcImNvbmZpZy1zY2hlbWFcIjogXCJjaGVjay1lbnRyeVwiLFxuICBcImZhaWx1cmUtZW50cnlcIjogXCJjaGVjay1lbnRyeVwiLFxuICBcImxvYWQtY29uZmlnXCI6IFwiY2hlY2stZW50cnlcIixcbiAgXCJwcm9wZXJ0aWVzLWVudHJ5XCI6IFwiZmFpbHVyZS1lbnRyeVwiLFxuICBcInByb2plY3QtZmluZGluZ3NcIjogXCJmYWlsdXJlLWVudHJ5XCIsXG4gIFwic3RhZ2UtYXR0ZW1wdFwiOiBcImZhaWx1cmUtZW50cnlcIixcbiAgXCJ3b3JrZXItc2V0dGluZ3NcIjogXCJjaGVjay1lbnRyeVwiLFxuICBcIndvcmtmbG93LXN0ZXBcIjogXCJjaGVjay1lbnRyeVwiLFxufTtcblxuY29uc3QgU0hBUklORzogUmVhZG9ubHlTZXQ8c3RyaW5nPiA9IG5ldyBTZXQoW1wiY2hlY2stZW50cnlcIiwgLi4uT2JqZWN0LmtleXMoTE9BREVEX0JFRk9SRSldKTtcblxuLyoqIEVudHJpZXMgb2YgdGhlIGxhenkgbW9kdWxlcyB0aGF0IHNoYXJlIGNvZGUsIG9yIG9mIHRob3NlIHRoYXQgZG9uJ3QsIGJ5IHRoZSBuYW1lcyBgZmlsZU9mYCBnaXZlcyB0aGVtLiAqL1xuZXhwb3J0IGZ1bmN0aW9uIGxhenlFbnRyaWVzKHNoYXJlZDogYm9vbGVhbiwgZmlsZU9mOiAobmFtZTogc3RyaW5nKSA9PiBzdHJpbmcpOiBSZWNvcmQ8c3RyaW5nLCBzdHJpbmc+IHtcbiAgY29uc3Qgc29tZSA9IE9iamVjdC5lbnRyaWVzKExBWlkpLmZpbHRlcigoW25hbWVdKSA9PiBTSEFSSU5HLmhhcyhuYW1lKSA9PT0gc2hhcmVkKTtcbiAgcmV0dXJuIE9iamVjdC5mcm9tRW50cmllcyhzb21lLm1hcCgoW25hbWUsIHBhdGhdKSA9PiBbZmlsZU9mKG5hbWUpLCBwYXRoXSkpO1xufVxuXG4vKiogQnVpbGRzIGxhenkgbW9kdWxlcyB0aGF0IHNoYXJlIGNvZGUgdXBvbiBlYWNoIG90aGVyLiAqL1xuZXhwb3J0IGNvbnN0IHVwb25FYWNoT3RoZXI6IFBsdWdpbiA9IHtcbiAgbmFtZTogXCJ1cG9uLWVhY2gtb3RoZXJcIixcbiAgc2V0dXAoYnVpbGQpIHtcbiAgICBjb25zdCBwYXRoT2YgPSAobmFtZTogc3RyaW5nKTogc3RyaW5nID0+IHJlc29sdmUoTEFaWVtuYW1lXSA/PyBcIlwiKTtcbiAgICBjb25zdCBiZWZvcmUgPSBuZXcgTWFwKE9iamVjdC5lbnRyaWVzKExPQURFRF9CRUZPUkUpLm1hcCgoW25hbWUsIGZpcnN0XSkgPT4gW3BhdGhPZihuYW1lKSwgcGF0aE9mKGZpcnN0KV0pKTtcbiAgICAvLyBUaGUgaW1wb3J0IGlzIHRoZXJlIGZvciBpdHMgc2lkZSBvZiB0aGUgZ3JhcGggYWxvbmUuXG4gICAgYnVpbGQuaW5pdGlhbE9wdGlvbnMubG9nT3ZlcnJpZGUgPSB7IFwiaWdub3JlZC1iYXJlLWltcG9ydFwiOiBcInNpbGVudFwiIH07XG4gICAgYnVpbGQub25Mb2FkKHsgZmlsdGVyOiAvXFwudHMkLyB9LCAoeyBwYXRoIH0pID0+IHtcbiAgICAgIGNvbnN0IGZpcnN0ID0gYmVmb3JlLmdldChwYXRoKTtcbiAgICAgIGlmIChmaXJzdCA9PT0gdW5kZWZpbmVkKSByZXR1cm4gdW5kZWZpbmVkO1xuICAgICAgcmV0dXJuIHsgY29udGVudHM6IGBpbXBvcnQgJHtKU09OLnN0cmluZ2lmeShmaXJzdCl9O1xcbiR7cmVhZEZpbGVTeW5jKHBhdGgsIFwidXRmOFwiKX1gLCBsb2FkZXI6IFwidHNcIiB9O1xuICAgIH0pO1xuICB9LFxufTtcblxuLyoqXG4gKiBNb2R1bGVzIG9mIGJ1bmRsZWQgcGFja2FnZXMsIGVhY2ggYSBmaWxlIG9mIGRpc3QgdGhhdCBhbGwgYnVpbGRzIHJlcXVpcmUgYXQgdGhlIGZpcnN0IGNhbGw6IHRoZSBwcmludGVycyBvZiBmYWlsaW5nXG4gKiB0ZXN0cyAoNzAga0IpIGFuZCB0aGUgcGFyc2VyIG9mIHJlY29yZGVkIGV2ZW50IHN0cmVhbXMuXG4gKi9cbmV4cG9ydCBjb25zdCBCVU5ETEVEX1BBQ0tBR0VTOiBSZWFkb25seTxSZWNvcmQ8c3RyaW5nLCBzdHJpbmc+PiA9IHtcbiAgXCJldmVudC1zdHJlYW1cIjogXCJzcmMva2VybmVsL2V2ZW50LXN0cmVhbS50c1wiLFxuICBwcmV0dHk6IFwic3JjL2tlcm5lbC9wcmV0dHkudHNcIixcbn07XG5cbi8qKlxuICogRW50cnkgb2YgdGhlIGVuZ2luZTogYWxsIG1vZHVsZXMgdGhhdCBib3RoIGFuIGVudHJ5IHRoYXQgdGVzdHMgaW1wb3J0IGFuZCB0aGUgZmlyc3QgY2hlY2sgaW1wb3J0LCBuaW5lIHRlbnRocyBvZlxuICogZWl0aGVyLiBXaXRob3V0IGl0IHRoZSBjb2RlIHdhcyBmb3VyIHRpbWVzIGluIHRoZSBwYWNrYWdlLCBhbmQgdHdpY2UgaW4gZXZlcnkgd29ya2VyIHRoYXQgaW1wb3J0cyBvbmUgYW5kIHJ1bnMgdGhlXG4gKiBvdGhlci5cbiAqL1xuZXhwb3J0IGNvbnN0IEVOR0lORSA9IFwic2NyaXB0cy9idWlsZC9lbmdpbmUudHNcIjtcblxuLyoqIFRoZSBtb2R1bGVzIHRoYXQgYW4gZW50cnkgaW1wb3J0cyBlYWdlcmx5LiAqL1xuZnVuY3Rpb24gZWFnZXJNb2R1bGVzT2YoZW50cnk6IHN0cmluZyk6IFJlYWRvbmx5U2V0PHN0cmluZz4ge1xuICBjb25zdCB7IG91dHB1dHMgfSA9IGZhY3RzT2YoZW50cnkpO1xuICBjb25zdCBvd24gPSBPYmplY3QudmFsdWVzKG91dHB1dHMpLmZpbmQoKHsgZW50cnlQb2ludCB9KSA9PiBlbnRyeVBvaW50ID09PSBlbnRyeSk7XG4gIGNvbnN0IGNodW5rcyA9IChvd24/LmltcG9ydHMgPz8gW10pLmZpbHRlcigoeyBraW5kLCBleHRlcm5hbCB9KSA9PiBraW5kICE9PSBcImR5bmFtaWMtaW1wb3J0XCIgJiYgZXh0ZXJuYWwgIT09IHRydWUpO1xuICBjb25zdCBmaWxlcyA9IFtvd24sIC4uLmNodW5rcy5tYXAoKHsgcGF0aCB9KSA9PiBvdXRwdXRzW3BhdGhdKV07XG4gIHJldHVybiBuZXcgU2V0KGZpbGVzLmZsYXRNYXAoKGZpbGUpID0+IE9iamVjdC5rZXlzKGZpbGU/LmlucHV0cyA/PyB7fSkpKTtcbn1cblxuY29uc3Qgb2ZFbnRyaWVzID0gbmV3IFNldChJTVBPUlRFRF9FTlRSSUVTLmZsYXRNYXAoKGVudHJ5KSA9PiBbLi4uZWFnZXJNb2R1bGVzT2YoZW50cnkpXSkpO1xuY29uc3QgZW5naW5lTW9kdWxlcyA9IG5ldyBTZXQoXG4gIFsuLi5lYWdlck1vZHVsZXNPZihMQVpZW1wiY2hlY2stZW50cnlcIl0gPz8gXCJcIildXG4gICAgLmZpbHRlcigocGF0aCkgPT4gb2ZFbnRyaWVzLmhhcyhwYXRoKSAmJiAhT2JqZWN0LnZhbHVlcyhCVU5ETEVEX1BBQ0tBR0VTKS5pbmNsdWRlcyhwYXRoKSlcbiAgICAubWFwKChwYXRoKSA9PiByZXNvbHZlKHBhdGgpKSxcbik7XG5cbi8qKiBCdWlsZHMgdGhlIGVuZ2luZSwgYW5kIGxlYXZlcyBpdCBvdXQgb2YgZXZlcnl0aGluZyBlbHNlIGluIHRoZSBzYW1lIGJ1aWxkIG9yIGFub3RoZXIuICovXG5leHBvcnQgZnVuY3Rpb24gdXBvbkVuZ2luZShleHRlbnNpb246IFwiY2pzXCIgfCBcImpzXCIpOiBQbHVnaW4ge1xuICBjb25zdCBlbmdpbmUgPSByZXNvbHZlKEVOR0lORSk7XG4gIHJldHVybiB7XG4gICAgbmFtZTogXCJ1cG9uLWVuZ2luZVwiLFxuICAgIHNldHVwKGJ1aWxkKSB7XG4gICAgICBidWlsZC5vbkxvYWQoeyBmaWx0ZXI6IC9bXFxcXC9dZW5naW5lXFwudHMkLyB9LCAoeyBwYXRoIH0pID0+IHtcbiAgICAgICAgY29uc3QgbGluZXMgPSBbLi4uZW5naW5lTW9kdWxlc10ubWFwKChtb2R1bGUpID0+IGBleHBvcnQgKiBmcm9tICR7SlNPTi5zdHJpbmdpZnkobW9kdWxlKX07YCk7XG4gICAgICAgIHJldHVybiBwYXRoID09PSBlbmdpbmUgPyB7IGNvbnRlbnRzOiBsaW5lcy5qb2luKFwiXFxuXCIpLCBsb2FkZXI6IFwidHNcIiB9IDogdW5kZWZpbmVkO1xuICAgICAgfSk7XG4gICAgICBidWlsZC5vblJlc29sdmUoeyBmaWx0ZXI6IE9XTl9NT0RVTEUgfSwgKHsgcGF0aCwgaW1wb3J0ZXIsIHJlc29sdmVEaXIgfSkgPT4ge1xuICAgICAgICBjb25zdCBpc0VuZ2luZXMgPSBpbXBvcnRlciA9PT0gZW5naW5lIHx8IGVuZ2luZU1vZHVsZXMuaGFzKGltcG9ydGVyKTtcbiAgICAgICAgcmV0dXJuICFpc0VuZ2luZXMgJiYgZW5naW5lTW9kdWxlcy5oYXMocmVzb2x2ZShyZXNvbHZlRGlyLCBwYXRoKSlcbiAgICAgICAgICA/IHsgcGF0aDogYC4vZW5naW5lLiR7ZXh0ZW5zaW9ufWAsIGV4dGVybmFsOiB0cnVlIH1cbiAgICAgICAgICA6IHVuZGVmaW5lZDtcbiAgICAgIH0pO1xuICAgIH0sXG4gIH07XG59XG5cbi8qKlxuICogUGFja2FnZXMgdGhhdCBWaXRlc3QncyBzZXQtdXAgZmlsZSBpbXBvcnRzIGJ1dCBsb2FkcyBhdCB0aGUgZmlyc3QgY2FsbDogbW9zdCB0ZXN0IGZpbGVzIG1ha2Ugbm9uZS4gQ29tbW9uSlMsIGJlY2F1c2VcbiAqIGEgc3luY2hyb25vdXMgbWF0Y2hlciBvciBzZXJpYWxpemVyIGNhbid0IHdhaXQgZm9yIGBpbXBvcnQoKWAsIGFuZCBWaXRlc3QncyB2bSBwb29scyBgcmVxdWlyZWAgbm8gb3RoZXIgZm9ybWF0LlxuICovXG5jb25zdCBBVF9GSVJTVF9DQUxMOiBSZWFkb25seTxSZWNvcmQ8c3RyaW5nLCBzdHJpbmc+PiA9IHtcbiAgXCJzZXR1cC1zeW5jLW1hdGNoZXJzXCI6IFwic3JjL21hdGNoZXJzL3N5bmMtbWF0Y2hlcnMudHNcIixcbiAgc2VyaWFsaXplcjogXCJzcmMvbWF0Y2hlcnMvc2VyaWFsaXplci9zZXJpYWxpemVyLnRzXCIsXG59O1xuXG4vKiogRnVuY3Rpb25zIHVwIHRvIHdoaWNoIGVhY2ggaXMgd3JpdHRlbiBvdXQ7IG1vcmUgYXJlIHNtYWxsZXIgYnkgb25lIHByb3h5LiAqL1xuY29uc3QgRkVXID0gNjtcblxuLyoqIEZ1bmN0aW9ucyB0aGF0IHJlcXVpcmUgYDxuYW1lPi5janNgIHdoZW4gb25lIGlzIGNhbGxlZCwgaW4gcGxhY2Ugb2YgdGhlIG1vZHVsZSB0aGF0IGV4cG9ydHMgdGhlbS4gKi9cbmZ1bmN0aW9uIHN0dWJPZihuYW1lOiBzdHJpbmcsIHNvdXJjZTogc3RyaW5nLCBmb3JtYXQ6IFwiY2pzXCIgfCBcImVzbVwiKTogc3RyaW5nIHtcbiAgY29uc3Qgb3V0cHV0cyA9IE9iamVjdC52YWx1ZXMoZmFjdHNPZihzb3VyY2UpLm91dHB1dHMpO1xuICBjb25zdCBleHBvcnRlZCA9IG91dHB1dHMuZmluZCgoeyBlbnRyeVBvaW50IH0pID0+IGVudHJ5UG9pbnQgIT09IHVuZGVmaW5lZCk/LmV4cG9ydHMgPz8gW107XG4gIGNvbnN0IGNhbGwgPSBgKFwiLi8ke25hbWV9LmNqc1wiKWA7XG4gIHJldHVybiBbXG4gICAgLi4uKGZvcm1hdCA9PT0gXCJjanNcIiA/IFtdIDogWydpbXBvcnQgeyBjcmVhdGVSZXF1aXJlIH0gZnJvbSBcIm5vZGU6bW9kdWxlXCI7J10pLFxuICAgIFwibGV0IGxvYWRlZDtcIixcbiAgICBgY29uc3QgbG9hZCA9ICgpID0+IChsb2FkZWQgPz89ICR7Zm9ybWF0ID09PSBcImNqc1wiID8gYHJlcXVpcmUke2NhbGx9YCA6IGBjcmVhdGVSZXF1aXJlKGltcG9ydC5tZXRhLnVybCkke2NhbGx9YH0pO2AsXG4gICAgLi4uKGV4cG9ydGVkLmxlbmd0aCA+IEZFV1xuICAgICAgPyBbXG4gICAgICAgICAgXCJjb25zdCBsYXRlciA9IHsgZ2V0OiAoXywgbmFtZSkgPT4gZnVuY3Rpb24gKC4uLmFyZ3MpIHsgcmV0dXJuIGxvYWQoKVtuYW1lXS5hcHBseSh0aGlzLCBhcmdzKTsgfSB9O1wiLFxuICAgICAgICAgIGBleHBvcnQgY29uc3QgeyAke2V4cG9ydGVkLmpvaW4oXCIsIFwiKX0gfSA9IG5ldyBQcm94eSh7fSwgbGF0ZXIpO2AsXG4gICAgICAgIF1cbiAgICAgIDogZXhwb3J0ZWQubWFwKChtZW1iZXIpID0+IGBleHBvcnQgZnVuY3Rpb24gJHttZW1iZXJ9KC4uLmFyZ3MpIHsgcmV0dXJuIGxvYWQoKS4ke21lbWJlcn0uYXBwbHkodGhpcywgYXJncyk7IH1gKSksXG4gIF0uam9pbihcIlxcblwiKTtcbn1cblxuLyoqIFJlcGxhY2VzIG1vZHVsZXMgYnkgZnVuY3Rpb25zIHRoYXQgcmVxdWlyZSB0aGVtIHdoZW4gb25lIGlzIGNhbGxlZCwgdW5sZXNzIGEgbW9kdWxlIGlzIGFuIGVudHJ5IGl0c2VsZi4gKi9cbmZ1bmN0aW9uIHJlcXVpcmVMYXRlcihmb3JtYXQ6IFwiY2pzXCIgfCBcImVzbVwiLCBtb2R1bGVzOiBSZWFkb25seTxSZWNvcmQ8c3RyaW5nLCBzdHJpbmc+Pik6IFBsdWdpbiB7XG4gIGNvbnN0IG5hbWVzID0gbmV3IE1hcChPYmplY3QuZW50cmllcyhtb2R1bGVzKS5tYXAoKFtuYW1lLCBzb3VyY2VdKSA9PiBbcmVzb2x2ZShzb3VyY2UpLCBuYW1lXSkpO1xuICBjb25zdCBuYW1lc3BhY2UgPSBPYmplY3Qua2V5cyhtb2R1bGVzKS5qb2luKFwiIFwiKTtcbiAgcmV0dXJuIHtcbiAgICBuYW1lOiBcInJlcXVpcmUtbGF0ZXJcIixcbiAgICBzZXR1cChidWlsZCkge1xuICAgICAgYnVpbGQub25SZXNvbHZlKHsgZmlsdGVyOiBPV05fTU9EVUxFIH0sICh7IHBhdGgsIGltcG9ydGVyLCByZXNvbHZlRGlyIH0pID0+IHtcbiAgICAgICAgY29uc3QgZmlsZSA9IHJlc29sdmUocmVzb2x2ZURpciwgcGF0aCk7XG4gICAgICAgIGNvbnN0IGlzUmVwbGFjZWQgPSBuYW1lcy5oYXMoZmlsZSkgJiYgaW1wb3J0ZXIgIT09IFwiXCIgJiYgaW1wb3J0ZXIgIT09IHJlc29sdmUoXCJzcmMvc2VyaWFsaXplci50c1wiKTtcbiAgICAgICAgcmV0dXJuIGlzUmVwbGFjZWQgPyB7IHBhdGg6IGZpbGUsIG5hbWVzcGFjZSB9IDogdW5kZWZpbmVkO1xuICAgICAgfSk7XG4gICAgICBidWlsZC5vbkxvYWQoeyBmaWx0ZXI6IC8uKi8sIG5hbWVzcGFjZSB9LCAoeyBwYXRoIH0pID0+IHtcbiAgICAgICAgY29uc3QgbmFtZSA9IG5hbWVzLmdldChwYXRoKSA/PyBcIlwiO1xuICAgICAgICByZXR1cm4geyBjb250ZW50czogc3R1Yk9mKG5hbWUsIHBhdGgsIGZvcm1hdCksIGxvYWRlcjogXCJqc1wiIH07XG4gICAgICB9KTtcbiAgICAgIGJ1aWxkLm9uUmVzb2x2ZSh7IGZpbHRlcjogL15cXC5cXC9bXFx3LV0rXFwuY2pzJC8gfSwgKHsgcGF0aCB9KSA9PlxuICAgICAgICBwYXRoLnNsaWNlKDIsIC00KSBpbiBtb2R1bGVzID8geyBwYXRoLCBleHRlcm5hbDogdHJ1ZSB9IDogdW5kZWZpbmVkLFxuICAgICAgKTtcbiAgICB9LFxuICB9O1xufVxuXG4vKiogUmVxdWlyZXMgd2hhdCB0aGUgc2V0LXVwIGZpbGUgcmFyZWx5IG5lZWRzIGF0IHRoZSBmaXJzdCBjYWxsLiAqL1xuZXhwb3J0IGNvbnN0IHJlcXVpcmVBdEZpcnN0Q2FsbDogUGx1Z2luID0gcmVxdWlyZUxhdGVyKFwiZXNtXCIsIEFUX0ZJUlNUX0NBTEwpO1xuXG4vKiogVGhlIHNhbWUgZm9yIEplc3QncyBzZXQtdXAgZmlsZSwgd2hpY2ggaGFzIG5vIHNlcmlhbGl6ZXIgaW4gaXQuICovXG5leHBvcnQgY29uc3QgcmVxdWlyZU1hdGNoZXJzQXRGaXJzdENhbGw6IFBsdWdpbiA9IHJlcXVpcmVMYXRlcihcImNqc1wiLCB7XG4gIFwic2V0dXAtc3luYy1tYXRjaGVyc1wiOiBcInNyYy9tYXRjaGVycy9zeW5jLW1hdGNoZXJzLnRzXCIsXG59KTtcblxuLyoqIFJlcXVpcmVzIGJ1bmRsZWQgcGFja2FnZXMgYXQgdGhlIGZpcnN0IGNhbGwuICovXG5leHBvcnQgZnVuY3Rpb24gcmVxdWlyZUJ1bmRsZWQoZm9ybWF0OiBcImNqc1wiIHwgXCJlc21cIik6IFBsdWdpbiB7XG4gIHJldHVybiByZXF1aXJlTGF0ZXIoZm9ybWF0LCBCVU5ETEVEX1BBQ0tBR0VTKTtcbn1cbiJdLAogICJtYXBwaW5ncyI6ICI7QUFBcUwsU0FBUyxnQkFBQUEscUJBQW9CO0FBQ2xOLFNBQVMsTUFBTSxVQUFVLFdBQVc7QUFDcEMsU0FBUyxpQkFBaUI7OztBQ0ZtTCxTQUFTLGlCQUFpQjtBQU1oTyxTQUFTLFdBQVcsTUFBc0I7QUFDL0MsUUFBTSxFQUFFLFlBQVksSUFBSSxVQUFVO0FBQUEsSUFDaEMsYUFBYSxDQUFDLElBQUk7QUFBQSxJQUNsQixRQUFRO0FBQUEsSUFDUixPQUFPO0FBQUEsSUFDUCxRQUFRO0FBQUEsSUFDUixVQUFVO0FBQUEsSUFDVixRQUFRO0FBQUEsSUFDUixRQUFRO0FBQUEsSUFDUixlQUFlO0FBQUEsSUFDZixVQUFVO0FBQUEsRUFDWixDQUFDO0FBQ0QsU0FBTyxZQUFZLElBQUksQ0FBQyxFQUFFLEtBQUssTUFBTSxJQUFJLEVBQUUsS0FBSyxFQUFFO0FBQ3BEOzs7QUNmQSxTQUFTLG9CQUFvQjtBQUM3QixTQUFTLFVBQVUsZUFBZTtBQUNsQyxTQUF3QixhQUFBQyxrQkFBaUI7QUFLekMsSUFBTSxhQUFhO0FBR25CLFNBQVMsUUFBUSxPQUF5QjtBQUN4QyxTQUFPQyxXQUFVO0FBQUEsSUFDZixhQUFhLENBQUMsS0FBSztBQUFBLElBQ25CLFFBQVE7QUFBQSxJQUNSLE9BQU87QUFBQSxJQUNQLFVBQVU7QUFBQSxJQUNWLFdBQVc7QUFBQSxJQUNYLFFBQVE7QUFBQSxJQUNSLFVBQVU7QUFBQSxJQUNWLFVBQVU7QUFBQSxJQUNWLFFBQVE7QUFBQSxJQUNSLFVBQVU7QUFBQSxFQUNaLENBQUMsRUFBRTtBQUNMO0FBR0EsSUFBTSxtQkFBbUIsQ0FBQyxnQkFBZ0IsbUJBQW1CLGlCQUFpQixrQkFBa0I7QUFFaEcsSUFBTSxpQkFBaUIsQ0FBQyxpQkFBaUIscUJBQXFCLEdBQUcsZ0JBQWdCO0FBR2pGLElBQU0sT0FBeUMsWUFBWTtBQUUzRCxTQUFTLGNBQXNDO0FBQzdDLFFBQU0sU0FBUyxlQUFlLFFBQVEsQ0FBQyxVQUFVLE9BQU8sT0FBTyxRQUFRLEtBQUssRUFBRSxNQUFNLENBQUM7QUFDckYsUUFBTSxRQUFRLE9BQU87QUFBQSxJQUFRLENBQUMsRUFBRSxRQUFRLE1BQ3RDLFFBQVEsT0FBTyxDQUFDLEVBQUUsTUFBTSxTQUFTLE1BQU0sU0FBUyxvQkFBb0IsYUFBYSxJQUFJLEVBQUUsSUFBSSxDQUFDLEVBQUUsS0FBSyxNQUFNLElBQUk7QUFBQSxFQUMvRztBQUNBLFFBQU0sT0FBK0IsQ0FBQztBQUN0QyxhQUFXLFFBQVEsSUFBSSxJQUFJLEtBQUssR0FBRztBQUNqQyxVQUFNLE9BQU8sU0FBUyxNQUFNLEtBQUs7QUFDakMsUUFBSSxRQUFRLEtBQU0sT0FBTSxJQUFJLE1BQU0sR0FBRyxJQUFJLFFBQVEsS0FBSyxJQUFJLENBQUMsMkNBQTJDO0FBQ3RHLFNBQUssSUFBSSxJQUFJO0FBQUEsRUFDZjtBQUNBLFNBQU87QUFDVDtBQU1PLElBQU0sWUFBWTtBQUdsQixTQUFTLFNBQVMsUUFBMEM7QUFDakUsUUFBTSxRQUFRLElBQUksSUFBSSxPQUFPLFFBQVEsSUFBSSxFQUFFLElBQUksQ0FBQyxDQUFDLE1BQU0sSUFBSSxNQUFNLENBQUMsUUFBUSxJQUFJLEdBQUcsSUFBSSxDQUFDLENBQUM7QUFDdkYsU0FBTztBQUFBLElBQ0wsTUFBTTtBQUFBLElBQ04sTUFBTSxPQUFPO0FBQ1gsWUFBTSxVQUFVLEVBQUUsUUFBUSxXQUFXLEdBQUcsQ0FBQyxFQUFFLE1BQU0sTUFBTSxXQUFXLE1BQU07QUFDdEUsWUFBSSxTQUFTLG9CQUFvQiw2QkFBNkIsS0FBSyxVQUFVLEVBQUcsUUFBTyxFQUFFLE1BQU0sVUFBVSxLQUFLO0FBQzlHLGNBQU0sT0FBTyxRQUFRLFlBQVksSUFBSTtBQUNyQyxjQUFNLE9BQU8sU0FBUyxtQkFBbUIsTUFBTSxJQUFJLElBQUksSUFBSTtBQUMzRCxZQUFJLFNBQVMsT0FBVyxRQUFPLEVBQUUsTUFBTSxLQUFLLE9BQU8sSUFBSSxDQUFDLElBQUksVUFBVSxLQUFLO0FBQzNFLFlBQUksU0FBUyxRQUFRLFNBQVMsS0FBSyxTQUFTO0FBQzFDLGlCQUFPLEVBQUUsTUFBTSw2QkFBNkIsVUFBVSxLQUFLO0FBQzdELGVBQU87QUFBQSxNQUNULENBQUM7QUFBQSxJQUNIO0FBQUEsRUFDRjtBQUNGO0FBT0EsSUFBTSxnQkFBa0Q7QUFBQSxFQUN0RCxlQUFlO0FBQUEsRUFDZixpQkFBaUI7QUFBQSxFQUNqQixpQkFBaUI7QUFBQSxFQUNqQixlQUFlO0FBQUEsRUFDZixvQkFBb0I7QUFBQSxFQUNwQixvQkFBb0I7QUFBQSxFQUNwQixpQkFBaUI7QUFBQSxFQUNqQixtQkFBbUI7QUFBQSxFQUNuQixpQkFBaUI7QUFDbkI7QUFFQSxJQUFNLFVBQStCLG9CQUFJLElBQUksQ0FBQyxlQUFlLEdBQUcsT0FBTyxLQUFLLGFBQWEsQ0FBQyxDQUFDO0FBR3BGLFNBQVMsWUFBWUMsU0FBaUIsUUFBMEQ7QUFDckcsUUFBTSxPQUFPLE9BQU8sUUFBUSxJQUFJLEVBQUUsT0FBTyxDQUFDLENBQUMsSUFBSSxNQUFNLFFBQVEsSUFBSSxJQUFJLE1BQU1BLE9BQU07QUFDakYsU0FBTyxPQUFPLFlBQVksS0FBSyxJQUFJLENBQUMsQ0FBQyxNQUFNLElBQUksTUFBTSxDQUFDLE9BQU8sSUFBSSxHQUFHLElBQUksQ0FBQyxDQUFDO0FBQzVFO0FBR08sSUFBTSxnQkFBd0I7QUFBQSxFQUNuQyxNQUFNO0FBQUEsRUFDTixNQUFNLE9BQU87QUFDWCxVQUFNLFNBQVMsQ0FBQyxTQUF5QixRQUFRLEtBQUssSUFBSSxLQUFLLEVBQUU7QUFDakUsVUFBTSxTQUFTLElBQUksSUFBSSxPQUFPLFFBQVEsYUFBYSxFQUFFLElBQUksQ0FBQyxDQUFDLE1BQU0sS0FBSyxNQUFNLENBQUMsT0FBTyxJQUFJLEdBQUcsT0FBTyxLQUFLLENBQUMsQ0FBQyxDQUFDO0FBRTFHLFVBQU0sZUFBZSxjQUFjLEVBQUUsdUJBQXVCLFNBQVM7QUFDckUsVUFBTSxPQUFPLEVBQUUsUUFBUSxRQUFRLEdBQUcsQ0FBQyxFQUFFLEtBQUssTUFBTTtBQUM5QyxZQUFNLFFBQVEsT0FBTyxJQUFJLElBQUk7QUFDN0IsVUFBSSxVQUFVLE9BQVcsUUFBTztBQUNoQyxhQUFPLEVBQUUsVUFBVSxVQUFVLEtBQUssVUFBVSxLQUFLLENBQUM7QUFBQSxFQUFNLGFBQWEsTUFBTSxNQUFNLENBQUMsSUFBSSxRQUFRLEtBQUs7QUFBQSxJQUNyRyxDQUFDO0FBQUEsRUFDSDtBQUNGO0FBTU8sSUFBTSxtQkFBcUQ7QUFBQSxFQUNoRSxnQkFBZ0I7QUFBQSxFQUNoQixRQUFRO0FBQ1Y7QUFPTyxJQUFNLFNBQVM7QUFHdEIsU0FBUyxlQUFlLE9BQW9DO0FBQzFELFFBQU0sRUFBRSxRQUFRLElBQUksUUFBUSxLQUFLO0FBQ2pDLFFBQU0sTUFBTSxPQUFPLE9BQU8sT0FBTyxFQUFFLEtBQUssQ0FBQyxFQUFFLFdBQVcsTUFBTSxlQUFlLEtBQUs7QUFDaEYsUUFBTSxVQUFVLEtBQUssV0FBVyxDQUFDLEdBQUcsT0FBTyxDQUFDLEVBQUUsTUFBTSxTQUFTLE1BQU0sU0FBUyxvQkFBb0IsYUFBYSxJQUFJO0FBQ2pILFFBQU0sUUFBUSxDQUFDLEtBQUssR0FBRyxPQUFPLElBQUksQ0FBQyxFQUFFLEtBQUssTUFBTSxRQUFRLElBQUksQ0FBQyxDQUFDO0FBQzlELFNBQU8sSUFBSSxJQUFJLE1BQU0sUUFBUSxDQUFDLFNBQVMsT0FBTyxLQUFLLE1BQU0sVUFBVSxDQUFDLENBQUMsQ0FBQyxDQUFDO0FBQ3pFO0FBRUEsSUFBTSxZQUFZLElBQUksSUFBSSxpQkFBaUIsUUFBUSxDQUFDLFVBQVUsQ0FBQyxHQUFHLGVBQWUsS0FBSyxDQUFDLENBQUMsQ0FBQztBQUN6RixJQUFNLGdCQUFnQixJQUFJO0FBQUEsRUFDeEIsQ0FBQyxHQUFHLGVBQWUsS0FBSyxhQUFhLEtBQUssRUFBRSxDQUFDLEVBQzFDLE9BQU8sQ0FBQyxTQUFTLFVBQVUsSUFBSSxJQUFJLEtBQUssQ0FBQyxPQUFPLE9BQU8sZ0JBQWdCLEVBQUUsU0FBUyxJQUFJLENBQUMsRUFDdkYsSUFBSSxDQUFDLFNBQVMsUUFBUSxJQUFJLENBQUM7QUFDaEM7QUFHTyxTQUFTLFdBQVcsV0FBaUM7QUFDMUQsUUFBTSxTQUFTLFFBQVEsTUFBTTtBQUM3QixTQUFPO0FBQUEsSUFDTCxNQUFNO0FBQUEsSUFDTixNQUFNLE9BQU87QUFDWCxZQUFNLE9BQU8sRUFBRSxRQUFRLG1CQUFtQixHQUFHLENBQUMsRUFBRSxLQUFLLE1BQU07QUFDekQsY0FBTSxRQUFRLENBQUMsR0FBRyxhQUFhLEVBQUUsSUFBSSxDQUFDLFdBQVcsaUJBQWlCLEtBQUssVUFBVSxNQUFNLENBQUMsR0FBRztBQUMzRixlQUFPLFNBQVMsU0FBUyxFQUFFLFVBQVUsTUFBTSxLQUFLLElBQUksR0FBRyxRQUFRLEtBQUssSUFBSTtBQUFBLE1BQzFFLENBQUM7QUFDRCxZQUFNLFVBQVUsRUFBRSxRQUFRLFdBQVcsR0FBRyxDQUFDLEVBQUUsTUFBTSxVQUFVLFdBQVcsTUFBTTtBQUMxRSxjQUFNLFlBQVksYUFBYSxVQUFVLGNBQWMsSUFBSSxRQUFRO0FBQ25FLGVBQU8sQ0FBQyxhQUFhLGNBQWMsSUFBSSxRQUFRLFlBQVksSUFBSSxDQUFDLElBQzVELEVBQUUsTUFBTSxZQUFZLFNBQVMsSUFBSSxVQUFVLEtBQUssSUFDaEQ7QUFBQSxNQUNOLENBQUM7QUFBQSxJQUNIO0FBQUEsRUFDRjtBQUNGO0FBTUEsSUFBTSxnQkFBa0Q7QUFBQSxFQUN0RCx1QkFBdUI7QUFBQSxFQUN2QixZQUFZO0FBQ2Q7QUFHQSxJQUFNLE1BQU07QUFHWixTQUFTLE9BQU8sTUFBY0MsU0FBZ0IsUUFBK0I7QUFDM0UsUUFBTSxVQUFVLE9BQU8sT0FBTyxRQUFRQSxPQUFNLEVBQUUsT0FBTztBQUNyRCxRQUFNLFdBQVcsUUFBUSxLQUFLLENBQUMsRUFBRSxXQUFXLE1BQU0sZUFBZSxNQUFTLEdBQUcsV0FBVyxDQUFDO0FBQ3pGLFFBQU0sT0FBTyxPQUFPLElBQUk7QUFDeEIsU0FBTztBQUFBLElBQ0wsR0FBSSxXQUFXLFFBQVEsQ0FBQyxJQUFJLENBQUMsOENBQThDO0FBQUEsSUFDM0U7QUFBQSxJQUNBLGtDQUFrQyxXQUFXLFFBQVEsVUFBVSxJQUFJLEtBQUssaUNBQWlDLElBQUksRUFBRTtBQUFBLElBQy9HLEdBQUksU0FBUyxTQUFTLE1BQ2xCO0FBQUEsTUFDRTtBQUFBLE1BQ0Esa0JBQWtCLFNBQVMsS0FBSyxJQUFJLENBQUM7QUFBQSxJQUN2QyxJQUNBLFNBQVMsSUFBSSxDQUFDLFdBQVcsbUJBQW1CLE1BQU0sNkJBQTZCLE1BQU0sdUJBQXVCO0FBQUEsRUFDbEgsRUFBRSxLQUFLLElBQUk7QUFDYjtBQUdBLFNBQVMsYUFBYSxRQUF1QixTQUFtRDtBQUM5RixRQUFNLFFBQVEsSUFBSSxJQUFJLE9BQU8sUUFBUSxPQUFPLEVBQUUsSUFBSSxDQUFDLENBQUMsTUFBTUEsT0FBTSxNQUFNLENBQUMsUUFBUUEsT0FBTSxHQUFHLElBQUksQ0FBQyxDQUFDO0FBQzlGLFFBQU0sWUFBWSxPQUFPLEtBQUssT0FBTyxFQUFFLEtBQUssR0FBRztBQUMvQyxTQUFPO0FBQUEsSUFDTCxNQUFNO0FBQUEsSUFDTixNQUFNLE9BQU87QUFDWCxZQUFNLFVBQVUsRUFBRSxRQUFRLFdBQVcsR0FBRyxDQUFDLEVBQUUsTUFBTSxVQUFVLFdBQVcsTUFBTTtBQUMxRSxjQUFNLE9BQU8sUUFBUSxZQUFZLElBQUk7QUFDckMsY0FBTSxhQUFhLE1BQU0sSUFBSSxJQUFJLEtBQUssYUFBYSxNQUFNLGFBQWEsUUFBUSxtQkFBbUI7QUFDakcsZUFBTyxhQUFhLEVBQUUsTUFBTSxNQUFNLFVBQVUsSUFBSTtBQUFBLE1BQ2xELENBQUM7QUFDRCxZQUFNLE9BQU8sRUFBRSxRQUFRLE1BQU0sVUFBVSxHQUFHLENBQUMsRUFBRSxLQUFLLE1BQU07QUFDdEQsY0FBTSxPQUFPLE1BQU0sSUFBSSxJQUFJLEtBQUs7QUFDaEMsZUFBTyxFQUFFLFVBQVUsT0FBTyxNQUFNLE1BQU0sTUFBTSxHQUFHLFFBQVEsS0FBSztBQUFBLE1BQzlELENBQUM7QUFDRCxZQUFNO0FBQUEsUUFBVSxFQUFFLFFBQVEsb0JBQW9CO0FBQUEsUUFBRyxDQUFDLEVBQUUsS0FBSyxNQUN2RCxLQUFLLE1BQU0sR0FBRyxFQUFFLEtBQUssVUFBVSxFQUFFLE1BQU0sVUFBVSxLQUFLLElBQUk7QUFBQSxNQUM1RDtBQUFBLElBQ0Y7QUFBQSxFQUNGO0FBQ0Y7QUFHTyxJQUFNLHFCQUE2QixhQUFhLE9BQU8sYUFBYTtBQUdwRSxJQUFNLDZCQUFxQyxhQUFhLE9BQU87QUFBQSxFQUNwRSx1QkFBdUI7QUFDekIsQ0FBQztBQUdNLFNBQVMsZUFBZSxRQUErQjtBQUM1RCxTQUFPLGFBQWEsUUFBUSxnQkFBZ0I7QUFDOUM7OztBRnZOQSxJQUFNLFNBQVM7QUFBQSxFQUNiLFFBQVE7QUFBQSxFQUNSLFVBQVU7QUFBQSxFQUNWLFFBQVE7QUFBQSxFQUNSLFVBQVU7QUFBQSxJQUNSO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQTtBQUFBLElBRUE7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsRUFDRjtBQUFBLEVBQ0Esb0JBQW9CO0FBQUEsRUFDcEIsS0FBSztBQUNQO0FBTUEsSUFBTSxhQUFhO0FBQUEsRUFDakI7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFDRjtBQU9BLElBQU0sbUJBQW1CLFdBQVcsV0FBVyxLQUFLLElBQUksQ0FBQztBQUd6RCxJQUFNLFVBQVUsRUFBRSxHQUFHLFFBQVEsUUFBUSxPQUFPLFFBQVEsRUFBRSxJQUFJLGlCQUFpQixFQUFFO0FBRTdFLElBQU0sU0FBUyxDQUFDLFVBQXVDLE1BQU0sSUFBSSxDQUFDLFNBQVMsT0FBTyxJQUFJLEtBQUs7QUFHM0YsSUFBTSxRQUFRLE9BQU8sQ0FBQyxZQUFZLFVBQVUsV0FBVyxDQUFDO0FBRXhELElBQU0sY0FBYztBQUFBLEVBQ2xCLEdBQUcsT0FBTyxDQUFDLGdCQUFnQixVQUFVLFNBQVMsT0FBTyxPQUFPLGlCQUFpQixZQUFZLENBQUM7QUFBQSxFQUMxRixHQUFHO0FBQ0w7QUFFQSxJQUFNLGtCQUFrQjtBQUFBLEVBQ3RCLEdBQUcsT0FBTyxDQUFDLGtCQUFrQixhQUFhLE9BQU8sT0FBTyxpQkFBaUIsWUFBWSxDQUFDO0FBQUEsRUFDdEYsR0FBRztBQUNMO0FBRUEsSUFBTSxlQUFlLE9BQU87QUFBQSxFQUMxQjtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFDRixDQUFDO0FBRUQsSUFBTSxjQUFjO0FBS3BCLFNBQVMsUUFBUSxFQUFFLE9BQU8sUUFBUSxPQUFPLGdCQUFnQixLQUFLLEdBQW1DO0FBQy9GLFNBQU8sQ0FBQyxZQUFZO0FBQ2xCLFlBQVEsbUJBQW1CO0FBQzNCLFlBQVEsZUFBZTtBQUN2QixZQUFRLG9CQUFvQixDQUFDO0FBQzdCLFlBQVEsWUFBWTtBQUNwQixZQUFRLGFBQWEsR0FBRyxLQUFLO0FBRTdCLFFBQUksQ0FBQyxjQUFlLFNBQVEsWUFBWSxFQUFFLEdBQUcsUUFBUSxXQUFXLGtCQUFrQixNQUFNO0FBQUEsRUFDMUY7QUFDRjtBQVNBLElBQU0sWUFBWSxDQUFDLFNBQXlCLFNBQVMsSUFBSTtBQUN6RCxJQUFNLFVBQVUsU0FBUyxDQUFDLFNBQVMsR0FBRyxVQUFVLElBQUksQ0FBQyxLQUFLO0FBQzFELElBQU0sVUFBVSxTQUFTLENBQUMsU0FBUyxHQUFHLElBQUksTUFBTTtBQUdoRCxJQUFNLE1BQWU7QUFBQSxFQUNuQixHQUFHO0FBQUEsRUFDSCxNQUFNO0FBQUEsRUFDTixXQUFXO0FBQUEsRUFDWCxPQUFPLEVBQUUsR0FBRyxVQUFVLENBQUMsZ0JBQWdCLGVBQWUsR0FBRyxXQUFXLENBQUMsR0FBRyxRQUFRLE9BQU87QUFBQSxFQUN2RixnQkFBZ0IsQ0FBQyxXQUFXLElBQUksR0FBRyxPQUFPO0FBQUEsRUFDMUMsZ0JBQWdCLFFBQVEsRUFBRSxPQUFPLFNBQVMsT0FBTyxLQUFLLENBQUM7QUFBQTtBQUFBLEVBRXZELEtBQUs7QUFBQSxJQUNILE9BQU87QUFBQSxNQUNMLEdBQUcsT0FBTyxDQUFDLFNBQVMsUUFBUSxjQUFjLFFBQVEsQ0FBQztBQUFBLE1BQ25ELEdBQUcsYUFBYSxPQUFPLENBQUMsU0FBUyxDQUFDLEtBQUssU0FBUyxTQUFTLENBQUM7QUFBQSxNQUMxRCxHQUFHO0FBQUEsTUFDSDtBQUFBLElBQ0Y7QUFBQSxFQUNGO0FBQ0Y7QUFPQSxJQUFNLFFBQWlCO0FBQUEsRUFDckIsR0FBRztBQUFBLEVBQ0gsTUFBTTtBQUFBLEVBQ04sV0FBVztBQUFBLEVBQ1gsS0FBSztBQUFBLEVBQ0wsT0FBTztBQUFBLElBQ0wsR0FBRyxVQUFVLENBQUMsR0FBRyxPQUFPLENBQUMsVUFBVSx3QkFBd0IsWUFBWSxDQUFDLEdBQUcsV0FBVyxDQUFDO0FBQUEsSUFDdkYsd0JBQXdCO0FBQUEsSUFDeEIsR0FBRyxZQUFZLE9BQU8sU0FBUztBQUFBLEVBQ2pDO0FBQUEsRUFDQSxnQkFBZ0IsQ0FBQyxvQkFBb0IsT0FBTztBQUFBLEVBQzVDLGdCQUFnQixRQUFRLEVBQUUsT0FBTyxRQUFRLENBQUM7QUFDNUM7QUFHQSxJQUFNLGNBQXVCO0FBQUEsRUFDM0IsR0FBRztBQUFBLEVBQ0gsTUFBTTtBQUFBLEVBQ04sV0FBVztBQUFBLEVBQ1gsS0FBSztBQUFBLEVBQ0wsT0FBTyxZQUFZLE1BQU0sU0FBUztBQUFBLEVBQ2xDLGdCQUFnQixDQUFDLGVBQWUsV0FBVyxJQUFJLEdBQUcsT0FBTztBQUFBLEVBQ3pELGdCQUFnQixRQUFRLEVBQUUsT0FBTyxRQUFRLENBQUM7QUFDNUM7QUFNQSxJQUFNLGFBQTZEO0FBQUEsRUFDakUsTUFBTTtBQUFBLEVBQ04sTUFBTSxPQUFPO0FBQ1gsVUFBTSxVQUFVLEVBQUUsUUFBUSxrQkFBa0IsR0FBRyxDQUFDLEVBQUUsTUFBTSxXQUFXLE9BQU87QUFBQSxNQUN4RSxNQUFNLEtBQUssWUFBWSxLQUFLLFFBQVEsVUFBVSxFQUFFLENBQUM7QUFBQSxNQUNqRCxXQUFXLEtBQUssU0FBUyxNQUFNLElBQUksUUFBUTtBQUFBLElBQzdDLEVBQUU7QUFDRixVQUFNLE9BQU8sRUFBRSxRQUFRLE1BQU0sV0FBVyxNQUFNLEdBQUcsQ0FBQyxFQUFFLEtBQUssT0FBTztBQUFBLE1BQzlELFVBQVVDLGNBQWEsTUFBTSxNQUFNO0FBQUEsTUFDbkMsUUFBUTtBQUFBLElBQ1YsRUFBRTtBQUNGLFVBQU0sT0FBTyxFQUFFLFFBQVEsTUFBTSxXQUFXLE9BQU8sR0FBRyxDQUFDLEVBQUUsS0FBSyxPQUFPLEVBQUUsVUFBVSxXQUFXLElBQUksR0FBRyxRQUFRLE9BQU8sRUFBRTtBQUFBLEVBQ2xIO0FBQ0Y7QUFHQSxJQUFNLGNBQXVEO0FBQUEsRUFDM0QsTUFBTTtBQUFBLEVBQ04sWUFBWSxNQUFNLEVBQUUsS0FBSyxHQUFHO0FBQzFCLFVBQU0sUUFBUSxTQUFTLFFBQVEsSUFBSSxFQUFFLFNBQVMsR0FBRztBQUNqRCxXQUFPLFFBQ0gsRUFBRSxNQUFNLEtBQUssV0FBVyxxREFBcUQsU0FBUyxFQUFFLElBQ3hGO0FBQUEsRUFDTjtBQUNGO0FBR0EsSUFBTSxPQUFnQjtBQUFBLEVBQ3BCLEdBQUc7QUFBQSxFQUNILE1BQU07QUFBQSxFQUNOLFdBQVc7QUFBQSxFQUNYLEtBQUs7QUFBQSxFQUNMLE9BQU87QUFBQSxFQUNQLGdCQUFnQixDQUFDLFlBQVksV0FBVyxJQUFJLENBQUM7QUFBQSxFQUM3QyxTQUFTLENBQUMsV0FBVztBQUFBLEVBQ3JCLGdCQUFnQixRQUFRLEVBQUUsT0FBTyxPQUFPLENBQUM7QUFDM0M7QUFHQSxJQUFNLGNBQXVCO0FBQUEsRUFDM0IsR0FBRztBQUFBLEVBQ0gsTUFBTTtBQUFBLEVBQ04sUUFBUTtBQUFBLEVBQ1IsV0FBVztBQUFBLEVBQ1gsS0FBSztBQUFBLEVBQ0wsT0FBTyxPQUFPLENBQUMsY0FBYyxDQUFDO0FBQUEsRUFDOUIsZ0JBQWdCLFFBQVEsRUFBRSxPQUFPLGVBQWUsQ0FBQztBQUNuRDtBQUdBLElBQU0sVUFBVTtBQUFBLEVBQ2QsR0FBRztBQUFBLEVBQ0gsUUFBUTtBQUFBLEVBQ1IsV0FBVztBQUFBO0FBQUEsRUFFWCxRQUFRLEVBQUUsSUFBSTtBQUFBLEVBQWtCLGdCQUFnQixHQUFHO0FBQUEsRUFDbkQsZ0JBQWdCLENBQUMsT0FBTztBQUFBLEVBQ3hCLGdCQUFnQixRQUFRLEVBQUUsT0FBTyxTQUFTLE9BQU8sTUFBTSxlQUFlLE1BQU0sQ0FBQztBQUMvRTtBQUVBLElBQU0sTUFBZTtBQUFBLEVBQ25CLEdBQUc7QUFBQSxFQUNILE1BQU07QUFBQTtBQUFBLEVBRU4sS0FBSyxFQUFFLE9BQU8sQ0FBQyxHQUFHLE9BQU8sQ0FBQyxTQUFTLFFBQVEsY0FBYyxZQUFZLENBQUMsR0FBRyxHQUFHLGlCQUFpQixXQUFXLEVBQUU7QUFBQSxFQUMxRyxPQUFPLEVBQUUsR0FBRyxVQUFVLE9BQU8sQ0FBQyxTQUFTLE1BQU0sQ0FBQyxDQUFDLEdBQUcsUUFBUSxPQUFPO0FBQUEsRUFDakUsZ0JBQWdCLENBQUMsV0FBVyxLQUFLLEdBQUcsT0FBTztBQUM3QztBQUdBLElBQU0sV0FBb0I7QUFBQSxFQUN4QixHQUFHO0FBQUEsRUFDSCxNQUFNO0FBQUEsRUFDTixLQUFLLEVBQUUsT0FBTyxPQUFPLENBQUMsYUFBYSxDQUFDLEVBQUU7QUFBQSxFQUN0QyxPQUFPLE9BQU8sQ0FBQyxjQUFjLGFBQWEsQ0FBQztBQUFBLEVBQzNDLGdCQUFnQixDQUFDLFlBQVk7QUFDM0IsWUFBUSxlQUFlO0FBQ3ZCLFlBQVEsWUFBWSxFQUFFLEdBQUcsUUFBUSxXQUFXLGtCQUFrQixNQUFNO0FBQUEsRUFDdEU7QUFBQSxFQUNBLFNBQVM7QUFBQSxJQUNQO0FBQUEsTUFDRSxNQUFNO0FBQUE7QUFBQSxNQUVOLGFBQWEsQ0FBQyxNQUFNLEVBQUUsS0FBSyxNQUN6QixLQUFLLFNBQVMsaUJBQWlCLElBQUksRUFBRSxNQUFNLEdBQUcsSUFBSTtBQUFBLEVBQTZDLElBQUk7QUFBQSxJQUN2RztBQUFBLEVBQ0Y7QUFDRjtBQUdBLElBQU0sV0FBb0I7QUFBQSxFQUN4QixHQUFHO0FBQUEsRUFDSCxNQUFNO0FBQUEsRUFDTixLQUFLO0FBQUEsRUFDTCxPQUFPO0FBQUEsSUFDTCxHQUFHLFVBQVUsQ0FBQyxxQkFBcUIsV0FBVyxDQUFDO0FBQUEsSUFDL0MsdUJBQXVCO0FBQUEsSUFDdkIsR0FBRyxZQUFZLE9BQU8sQ0FBQyxTQUFTLElBQUk7QUFBQSxJQUNwQyxHQUFHO0FBQUEsRUFDTDtBQUFBLEVBQ0EsZ0JBQWdCLENBQUMsNEJBQTRCLE9BQU87QUFBQSxFQUNwRCxnQkFBZ0IsUUFBUSxFQUFFLE9BQU8sU0FBUyxlQUFlLE1BQU0sQ0FBQztBQUNsRTtBQUdBLElBQU0sYUFBc0Q7QUFBQSxFQUMxRCxNQUFNO0FBQUEsRUFDTixNQUFNLFlBQVksTUFBTTtBQUN0QixVQUFNLEVBQUUsTUFBTSxTQUFTLElBQUksTUFBTSxVQUFVLE1BQU07QUFBQSxNQUMvQyxRQUFRO0FBQUEsTUFDUixVQUFVO0FBQUEsTUFDVixRQUFRO0FBQUEsTUFDUixrQkFBa0I7QUFBQSxNQUNsQixRQUFRO0FBQUEsRUFBa0IsZ0JBQWdCO0FBQUEsSUFDNUMsQ0FBQztBQUNELFdBQU8sRUFBRSxNQUFNLFNBQVM7QUFBQSxFQUMxQjtBQUNGO0FBR0EsSUFBTSxZQUFxQjtBQUFBLEVBQ3pCLEdBQUc7QUFBQSxFQUNILE1BQU07QUFBQSxFQUNOLFFBQVE7QUFBQSxFQUNSLFdBQVc7QUFBQSxFQUNYLGNBQWMsT0FBTyxFQUFFLElBQUksT0FBTztBQUFBLEVBQ2xDLFFBQVEsQ0FBQztBQUFBLEVBQ1QsS0FBSztBQUFBLEVBQ0wsT0FBTyxFQUFFLEdBQUcsVUFBVSxlQUFlLEdBQUcsR0FBRyxZQUFZLE1BQU0sQ0FBQyxTQUFTLElBQUksRUFBRTtBQUFBLEVBQzdFLGdCQUFnQixDQUFDLGVBQWUsV0FBVyxLQUFLLEdBQUcsT0FBTztBQUFBLEVBQzFELGdCQUFnQixRQUFRLEVBQUUsT0FBTyxVQUFVLGVBQWUsTUFBTSxDQUFDO0FBQUEsRUFDakUsU0FBUyxDQUFDLFVBQVU7QUFDdEI7QUFHQSxTQUFTLFVBQVUsT0FBa0Q7QUFDbkUsU0FBTyxPQUFPLFlBQVksTUFBTSxJQUFJLENBQUMsU0FBUyxDQUFDLEtBQUssUUFBUSxtQkFBbUIsSUFBSSxHQUFHLElBQUksQ0FBQyxDQUFDO0FBQzlGO0FBR0EsSUFBTSxlQUErRDtBQUFBLEVBQ25FLE1BQU07QUFBQSxFQUNOLE1BQU0sT0FBTztBQUNYLFVBQU0sT0FBTyxFQUFFLFFBQVEsc0JBQXNCLEdBQUcsQ0FBQyxFQUFFLEtBQUssTUFBTTtBQUM1RCxZQUFNLFFBQWlCLEtBQUssTUFBTUEsY0FBYSxNQUFNLE1BQU0sQ0FBQztBQUM1RCxZQUFNLFVBQW1CLE9BQU8sVUFBVSxZQUFZLFVBQVUsT0FBTyxRQUFRLElBQUksT0FBTyxTQUFTLElBQUk7QUFDdkcsYUFBTyxFQUFFLFVBQVUsS0FBSyxVQUFVLEVBQUUsUUFBUSxDQUFDLEdBQUcsUUFBUSxPQUFPO0FBQUEsSUFDakUsQ0FBQztBQUFBLEVBQ0g7QUFDRjtBQUVBLElBQU0sU0FBb0IsQ0FBQyxLQUFLLE9BQU8sYUFBYSxNQUFNLGFBQWEsS0FBSyxVQUFVLFVBQVUsU0FBUyxFQUFFO0FBQUEsRUFDekcsQ0FBQyxhQUFhO0FBQUEsSUFDWixHQUFHO0FBQUE7QUFBQSxJQUVILEtBQUssUUFBUSxLQUFLLFNBQVMsVUFBVSxJQUFJLFFBQVMsUUFBUSxPQUFPO0FBQUEsSUFDakUsZ0JBQWdCO0FBQUEsTUFDZDtBQUFBLE1BQ0EsR0FBSSxRQUFRLGtCQUFrQixDQUFDO0FBQUEsTUFDL0IsR0FBSSxZQUFZLGNBQWMsQ0FBQyxJQUFJLENBQUMsZUFBZSxRQUFRLE1BQU0sV0FBVyxLQUFLLE1BQU0sT0FBTyxRQUFRLEtBQUssQ0FBQztBQUFBLElBQzlHO0FBQUEsRUFDRjtBQUNGO0FBQ0EsSUFBTyxzQkFBUTsiLAogICJuYW1lcyI6IFsicmVhZEZpbGVTeW5jIiwgImJ1aWxkU3luYyIsICJidWlsZFN5bmMiLCAic2hhcmVkIiwgInNvdXJjZSIsICJyZWFkRmlsZVN5bmMiXQp9Cg==
