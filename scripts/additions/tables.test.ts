import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/command-line.ts";
import { EXTRA_MATCHERS } from "../../src/extra-matchers.ts";
import { STEP_PROPERTIES } from "../../src/extras/properties/steps/step-properties.ts";
import { TRACE_SOURCES } from "../../src/extras/traces/read-traces.ts";
import * as clients from "../../src/llm.ts";
import { createMatchers } from "../../src/matchers/create-matchers.ts";
import { REPORT_FORMATS } from "../../src/explain/format-names.ts";
import { formatOf } from "../../src/reporter/formats/report-formats.ts";
import { REPOSITORY } from "../trial/repository.ts";
import { readAdditions } from "./read-additions.ts";
import { SAMPLES } from "./samples.ts";

const matchers = createMatchers(async () => Promise.reject(new Error("no session")), EXTRA_MATCHERS);
const page = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");

/** Entries of each table, and what its page must say of each. */
const TABLES: readonly (readonly [kind: string, path: string, entries: readonly string[]])[] = [
  ["matcher", "docs/matchers.md", Object.keys(matchers).map((name) => `${name}(`)],
  ["report format", "docs/reports.md", REPORT_FORMATS.map((name) => `| \`${name}\` |`)],
  [
    "model client",
    "docs/integrations/llm.md",
    Object.keys(clients).filter((name) => /^(?:create(?!Model)|from)/.test(name)),
  ],
  ["trace source", "docs/traces.md", [...TRACE_SOURCES.keys()].map((name) => `| \`${name}\` |`)],
  ["command", "docs/cli.md", COMMANDS.map(({ name }) => `\`${name}\``)],
  ["property", "docs/properties.md", STEP_PROPERTIES.map(({ name }) => `| \`${name}\` |`)],
];

test.each(TABLES)("each %s of the table has a row in %s", (_kind, path, entries) => {
  const text = page(path);
  expect(entries.filter((entry) => !text.includes(entry))).toStrictEqual([]);
  expect(entries.length).toBeGreaterThanOrEqual(3);
});

describe("the table of report formats", () => {
  test("each format has its own file name", () => {
    const files = REPORT_FORMATS.map((name) => formatOf(name).file);
    expect(new Set(files).size).toBe(files.length);
  });
});

describe("CONTRIBUTING's table of additions", () => {
  test("has a sample for each row, and names existing files", () => {
    const kinds = readAdditions(page("CONTRIBUTING.md"));
    expect(kinds.map(({ kind }) => kind)).toStrictEqual(SAMPLES.map(({ kind }) => kind));
    for (const { tables, documentation, tests } of kinds)
      for (const path of [...tables, documentation, tests]) if (path !== undefined) expect(page(path)).not.toBe("");
  });

  test.each(SAMPLES)("names the line before which $kind goes", ({ kind, lines, documentation, tests }) => {
    const row = readAdditions(page("CONTRIBUTING.md")).find((other) => other.kind === kind);
    const inserted = [
      ...Array.from(
        { length: Math.max(lines.length, row?.tables.length ?? 0) },
        (_, index) => [row?.tables[index], lines[index]] as const,
      ),
      [row?.documentation, documentation],
      [row?.tests, tests],
    ] as const;
    for (const [path, insertion] of inserted) {
      expect(path === undefined).toBe(insertion === undefined);
      if (path !== undefined) expect(page(path)).toContain(`\n${insertion?.before}`);
    }
  });

  test("is reported as missing without rows", () => {
    expect(() => readAdditions("# Contributing\n\n## Adding\n\nNothing yet.\n\n## Code\n| a | b |\n")).toThrow(
      'CONTRIBUTING.md has no table below "## Adding".',
    );
  });
});
