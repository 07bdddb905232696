import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type VeritestPluginOptions, veritest } from "./plugin.ts";

interface Added {
  readonly files: readonly string[];
  readonly serializers: readonly string[];
  readonly warnings: number;
}

/** What a project has whose own set-up file is `own.ts`, by base names. */
function added(options?: VeritestPluginOptions, snapshotSerializers: string[] = []): Added {
  const config = { setupFiles: ["/project/own.ts"], snapshotSerializers };
  const warn = vi.fn();
  veritest(options).configureVitest({
    project: { name: "unit", config },
    vitest: { config: { reporters: [] }, logger: { warn } },
  });
  const names = (paths: readonly string[]): string[] => paths.map((path) => path.replace(/^.*\//, ""));
  return { files: names(config.setupFiles), serializers: names(snapshotSerializers), warnings: warn.mock.calls.length };
}

test("adds the set-up file behind the project's own", () => {
  expect(added()).toStrictEqual({ files: ["own.ts", "vitest-plugin-set-up.js?inline"], serializers: [], warnings: 0 });
});

test("puts the tape of fetch before all others where it is asked for", () => {
  expect(added({ fetch: true }).files).toStrictEqual([
    "fetch-setup.js?inline",
    "own.ts",
    "vitest-plugin-set-up.js?inline",
  ]);
});

test("puts the tape of the AI SDK behind its own set-up file where it is asked for", () => {
  expect(added({ aiSdk: true }).files).toStrictEqual([
    "own.ts",
    "vitest-plugin-set-up.js?inline",
    "ai-sdk-setup.js?inline",
  ]);
});

test("lists its serializer behind a project's own where there are some", () => {
  expect(added({}, ["/project/dates.ts"])).toStrictEqual({
    files: ["own.ts", "vitest.js?inline"],
    serializers: ["dates.ts", "serializer.js"],
    warnings: 0,
  });
});

test("lets Vite serve the plugin's folder, whatever else it serves", () => {
  const allow = ["/project"];
  veritest().configResolved({ server: { fs: { allow } } });
  expect(allow).toStrictEqual(["/project", import.meta.dirname]);
  expect(() => {
    veritest().configResolved({});
  }).not.toThrow();
});

test("changed baselines count as changes of their tests, set before or after the plugin is configured", () => {
  const folder = mkdtempSync(join(tmpdir(), "veritest-plugin-"));
  writeFileSync(join(folder, "a.test.ts"), "");
  const baseline = join(folder, "__baselines__", "a.test.ts", "price.json");
  const config: { reporters: unknown[]; related?: readonly string[] | undefined } = { reporters: [] };
  veritest().configureVitest({
    project: { name: "unit", config: { setupFiles: [], snapshotSerializers: [] } },
    vitest: { config, logger: { warn: vi.fn() } },
  });
  expect(config.related).toBeUndefined();
  config.related = [baseline];
  expect(config.related).toStrictEqual([baseline, join(folder, "a.test.ts")]);
});
