import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../docs/troubleshooting.md", import.meta.url), "utf8");

/** The sources with texts that stand on several lines put together. */
const sources = globSync("src/**/*.ts", { exclude: ["**/*.test.ts", "src/testing/**"] })
  .map((path) => readFileSync(path, "utf8"))
  .join("\n")
  .replaceAll(/["`]\s*\+\s*["`]/g, "")
  .replaceAll('\\"', '"');

/** The headings that quote a message of ours, below the sections that are about them. */
function quoted(): readonly string[] {
  const own = page.slice(0, page.indexOf("## Set-up"));
  return [...own.matchAll(/^### (.*)$/gm)].flatMap(([, heading = ""]) =>
    [...heading.matchAll(/`([^`]+)`/g)].map(([, message = ""]) => message),
  );
}

test.each(quoted())("the page quotes a message that exists: %s", (message) => {
  expect(sources.includes(message)).toBe(true);
});

test("the page explains messages of every kind", () => {
  expect(quoted().length).toBeGreaterThan(20);
});
