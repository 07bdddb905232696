import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = {
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
