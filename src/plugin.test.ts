import { expect, test, vi } from "vitest";
import { type VeritestPluginOptions, veritest } from "./plugin.ts";

/** The set-up files of a project whose own one is `own.ts`, by their base names. */
function setupFiles(options?: VeritestPluginOptions): { readonly files: readonly string[]; readonly warnings: number } {
  const config = { setupFiles: ["/project/own.ts"], snapshotSerializers: [] };
  const warn = vi.fn();
  veritest(options).configureVitest({ project: { name: "unit", config }, vitest: { config: { reporters: [] }, logger: { warn } } });
  return { files: config.setupFiles.map((path) => path.replace(/^.*\//, "")), warnings: warn.mock.calls.length };
}

test("adds the set-up file behind the project's own", () => {
  expect(setupFiles()).toStrictEqual({ files: ["own.ts", "vitest.js?inline"], warnings: 0 });
});

test("puts the tape of fetch before all others where it is asked for", () => {
  expect(setupFiles({ fetch: true })).toStrictEqual({ files: ["fetch-setup.js?inline", "own.ts", "vitest.js?inline"], warnings: 0 });
});
