import { defineConfig } from "veritest";

export default defineConfig({
  steps: () => import("./src/steps.js"),
  // The baselines were recorded from fake-model.js: any host may serve the model.
  recording: { ignore: ["fetch[0].origin"] },
});
