/**
 * An extraction service in another process whose extractions come in no order: recorded, kept clean, and what an upgrade
 * of its model changes: `node examples/extraction-service/run.ts`. Needs no key. Fails where it does not come out as
 * docs/extraction-service.md promises.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createCliProject } from "../cli-project.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const service = spawn(process.execPath, [here("service.ts")], { stdio: ["ignore", "pipe", "inherit"] });
const project = createCliProject();
try {
  const lines: readonly unknown[] = await once(createInterface(service.stdout), "line");
  project.configure(`  const { readPrescription: step, extractorAt } = await import(${JSON.stringify(here("step.ts"))});
  return [{ step, adapters: () => ({ extractor: extractorAt(${JSON.stringify(lines[0])}) }) }];`);
  const letters = ["250 mg ibuprofen twice a day against fever.", "One paracetamol, 500 mg, at night."];
  writeFileSync(join(project.directory, "letters.jsonl"), letters.map((text) => JSON.stringify({ text })).join("\n"));

  const capture = ["capture", "--step", "read-prescription", "--input", "letters.jsonl"];
  assert.equal(project.veritest(capture).code, 0);
  const baselines = (): readonly string[] => {
    const folder = join(project.directory, "__baselines__/read-prescription");
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  };
  const recorded = baselines();
  assert.equal(recorded.length, 2);

  // Another order, other numbers, another id of the document: no change, and nothing to write.
  assert.match(project.veritest(["test", "--live"]).out, /2 baselines, 2 clean/);
  assert.equal(project.veritest([...capture, "--update"]).code, 0);
  assert.deepEqual(baselines(), recorded);

  // The model is upgraded: the service is asked by its new name, and every difference is named.
  const upgraded = { env: { EXTRACT_MODEL: "extract-2" } };
  const changed = project.veritest(["diff", "--live"], upgraded);
  assert.match(changed.out, /cause: model \(extractor\.extract request\[0\]\.model_id: "extract-1" → "extract-2"\)/);
  assert.match(changed.out, /\+ found\["condition@37"\]: /);
  assert.match(changed.out, /found\["dosage@0"\]\.attributes\.unit: "mg" → "milligram"/);

  // Accepted is what was shown; from then on the new answers are served, without the service.
  assert.equal(project.veritest(["accept", "--all", "--reason", "extract-2 finds conditions"]).code, 0);
  service.kill();
  assert.match(project.veritest(["test"], upgraded).out, /2 baselines, 2 clean/);
} finally {
  service.kill();
  project.remove();
}
