import { defineConfig } from "veritest";
import { PROMPTS, deskWith } from "./desk.ts";

// The code still has the broken prompt.
export default defineConfig({ steps: () => [deskWith(PROMPTS.broken)] });
