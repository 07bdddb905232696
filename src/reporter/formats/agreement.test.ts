import { describe, expect, test } from "vitest";
import { unwrap } from "../../kernel/result.ts";
import { ALL_KINDS } from "../../../test-support/run-models.ts";
import { sampleRun } from "../../../test-support/sample-run.ts";
import { parseRunModel } from "../parse-run-model.ts";
import { parseGithub } from "../../../test-support/parse-github.ts";
import { parseMarkdown } from "../../../test-support/parse-markdown.ts";
import { parseXml } from "../../../test-support/parse-xml.ts";
import { renderGithub } from "./render-github.ts";
import { renderJson } from "./render-json.ts";
import { renderJunit } from "./render-junit.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderText } from "./render-text.ts";
import { needsReview, worstFirst } from "../../explain/tally.ts";
import { outcomeText, notableOutcomes } from "../../explain/outcome-grid.ts";

/** What every format tells of a case: its baseline, class and cause. */
type Told = readonly [baseline: string, kind: string, cause: string];

const model = sampleRun();
const { counts } = model;
const told = (cases: typeof model.cases): Told[] =>
  cases.map(({ baseline, kind, findings }) => [baseline, kind, findings?.cause?.kind ?? ""]);
const failing = told(model.cases.filter(needsReview));
/** GitHub shows no more errors than these. */
const annotated = told(worstFirst(model.cases.filter(needsReview)).slice(0, 10));
/** What every format tells of outcomes: each that is wrong or changed. */
const outcomes = model.cases.flatMap(({ findings }) =>
  findings === null || findings.grid === null ? [] : notableOutcomes(findings.grid).map(outcomeText),
);

function sorted(cases: readonly Told[]): string[] {
  return cases.map((one) => one.join(" ")).toSorted();
}

function causeIn(lines: readonly string[]): string {
  return lines.map((line) => /^\s*cause: (\w+)/.exec(line)?.[1]).find((cause) => cause !== undefined) ?? "";
}

