import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { addTestsOfBaselines } from "./baseline/tests-of-baselines.ts";
import { oneLine } from "./kernel/printed.ts";
import { requireNode } from "./kernel/require-node.ts";
import { requirePackage, requireZod } from "./kernel/files/require-package.ts";
import VeritestReporter from "./reporter/vitest.ts";

/** Settings of one Vitest project, to which the plugin adds its own. */
interface ProjectConfig {
  readonly setupFiles: string[];
  readonly snapshotSerializers: string[];
  readonly browser?: { readonly enabled?: boolean } | undefined;
  readonly root?: string;
  readonly experimental?: { readonly viteModuleRunner?: boolean };
}

/** Fields of the argument of `configureVitest` that veritest uses. They are the same in Vitest 3.2 to 5. */
export interface VitestSetup {
  readonly project: { readonly name: string; readonly config: ProjectConfig };
  readonly vitest: {
    readonly config: {
      readonly reporters: unknown[];
      /** Changed files whose tests Vitest runs, from `vitest related` or `--changed`. */
      related?: readonly string[] | undefined;
    };
    readonly logger: { warn(...lines: unknown[]): void };
  };
}

/** Options of the plugin. */
export interface VeritestPluginOptions {
  /**
   * Records and replays the `fetch` requests of steps, like calls of adapters. Default: false. veritest installs the
   * recorder in each worker before your test files create clients.
   */
  readonly fetch?: boolean;
  /**
   * Records and replays the calls of `generateText` and `streamText` (AI SDK 7) by steps. Default: false. veritest
   * installs the recorder in each worker.
   */
  readonly aiSdk?: boolean;
}

/** Part of Vite's resolved configuration that the plugin reads and adds to. */
interface ServerConfig {
  readonly root?: string;
  readonly mode?: string;
  readonly server?: { readonly fs?: { readonly allow?: string[] } };
}

/** Part of Vite's plugin interface that veritest implements. */
export interface VeritestPlugin {
  readonly name: string;
  configResolved(config: ServerConfig): void;
  configureVitest(setup: VitestSetup): void;
}

/**
 * Marks a configuration that has the reporter: projects share one, and a bundled configuration may load this file
 * twice.
 */
const REPORTED = Symbol.for("veritest.reporter");

/**
 * Has Vite load the set-up file, which Vitest then runs for every test file. Node, which loads files in node_modules,
 * would run it once per worker, and with `isolate: false` a worker has many test files. Vitest ensures that only for
 * set-up files that it knows before plugins run. Without Vite's module runner, Node can't find a file with a query.
 */
const PER_FILE = "?inline";

/** Directory of this file: the package's own. */
const HERE = dirname(fileURLToPath(import.meta.url));

/** The registry by which `aiSdk` records is new in 7: with an older SDK it would record nothing. */
const OLDER_AI = "With ai 4 to 6 leave out aiSdk: true, and record what it fetches: veritest({ fetch: true })";

/**
 * The Vitest plugin: adds the matchers, the serializer and the reporter to every project.
 *
 * @example
 * export default defineConfig({ plugins: [veritest()] });
 * export default defineConfig({ plugins: [veritest({ fetch: true, aiSdk: true })] });
 */
export function veritest({ fetch = false, aiSdk = false }: VeritestPluginOptions = {}): VeritestPlugin {
  return {
    name: "veritest",
    configResolved(config) {
      // Older versions call no other function of the plugin: tests would have no matchers.
      if (config.mode === "test" && config.root !== undefined) {
        requirePackage("vitest", "3.2", { root: config.root });
        requireZod(HERE);
      }
      // Vite serves set-up files from its root alone in environments like jsdom, and node_modules may be above it.
      config.server?.fs?.allow?.push(HERE);
    },
    configureVitest({ project, vitest }) {
      requireNode();
      if (aiSdk && project.config.root !== undefined)
        requirePackage("ai", "7", { root: project.config.root, fix: OLDER_AI });
      if (project.config.browser?.enabled === true) {
        const words = "runs in a browser, where baselines can't be read, so its tests don't have the matchers.";
        vitest.logger.warn(oneLine(`veritest: project "${project.name}" ${words}`));
        return;
      }
      const { setupFiles, snapshotSerializers, experimental } = project.config;
      const query = experimental?.viteModuleRunner === false ? "" : PER_FILE;
      // Vitest uses the last serializer of this list first, a project's or veritest's: only there can veritest's stay
      // last.
      const listed = snapshotSerializers.length > 0;
      setupFiles.push(`${inPackage(listed ? "./vitest.js" : "./vitest-plugin-set-up.js")}${query}`);
      if (listed) snapshotSerializers.push(inPackage("./serializer.js"));
      // First of all: another set-up file may build clients, which keep the `fetch` they find.
      if (fetch) setupFiles.unshift(`${inPackage("./fetch-setup.js")}${query}`);
      if (aiSdk) setupFiles.push(`${inPackage("./ai-sdk-setup.js")}${query}`);
      // A watch that restarts keeps the Vitest instance and makes its configuration again.
      if (Reflect.has(vitest.config, REPORTED)) return;
      Reflect.defineProperty(vitest.config, REPORTED, { value: true, enumerable: false });
      vitest.config.reporters.push(new VeritestReporter());
      relateBaselines(vitest.config);
    },
  };
}

/** Has Vitest run the tests of changed baselines for `--changed` and `vitest related`, as it does for `.snap` files. */
function relateBaselines(config: VitestSetup["vitest"]["config"]): void {
  let related = config.related && addTestsOfBaselines(config.related);
  Reflect.defineProperty(config, "related", {
    configurable: true,
    enumerable: true,
    get: () => related,
    // Searched here, because Vitest reads the list once for each project.
    set: (paths: VitestSetup["vitest"]["config"]["related"]) => {
      related = paths && addTestsOfBaselines(paths);
    },
  });
}

/** The configuration is resolved already: only absolute paths are understood. */
function inPackage(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
