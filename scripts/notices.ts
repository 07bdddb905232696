/**
 * THIRD-PARTY-NOTICES names each package whose code is part of dist, with the text of its licence: `npm run notices`
 * writes it, `npm run check:notices` refuses a file that doesn't match a build.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { listBundled } from "./notices/list-bundled.ts";
import { renderNotices } from "./notices/render-notices.ts";

const FILE = "THIRD-PARTY-NOTICES";

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const packages = await listBundled();
const text = renderNotices(packages);
const names = packages.map(({ name, version }) => `${name} ${version}`).join(", ") || "none";
if (!process.argv.includes("--check")) {
  writeFileSync(FILE, text);
  console.log(`${FILE}: ${names}`);
} else if (read(FILE) === text) console.log(`${FILE} names what is bundled: ${names}`);
else {
  console.log(`${FILE} does not name exactly what is bundled (${names}): npm run notices`);
  process.exitCode = 1;
}
