import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../docs/troubleshooting.md", import.meta.url), "utf8");

/** The sources with texts that stand on several lines put together. */
const sources = globSync("src/**/*.ts", { exclude: ["**/*.test.ts", "test-support/**"] })
  .map((path) => readFileSync(path, "utf8"))
  .join("\n")
  .replaceAll(/["`]\s*\+\s*["`]/g, "")
  .replaceAll('\\"', '"');

/** The headings that quote a message of ours, below the sections that are about them. */
function quoted(): readonly string[] {
  const own = page.slice(0, page.indexOf("## Setup"));
  return [...own.matchAll(/^### (.*)$/gm)].flatMap(([, heading = ""]) =>
    [...heading.matchAll(/`([^`]+)`/g)].map(([, message = ""]) => message),
  );
}

/** The quotes in the text: "If the message contains `…`". */
function quotedInText(): readonly string[] {
  return [...page.matchAll(/message contains\s+(?:`([^`]+)`|\*([^*]+)\*)/g)].map(
    ([, code, italic]) => code ?? italic ?? "",
  );
}

test.each([...quoted(), ...quotedInText()])("the page quotes a message that exists: %s", (message) => {
  expect(sources.includes(message)).toBe(true);
});

/** The codes that a failing test of a step can show: what its check, run, recording or adapters end in. */
function codes(): readonly string[] {
  const shown = /^src\/(?:agents|check(?:-all)?|cli\/(?:store|sweep)|laws|matchers|record|step)\//;
  const texts = globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => shown.test(path))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const named = new Map([...sources.matchAll(/const ([A-Z_]+) = "([a-z_]+)";/g)].map(([, name, code]) => [name, code]));
  return [...texts.matchAll(/kernelError\(\s*(?:"(\w+)"|([A-Z_]+))/g)].map(
    ([, code, name]) => code ?? named.get(name) ?? `no code of ${name}`,
  );
}

/** The first cells of the page's table of codes. */
const codeCells = [...page.matchAll(/^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|/gm)].map(([, cell]) => cell).join(", ");

test.each([...new Set(codes())].toSorted())("the page has advice for a case that failed with %s", (code) => {
  expect(codeCells).toContain(`\`${code}\``);
});

test("the page explains messages of every kind", () => {
  expect(quoted().length).toBeGreaterThan(20);
  expect(quotedInText().length).toBeGreaterThan(0);
});
