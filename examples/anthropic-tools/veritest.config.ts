import { defineConfig } from "veritest";

export default defineConfig({
  steps: () => import("./src/steps.ts"),
  // The baselines were recorded from fake-model.js: any host may serve the model.
  recording: { ignore: ["fetch[0].origin"] },
});
