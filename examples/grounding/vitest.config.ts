import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({ plugins: [veritest()], test: { setupFiles: ["veritest/grounding/vitest"] } });
