import type { Options } from "tsup";

const shared = {
  target: "node22",
  platform: "node",
  outDir: "dist",
  external: ["vitest", "vite", "jest", /^@jest\//, "zod"],
  removeNodeProtocol: false,
  dts: true,
} satisfies Options;

const ESM_ENTRIES: string[] = [
  "src/index.ts",
  "src/jest-setup.ts",
  "src/jest.ts",
  "src/plugin.ts",
  "src/reporter/jest.ts",
  "src/reporter/vitest.ts",
  "src/serializer.ts",
];

/** What `import` gets. One build, so that these entries share one copy of each module and `import()` stays lazy. */
const esm: Options = {
  ...shared,
  name: "esm",
  format: "esm",
  splitting: true,
  entry: ESM_ENTRIES,
  // The set-up file's declarations too: types declared twice would not fit each other.
  dts: { entry: [...ESM_ENTRIES, "src/vitest.ts"] },
};

/** Vitest's set-up file, by itself: shared with nothing, its static part is two files instead of eight for each test file. */
const setup: Options = {
  ...shared,
  name: "setup",
  format: "esm",
  splitting: true,
  dts: false,
  entry: ["src/vitest.ts"],
  esbuildOptions(options) {
    // Told apart by name from the other entries' chunks, so that each budget counts its own.
    options.chunkNames = "setup-[hash]";
  },
};

/** What `require` gets, which is how Jest loads most of it. Each entry is one self-contained file. */
const cjs: Options = {
  ...shared,
  name: "cjs",
  format: "cjs",
  splitting: false,
  entry: ["src/index.ts", "src/jest-setup.ts", "src/jest.ts", "src/serializer.ts"],
  esbuildOptions(options) {
    // Jest runs CommonJS in a vm that has no `import()`: there it must become a `require` at first use.
    options.supported = { ...options.supported, "dynamic-import": false };
  },
};

/** CommonJS whose one export is what Jest loads by path: `module.exports` is the default export itself. */
const cjsDefault: Options = {
  ...cjs,
  name: "cjs-default",
  entry: ["src/jest-preset.ts", "src/reporter/jest.ts"],
  cjsInterop: true,
  footer: { js: "module.exports = module.exports.default;" },
};

const config: Options[] = [esm, setup, cjs, cjsDefault];
export default config;
