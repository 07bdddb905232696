import { join } from "node:path";
import { createRequire } from "node:module";
import { requireNode } from "./kernel/require-node.ts";
import { requirePackage, requireZod } from "./kernel/files/require-package.ts";
import { relateBaselines } from "./reporter/run/related-tests.ts";

requireNode();
requirePackage("jest", "29.7", { root: process.cwd() });
requireZod(__dirname);

// Jest evaluates a preset in its main process, before it searches for tests.
relateBaselines(createRequire(__filename).cache);

/** Settings that Jest merges into a configuration with `preset: "veritest/jest"`. */
export interface JestPreset {
  readonly setupFilesAfterEnv: readonly string[];
  readonly snapshotSerializers: readonly string[];
  readonly reporters: readonly string[];
  readonly watchPathIgnorePatterns: readonly string[];
}

/**
 * Adds the matchers, the serializer and the reporter. Absolute paths, because Jest resolves a preset's from elsewhere.
 */
const preset: JestPreset = {
  setupFilesAfterEnv: [join(__dirname, "jest-setup.cjs")],
  snapshotSerializers: [join(__dirname, "serializer.cjs")],
  reporters: ["default", join(__dirname, "reporter/jest.js")],
  watchPathIgnorePatterns: ["/__baselines__/"],
};

export default preset;
