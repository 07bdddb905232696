import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
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

test("adds the setup file after the project's own", () => {
  expect(added()).toStrictEqual({ files: ["own.ts", "vitest-plugin-set-up.js?inline"], serializers: [], warnings: 0 });
});

test("puts the recorder of fetch before all others where it is requested", () => {
  expect(added({ fetch: true }).files).toStrictEqual([
    "fetch-setup.js?inline",
    "own.ts",
    "vitest-plugin-set-up.js?inline",
  ]);
});

test("puts the recorder of the AI SDK behind its own set-up file where it is requested", () => {
  expect(added({ aiSdk: true }).files).toStrictEqual([
    "own.ts",
    "vitest-plugin-set-up.js?inline",
    "ai-sdk-setup.js?inline",
  ]);
});

test("names its files without a query if Node loads them, which can't find a file with one", () => {
  const config = {
    setupFiles: ["/project/own.ts"],
    snapshotSerializers: [],
    experimental: { viteModuleRunner: false },
  };
  veritest({ fetch: true, aiSdk: true }).configureVitest({
    project: { name: "unit", config },
    vitest: { config: { reporters: [] }, logger: { warn: vi.fn() } },
  });
  expect(config.setupFiles.map((path) => path.replace(/^.*\//, ""))).toStrictEqual([
    "fetch-setup.js",
    "own.ts",
    "vitest-plugin-set-up.js",
    "ai-sdk-setup.js",
  ]);
});

test("adds its serializer after a project's own", () => {
  expect(added({}, ["/project/dates.ts"])).toStrictEqual({
    files: ["own.ts", "vitest.js?inline"],
    serializers: ["dates.ts", "serializer.js"],
    warnings: 0,
  });
});

test("lets Vite serve the plugin's folder, along with others", () => {
  const allow = ["/project"];
  veritest().configResolved({ server: { fs: { allow } } });
  expect(allow).toStrictEqual(["/project", import.meta.dirname]);
  expect(() => {
    veritest().configResolved({});
  }).not.toThrow();
});

/** A project with one installed package. */
function projectWith(name: string, version: string): string {
  const root = mkdtempSync(join(tmpdir(), "veritest-plugin-"));
  mkdirSync(join(root, "node_modules", name), { recursive: true });
  writeFileSync(join(root, "node_modules", name, "package.json"), JSON.stringify({ version }));
  return root;
}

test("refuses a Vitest that never configures plugins when it resolves them, but not a build", () => {
  const root = projectWith("vitest", "2.1.9");
  expect(() => veritest().configResolved({ root, mode: "test" })).toThrow(
    "veritest needs vitest 3.2 or newer; this is 2.1.9. Update it: npm install --save-dev vitest@latest",
  );
  expect(() => veritest().configResolved({ root, mode: "production" })).not.toThrow();
});

test("refuses aiSdk for an AI SDK without the registry, but not fetch", () => {
  const root = projectWith("ai", "6.0.324");
  const configure = (options: VeritestPluginOptions) => (): void =>
    veritest(options).configureVitest({
      project: { name: "unit", config: { setupFiles: [], snapshotSerializers: [], root } },
      vitest: { config: { reporters: [] }, logger: { warn: vi.fn() } },
    });
  expect(configure({ aiSdk: true })).toThrow(
    "veritest needs ai 7 or newer; this is 6.0.324. With ai 4 to 6 leave out aiSdk: true, and record what it " +
      "fetches: veritest({ fetch: true })",
  );
  expect(configure({ fetch: true })).not.toThrow();
});

test("counts changed baselines as changes of their tests, set before or after configuring the plugin", () => {
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
  // Searched once, although Vitest reads it often.
  expect(config.related).toBe(config.related);
});
