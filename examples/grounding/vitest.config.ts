import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

// In a project of yours: plugins: [veritest()] of "veritest/plugin", setupFiles: ["veritest/grounding/vitest"], no
// alias.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../../node_modules/.vite/grounding", import.meta.url)),
  resolve: {
    alias: [
      { find: "veritest/kernel", replacement: source("kernel.ts") },
      { find: /^veritest\/grounding$/, replacement: source("grounding.ts") },
    ],
  },
  test: { include: ["*.test.ts"], setupFiles: [source("vitest.ts"), source("grounding-vitest.ts")] },
});
