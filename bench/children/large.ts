/**
 * Prints what matching a large value with its baseline costs in a fresh process: `large.ts root prepare|same|changed`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { cpuUsage, resourceUsage } from "node:process";
import { openLibrary } from "../../src/baseline/baseline-library.ts";
import { checkValue } from "../../src/check/check-value.ts";
import { explainFailures } from "../../src/matchers/failure-message.ts";
import { documentOf, withOneChange } from "../data/entities.ts";

/** 50 MB as JSON. */
const ENTITIES = 245_000;
const [root = "", how = ""] = process.argv.slice(2);
const value = how === "changed" ? withOneChange(documentOf(ENTITIES)) : documentOf(ENTITIES);
const started = cpuUsage();
const check = checkValue(value, { test: "large.test.ts", details: { name: "large" }, keyBy: {} }, openLibrary(root));
const checks = [check];
const message =
  check.verdict.kind === "clean"
    ? ""
    : explainFailures({ subject: "large", how: "value", checks, mode: "new", updatable: true, utils: {} });
const { user, system } = cpuUsage(started);
if (how === "prepare") {
  // As a project that wants such a baseline must say.
  process.env["VERITEST_REDACTION"] = JSON.stringify({ maxBytes: 1e9 });
  const update = check.update?.propose();
  mkdirSync(dirname(check.path), { recursive: true });
  writeFileSync(check.path, update?.after ?? "");
}
const right = how === "prepare" || check.verdict.kind === (how === "same" ? "clean" : "value_changed");
console.log(
  JSON.stringify({
    cpu: (user + system) / 1000,
    peakMegabytes: resourceUsage().maxRSS / 1e3,
    right: right ? 1 : 0,
    lines: message.split("\n").length,
  }),
);
