import { execFileSync } from "node:child_process";
import { changesBetween } from "./src/extras/verified-commit/changes.ts";
import { newAbilities } from "./src/extras/verified-commit/check-abilities.ts";
const n = Number(process.argv[2] ?? 100);
const commits = execFileSync("git", ["log", "--no-merges", "--format=%H %s", "-n", String(n), "--", "src"], { encoding: "utf8" }).trim().split("\n");
const call = { cwd: process.cwd(), environment: process.env };
let withCode = 0, flagged = 0;
for (const line of commits) {
  const id = line.slice(0, 40);
  const changes = await changesBetween(`${id}~1`, id, { ...call, renames: true });
  if (!changes.ok) { console.log("skip", changes.error); continue; }
  const code = changes.value.filter((c) => /^src\/.*(?<!\.test)\.tsx?$/.test(c.path));
  if (code.length === 0) continue;
  withCode += 1;
  const findings = await newAbilities(code, id, call);
  if (findings.length === 0) continue;
  flagged += 1;
  console.log(`\n${line.slice(0, 8)} ${line.slice(41)} (${code.length} files)`);
  for (const f of findings.slice(0, 6)) console.log(`   ${f.path}:${f.line} ${f.detail.slice(0, 150)}`);
  if (findings.length > 6) console.log(`   … ${findings.length - 6} more`);
}
console.log(withCode, flagged);
