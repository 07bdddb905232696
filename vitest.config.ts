import { globSync, readFileSync } from "node:fs";
import type { ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification, type VitestPluginContext } from "vitest/node";
import { bundlePage } from "./scripts/bundle-page.ts";

/** `import script from "./main.ts?page"`: the page's modules as one script, as the build bundles them. */
const pagePlugin = {
  name: "page",
  enforce: "pre",
  load: (id: string) =>
    isPage(id) ? `export default ${JSON.stringify(bundlePage(id.replace(/\?page$/, "")))};` : undefined,
  // Of all that is bundled in, the cache of transformed modules knows the first file alone.
  configureVitest: ({ defineCacheKeyGenerator }: VitestPluginContext) =>
    defineCacheKeyGenerator(({ id }) => (isPage(id) ? false : undefined)),
} as const;

function isPage(id: string): boolean {
  return id.endsWith("?page");
}

/** An import of a model's client. Such a client can repeat a request after its test, during another one. */
const CLIENT = /from "(?:openai|ai|ai\d|ai\/.+|@(?:ai-sdk|anthropic-ai|google|langchain|openai)\/.+)"/;

/**
 * Tests that have a worker of their own: those with a model's client, and those that depend on what was loaded in their
 * worker. All other files share workers, which saves them the import of the same modules: two thirds of their processor
 * time.
 */
const OWN_WORKER = [
  "src/check/run/adapter-source.test.ts",
  "src/extras/verified-commit/**/*.test.ts",
  "src/cli/{serve/**/*,cases/install-recorders}.test.ts",
  ...globSync("src/**/*.test.ts").filter((path) => CLIENT.test(readFileSync(path, "utf8"))),
];
const ELSEWHERE = ["**/node_modules/**", "dist/**", "e2e/**", "fixtures/projects/**"];

/** Files that take a minute. They start first, so that none of them runs alone at the end. */
const LONG = /(?:store\/contract|flow\/docs|scripts\/(?:architecture|messages|readme))\.test\.ts$/;

/** Vitest's order (files with a worker of their own first, then by size), with the long files of each group first. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification): number =>
      (project.config.isolate ? 0 : 2) + (LONG.test(moduleId) ? 0 : 1);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

const config: ViteUserConfig = {
  plugins: [pagePlugin],
  test: {
    globalSetup: ["test-support/temporary-directory.ts"],
    setupFiles: ["test-support/seed.ts", "test-support/clean-worker.ts"],
    pool: "threads",
    // Deep tests wait for child processes two thirds of their time, and none depends on the machine's speed.
    maxWorkers: process.env["DEEP_TESTS"] === undefined ? 2 : 4,
    // For what hangs alone: no test is timed by it, however busy the machine. On one a tenth of whose processor was left
    // for the tests, some that take ten seconds alone took more than two minutes.
    tags: [
      { name: "deep", description: "starts processes, servers or databases, or takes more than a third of a second" },
    ],
    sequence: { sequencer: LongFirst },
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: ["src/**/*.test.ts", "fixtures/**/*.test.ts", "scripts/**/*.test.ts", "test-support/**/*.test.ts"],
          exclude: [...ELSEWHERE, ...OWN_WORKER],
        },
      },
      { extends: true, test: { name: "own worker", include: OWN_WORKER, exclude: ELSEWHERE } },
    ],
  },
};
export default config;
