import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { toBeGroundedIn } from "./checks/to-be-grounded-in.ts";
import { groundingConfig } from "./grounding-config.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const PAGE = readFileSync(at("docs/grounding/README.md"), "utf8");
const REQUIREMENTS = readFileSync(at("docs/grounding/requirements.md"), "utf8");

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

describe("docs/grounding/README.md and its requirements", () => {
  const criteria = [...REQUIREMENTS.matchAll(/^- (FR-\d+) (\d)\.\d .*$/gm)];
  const others = rowsBelow("Robustness and loading", REQUIREMENTS);

  test("names a test for each requirement from FR-001 to FR-008", () => {
    expect([...new Set(criteria.map(([, requirement]) => requirement))]).toEqual(
      Array.from({ length: 8 }, (_, at) => `FR-00${at + 1}`),
    );
    expect(criteria.every(([, requirement, number]) => requirement === `FR-00${number}`)).toBe(true);
    expect(criteria.length).toBeGreaterThanOrEqual(34);
    expect(others.length).toBeGreaterThan(0);
  });

  test.each([
    ...criteria.map(([line]) => [line.slice("- ".length), "`src/extras/grounding/criteria.test.ts`"]),
    ...others,
  ])('has the test "%s" in %s', (title, cell = "") => {
    const source = readFileSync(at(/^`(.+)`$/.exec(cell)?.[1] ?? ""), "utf8");
    expect(source.includes(`test("${title}"`) || source.includes(`])("${title}"`)).toBe(true);
  });

  test("has the defaults of the configuration", () => {
    const { ok, ...rest } = groundingConfig();
    const told = rowsBelow("Configuration").map(([name = "", value]) => [name.replaceAll("`", ""), Number(value)]);
    expect([ok, Object.fromEntries(told)]).toEqual([true, "value" in rest ? rest.value : undefined]);
  });

  test("shows a failure message exactly", async () => {
    const text = /text: "(.*?)"/.exec(PAGE)?.[1] ?? "";
    const answer = /const answer = "(.*?)"/.exec(PAGE)?.[1] ?? "";
    const { message } = await toBeGroundedIn(answer, [{ document: "policy.pdf", page: 2, text }]);
    expect(/```text\n(toBeGroundedIn: .*?)```/s.exec(PAGE)?.[1]?.trim()).toBe(message());
  });
});
