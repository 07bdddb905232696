import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unwrap } from "../../kernel/result.ts";
import { countCells } from "../../kernel/terminal-cells.ts";
import { HOSTILE_TEXTS } from "../../../test-support/hostile-texts.ts";
import { runModels, runOfText } from "../../../test-support/run-models.ts";
import { sampleCase, sampleRun } from "../../../test-support/sample-run.ts";
import { NO_FINDINGS } from "../../explain/report-case.ts";
import { buildRunModel } from "../build-run-model.ts";
import { parseRunModel } from "../parse-run-model.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { parseGithub } from "../../../test-support/parse-github.ts";
import { parseMarkdown } from "../../../test-support/parse-markdown.ts";
import { parseXml } from "../../../test-support/parse-xml.ts";
import { unsafeIn } from "../../../test-support/unsafe-in.ts";
import { renderGithub } from "./render-github.ts";
import { renderJson } from "./render-json.ts";
import { renderJunit } from "./render-junit.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderText } from "./render-text.ts";
import { runCount } from "../../../test-support/run-count.ts";

const RUNS = { numRuns: runCount(100) };
const OWN_COLOURS = /\u001b\[(?:0|1|2|31|32|1;31)m/g;

/** Each format with a check that throws, or answers false, where a text did anything. */
const FORMATS: Readonly<Record<string, (model: RunModel) => void>> = {
  text: (model) => {
    checkText(model, [20, 33, 120][model.cases.length % 3] ?? 20);
    const coloured = renderText(model, { columns: 80, colors: true }).map((line) =>
      line.replace(OWN_COLOURS, "").trimEnd(),
    );
    expect(coloured.join("\n")).toBe(checkText(model, 80).join("\n"));
  },
  json: (model) => {
    const json = renderJson(model);
    expect(unsafeIn(json)).toBeUndefined();
    expect(unwrap(parseRunModel(json, "run.json"))).toEqual(model);
  },
  junit: (model) => {
    const xml = renderJunit(model);
    expect(unsafeIn(xml)).toBeUndefined();
    expect(shapeProblems(parseXml(xml))).toEqual([]);
  },
  markdown: (model) => {
    const markdown = renderMarkdown(model);
    expect(unsafeIn(markdown)).toBeUndefined();
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(65_536);
    parseMarkdown(markdown);
  },
  github: (model) => {
    const log = renderGithub(model);
    expect(unsafeIn(log)).toBeUndefined();
    const commands = parseGithub(log);
    const of = (name: string): number => commands.filter((command) => command.name === name).length;
    expect(of("error") + of("warning") + of("notice")).toBe(commands.length);
    expect([of("error") <= 10, of("warning") <= 10, of("notice") <= 1]).toEqual([true, true, true]);
    for (const { properties } of commands)
      expect(["file,line,title", "file,title", "title"]).toContain(Object.keys(properties).join(","));
  },
};

function checkText(model: RunModel, columns: number): readonly string[] {
  const lines = renderText(model, { columns, colors: false });
  expect(
    lines.filter((line) => unsafeIn(line) !== undefined || /\n|^\s*::/.test(line) || countCells(line) > columns),
  ).toEqual([]);
  return lines;
}

/** A text in every field of grids: of a case that changed, of one that passed, and of one just captured. */
function runOfGrids(text: string): RunModel {
  const cell = { text, before: text, wrong: true };
  const rows = [
    { name: text, cells: [cell, { text, wrong: false }, { text, wrong: true }] },
    { name: `${text} again`, cells: [null, { text, wrong: false }, cell] },
  ];
  const findings = { ...NO_FINDINGS, grid: { columns: [text, text, text], rows, moreRows: 1 } };
  const cases = [
    sampleCase(text, text, { kind: "value_changed", findings }),
    sampleCase(text, text, { kind: "clean", findings }),
    sampleCase(text, text, { kind: "missing", updateState: "captured", findings }),
  ];
  return buildRunModel({ ...sampleRun(), cases });
}

const ATTRIBUTES: Readonly<Record<string, string>> = {
  testsuites: "name,tests,failures,errors,skipped,time",
  testsuite: "name,tests,failures,errors,skipped,time,timestamp",
  testcase: "name,classname,file,line,time",
  property: "name,value",
  properties: "",
  failure: "type,message",
  error: "type,message",
  skipped: "type,message",
};
const CHILDREN: Readonly<Record<string, RegExp>> = {
  testsuites: /^(?:testsuite,)*$/,
  testsuite: /^properties,(?:testcase,)+$/,
  testcase: /^(?:properties,)?(?:(?:failure|error|skipped),)?$/,
  properties: /^(?:property,)+$/,
};

/** What in a document is not of the shape that readers of JUnit files know. */
function shapeProblems({ name, attributes, children }: ReturnType<typeof parseXml>): string[] {
  const known = new Set((ATTRIBUTES[name] ?? "no such element").split(","));
  const unknown = Object.keys(attributes).filter((attribute) => !known.has(attribute));
  const below = children.map((child) => `${child.name},`).join("");
  const order = (CHILDREN[name] ?? /^$/).test(below) ? [] : [`${name} holds ${below}`];
  const cases = children.filter((child) => child.name === "testcase").map((child) => child.attributes["name"]);
  const twice = new Set(cases).size === cases.length ? [] : [`${name} has names twice`];
  return [
    ...unknown.map((attribute) => `${name} has ${attribute}`),
    ...order,
    ...twice,
    ...children.flatMap(shapeProblems),
  ];
}

test("doesn't write a command for a step named `:`", () => {
  for (const check of Object.values(FORMATS)) check(runOfText(":"));
});

describe.each(Object.entries(FORMATS))("%s", (_, check) => {
  test("escapes everything a run may contain, and keeps its structure", { tags: "deep" }, () => {
    fc.assert(fc.property(runModels(), check), RUNS);
  });

  test.each(Object.entries(HOSTILE_TEXTS))(
    "shows %s in every field, and escapes it",
    { tags: "deep" },
    (_name, text) => {
      check(runOfText(text));
      check(runOfGrids(text));
    },
  );
});
