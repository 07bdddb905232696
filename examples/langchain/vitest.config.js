import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [veritest({ fetch: true })],
  // A model may take longer than the default, 5 seconds. A replay takes milliseconds.
  test: { testTimeout: 60_000 },
});
