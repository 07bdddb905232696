import { defineConfig } from "veritest";
import { NEW, sortLetter } from "./step.ts";

export default defineConfig({ steps: () => [{ step: sortLetter, adapters: () => ({ model: NEW }) }] });