function outcomesIn(text: string): string[] {
  return (text.match(/[\w.]+#\d+ × [^\n]*/g) ?? []).map((line) => line.trim());
}

/** The cells of a table that are wrong or were something else, as other formats tell them. */
function outcomesOfTable([columns = [], ...rows]: readonly (readonly string[])[]): string[] {
  return rows.flatMap(([row = "", ...cells]) =>
    cells.flatMap((cell, at) => {
      const [, text = "", before] = /^(?:wrong: )?(.*?)(?:, was (.*))?$/.exec(cell) ?? [];
      const told = before === undefined ? text : `${text} (was: ${before})`;
      return cell === told ? [] : [`${row} × ${columns[at + 1]}: ${told}`];
    }),
  );
}

describe("every format has all classes and causes of a run", () => {
  test("the sample has every class and every cause", () => {
    expect(new Set(model.cases.map(({ kind }) => kind))).toEqual(new Set(ALL_KINDS));
    expect(new Set(failing.map(([, , cause]) => cause))).toEqual(
      new Set(["", "code", "prompt", "model", "schema", "mixed"]),
    );
    expect(outcomes).toEqual([
      "tools.pay#1 × crash-after-effect: wrote twice (was: same)",
      "llm.plan#1 × malformed-answer: failed: bad_plan (was: same)",
    ]);
  });

  test("json", () => {
    expect(unwrap(parseRunModel(renderJson(model), "run.json"))).toEqual(model);
  });

  test("text", () => {
    const text = renderText(model, { columns: 300, colors: false }).join("\n");
    const cases = text.split(/\n(?= {2}\S)/).flatMap((part): Told[] => {
      const [, kind = "", baseline] = /^ {2}(\w+) +(\S+\.json)/.exec(part) ?? [];
      return baseline === undefined ? [] : [[baseline, kind, causeIn(part.split("\n"))]];
    });
    expect(sorted(cases)).toEqual(sorted(failing));
    expect(outcomesIn(text)).toEqual(outcomes);
    expect(text).toContain(`   veritest  ${model.summary} in 4.2 s\n`);
  });

  test("junit", () => {
    const root = parseXml(renderJunit(model));
    const suites = root.children;
    const cases = suites.flatMap(({ children }) => children.filter(({ name }) => name === "testcase"));
    const of = (name: string): typeof cases =>
      cases.filter(({ children }) => children.some((child) => child.name === name));
    const toldOf = ({ attributes, children }: (typeof cases)[number]): Told => {
      const values = (children[0]?.children ?? []).map((property) => property.attributes);
      const value = (name: string): string => values.find((property) => property["name"] === name)?.["value"] ?? "";
      return [attributes["name"] ?? "", value("class"), value("cause")];
    };
    expect(sorted(cases.map(toldOf))).toEqual(sorted(told(model.cases)));
    const texts = of("failure").flatMap(({ children }) => children.map(({ text }) => text));
    expect(outcomesIn(texts.join("\n"))).toEqual(outcomes);
    expect(sorted([...of("failure"), ...of("error")].map(toldOf))).toEqual(sorted(failing));
    expect([of("error").length, of("skipped").length, cases.length]).toEqual([
      counts.failed + counts.broken,
      counts.obsolete,
      counts.total,
    ]);
    for (const count of ["tests", "failures", "errors", "skipped"])
      expect(suites.reduce((sum, { attributes }) => sum + Number(attributes[count]), 0)).toBe(
        Number(root.attributes[count]),
      );
    expect(root.attributes).toMatchObject({
      tests: String(counts.total),
      failures: String(of("failure").length),
      errors: String(of("error").length),
      skipped: "1",
    });
  });

  test("markdown", () => {
    const { headline, summary, counts: columns, cases } = parseMarkdown(renderMarkdown(model));
    expect(sorted(cases.map(({ baseline, kind, cause = "" }) => [baseline, kind, cause]))).toEqual(sorted(failing));
    expect(sorted(cases.map(({ baseline, kind, lines }) => [baseline, kind, causeIn(lines)]))).toEqual(sorted(failing));
    expect(outcomesIn(cases.flatMap(({ table }) => outcomesOfTable(table)).join("\n")).toSorted()).toEqual(
      outcomes.toSorted(),
    );
    expect([headline, summary]).toEqual([
      "veritest: 12 of 17 baselines need a look",
      `${model.summary} (4.2 s, vitest 5.1.1).`,
    ]);
    const {
      total,
      passed,
      changed,
      commandsChanged,
      callsChanged,
      schemaViolations,
      requestChanged,
      failed,
      broken,
      missing,
      obsolete,
      captured,
      updated,
      pending,
    } = counts;
    expect(columns).toEqual({
      baselines: total,
      passed,
      changed,
      "commands changed": commandsChanged,
      "calls changed": callsChanged,
      "schema violations": schemaViolations,
      "requests not recorded": requestChanged,
      failed,
      broken,
      missing,
      obsolete,
      captured,
      updated,
      pending,
    });
  });

  test("github", () => {
    const commands = parseGithub(renderGithub(model));
    const cases = commands.map(({ name, properties, message }): Told & { readonly 0: string } => {
      const [baseline = "", ...lines] = message.split("\n");
      return [baseline, `${name} ${/^veritest: (\w+) in /.exec(properties["title"] ?? "")?.[1]}`, causeIn(lines)];
    });
    const obsolete = told(model.cases.filter(({ kind }) => kind === "obsolete"));
    const expected = [
      ...annotated.map(([baseline, kind, cause]): Told => [baseline, `error ${kind}`, cause]),
      ...obsolete.map(([baseline, kind, cause]): Told => [baseline, `warning ${kind}`, cause]),
    ];
    const notice = ["1 more error not shown here: see the run's summary.", "notice undefined", ""] as const;
    expect(sorted(cases)).toEqual(sorted([...expected, notice]));
    expect(outcomesIn(commands.map(({ message }) => message).join("\n"))).toEqual(outcomes);
  });
});
