import type { ViteUserConfig } from "vitest/config";
import { bundlePage } from "./scripts/bundle-page.ts";

/** `import script from "./main.ts?page"`: the page's modules as one script, as the build bundles them. */
const pagePlugin = {
  name: "page",
  enforce: "pre",
  load: (id: string) =>
    id.endsWith("?page") ? `export default ${JSON.stringify(bundlePage(id.replace(/\?page$/, "")))};` : undefined,
} as const;

const config: ViteUserConfig = {
  plugins: [pagePlugin],
  test: {
    include: ["src/**/*.test.ts", "fixtures/**/*.test.ts", "scripts/**/*.test.ts"],
    exclude: ["**/node_modules/**", "dist/**", "e2e/**", "fixtures/projects/**"],
    globalSetup: ["src/testing/temporary-directory.ts"],
    setupFiles: ["src/testing/seed.ts"],
    pool: "threads",
    maxWorkers: 2,
    // A property of 10,000 runs may pass half a minute on a busy machine.
    testTimeout: 90_000,
  },
};
export default config;
