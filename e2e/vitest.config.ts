import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = {
  test: {
    include: ["e2e/*.test.ts"],
    globalSetup: ["e2e/setup.ts"],
    pool: "threads",
    maxWorkers: 2,
    // Each test runs real runners as child processes, a second or two each on a free machine. For what hangs alone.
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
};
export default config;
