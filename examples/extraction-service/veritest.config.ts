import { defineConfig } from "veritest";
import { extractorAt, readPrescription } from "./step.ts";

const extractor = extractorAt(process.env["EXTRACT_URL"] ?? "http://127.0.0.1:8000");

export default defineConfig({ steps: () => [{ step: readPrescription, adapters: () => ({ extractor }) }] });
