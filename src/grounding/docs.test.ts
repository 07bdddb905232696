import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { toBeGroundedIn } from "./checks/to-be-grounded-in.ts";
import { groundingConfig } from "./grounding-config.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PAGE = readFileSync(at("docs/grounding.md"), "utf8");
const REQUIREMENTS = readFileSync(at("docs/grounding-requirements.md"), "utf8");

/** The cells of the table rows below a heading, without the table's head. */
function rowsBelow(heading: string, page: string = PAGE): string[][] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

describe("docs/grounding.md and its requirements", () => {
  const rows = rowsBelow("Requirements and the tests that show them", REQUIREMENTS).filter(([kind = ""]) =>
    /^(?:FR-|ours|all)/.test(kind),
  );

  test("names a test for each requirement from FR-001 to FR-008", () => {
    expect(rows.every((row) => row.length === 4)).toBe(true);
    expect([...new Set(rows.map(([number]) => number))]).toEqual([
      "FR-001",
      "FR-002",
      "FR-003",
      "FR-004",
      "FR-005",
      "FR-006",
      "FR-007",
      "FR-008",
      "ours",
      "all",
    ]);
  });

  test("links each criterion by its number", () => {
    const numbered = rows.filter(([kind = ""]) => kind.startsWith("FR-"));
    expect(numbered.every(([kind, number, , title = ""]) => title.startsWith(`${kind} ${number} `))).toBe(true);
    expect(numbered.length).toBeGreaterThanOrEqual(34);
  });

  test.each(rows)('%s, %s: %s has the test "%s"', (_number, _criterion, cell, title) => {
    const path = at(/^`(.+)`$/.exec(cell)?.[1] ?? "");
    expect(existsSync(path)).toBe(true);
    const source = readFileSync(path, "utf8");
    expect(source.includes(`test("${title}"`) || source.includes(`])("${title}"`)).toBe(true);
  });

  test("says the defaults as they are", () => {
    const { ok, ...rest } = groundingConfig();
    const told = rowsBelow("Configuration").map(([name = "", value]) => [name.replaceAll("`", ""), Number(value)]);
    expect([ok, Object.fromEntries(told)]).toEqual([true, "value" in rest ? rest.value : undefined]);
  });

  test("shows a failure as it reads", async () => {
    const sources = [
      {
        document: "harbour.pdf",
        page: 3,
        text: "The bridge was opened in 1932. It carries 160,000 cars a day. It was never sold.",
      },
      { document: "city.md", text: "Sydney has five million people." },
    ];
    const answer =
      "Hello! The bridge was opened in 1932, but it was sold to Globex in 1999. Tickets cost 12 dollars. It is not in Sydney. What else?";
    const message = (await toBeGroundedIn(answer, sources)).message();
    const shown = /```text\n(toBeGroundedIn: .*?)```/s.exec(PAGE)?.[1] ?? "nothing";
    for (const line of shown.trim().split("\n")) expect(message).toContain(line);
  });
});
