/**
 * An extraction service in another process whose extractions come in no order: recorded, kept clean, and what an upgrade
 * of its model changes: `node examples/extraction-service/run.ts`. Needs no key. Fails where it does not come out as
 * docs/integrations/http-service.md promises.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Runs a command of veritest to its end and shows what it prints. */
function veritest(...args: readonly string[]): { readonly code: number | null; readonly out: string } {
  const cli = fileURLToPath(new URL("dist/cli.js", import.meta.resolve("veritest/package.json")));
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" });
  console.log(`\n$ npx veritest ${args.join(" ")}\n${stdout}${stderr}`);
  return { code: status, out: stdout };
}

// Each run starts from nothing, with its pending changes in this directory.
process.chdir(import.meta.dirname);
for (const path of ["__baselines__", "state", "letters.jsonl"]) rmSync(path, { recursive: true, force: true });
process.env["VERITEST_STATE_DIR"] = "state";

const service = spawn(process.execPath, ["service.ts"], { stdio: ["ignore", "pipe", "inherit"] });
try {
  const lines: readonly unknown[] = await once(createInterface(service.stdout), "line");
  process.env["EXTRACT_URL"] = String(lines[0]);
  const letters = ["250 mg ibuprofen twice a day against fever.", "One paracetamol, 500 mg, at night."];
  writeFileSync("letters.jsonl", letters.map((text) => JSON.stringify({ text })).join("\n"));

  const capture = ["capture", "--step", "read-prescription", "--input", "letters.jsonl"];
  assert.equal(veritest(...capture).code, 0);
  const baselines = (): readonly string[] => {
    const folder = "__baselines__/read-prescription";
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  };
  const recorded = baselines();
  assert.equal(recorded.length, 2);

  // Another order, other numbers, another id of the document: no change, and nothing to write.
  assert.match(veritest("test", "--live").out, /2 baselines, 2 clean/);
  assert.equal(veritest(...capture, "--update").code, 0);
  assert.deepEqual(baselines(), recorded);

  // The model is upgraded: its new name is in the request, and each difference is reported.
  process.env["EXTRACT_MODEL"] = "extract-2";
  const changed = veritest("diff", "--live");
  assert.match(changed.out, /cause: model \(extractor\.extract request\[0\]\.model_id: "extract-1" → "extract-2"\)/);
  assert.match(changed.out, /\+ found\["condition@37"\]: /);
  assert.match(changed.out, /found\["dosage@0"\]\.attributes\.unit: "mg" → "milligram"/);

  // Accepting writes exactly the shown changes; from then on they are replayed, without the service.
  assert.equal(veritest("accept", "--all", "--reason", "extract-2 finds conditions").code, 0);
  service.kill();
  assert.match(veritest("test").out, /2 baselines, 2 clean/);
} finally {
  service.kill();
}
