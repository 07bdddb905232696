import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../src/command-line.ts";
import type { VerdictClass } from "../src/check/verdict.ts";
import packageJson from "../package.json" with { type: "json" };
import { REPOSITORY } from "./trial/repository.ts";

const skill = readFileSync(join(REPOSITORY, "SKILL.md"), "utf8");

test("the skill file is in the package, has its name and description, and at most 120 lines", () => {
  expect(packageJson.files).toContain("SKILL.md");
  expect(skill).toMatch(/^---\nname: veritest\ndescription: \S.*\n---\n/);
  expect(skill.trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});

test("each command line of the skill file is valid", async () => {
  const lines = [...skill.matchAll(/(?:npx )?veritest (\w[\w-]*)((?: [^`#|\n]*)?)/g)].filter(([line]) =>
    line.startsWith("npx "),
  );
  expect(lines.length).toBeGreaterThan(10);
  for (const [line, name, rest = ""] of lines) {
    if (name === "help") continue;
    const command = await COMMANDS.find((each) => each.name === name)?.load();
    const flags = (command?.options ?? []).flatMap((option) => option.flags.match(/--[\w-]+/g) ?? []);
    expect(flags, line).toEqual(expect.arrayContaining(rest.match(/--[\w-]+/g) ?? []));
  }
});

test("the skill file explains each class that needs an action", () => {
  const classes: Readonly<Record<Exclude<VerdictClass, "clean" | "obsolete">, true>> = {
    value_changed: true,
    commands_changed: true,
    events_changed: true,
    calls_changed: true,
    request_changed: true,
    input_changed: true,
    schema_violation: true,
    failed: true,
    missing: true,
    broken: true,
  };
  expect(Object.keys(classes).filter((kind) => !skill.includes(`\`${kind}\``))).toEqual([]);
});
