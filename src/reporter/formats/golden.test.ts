import { describe, expect, test } from "vitest";
import { sampleCase, sampleRun } from "../../../test-support/sample-run.ts";
import { NO_FINDINGS } from "../../explain/report-case.ts";
import { buildRunModel } from "../build-run-model.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { renderGithub } from "./render-github.ts";
import { renderJson } from "./render-json.ts";
import { renderJunit } from "./render-junit.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderText } from "./render-text.ts";

/** A sample run of `count` cases that changed, with what is given in place of the usual. */
function runOf(count: number, given: Partial<RunModel> = {}): RunModel {
  const { cases: _, ...facts } = sampleRun();
  const cases = Array.from({ length: count }, (_each, index) =>
    sampleCase("extract", `steps/__baselines__/extract/case-${String(index).padStart(4, "0")}.json`, {
      kind: index % 2 === 0 ? "failed" : "value_changed",
    }),
  );
  return buildRunModel({ ...facts, applied: null, cases, ...given });
}

describe("the sample run", () => {
  const model = sampleRun();
  const text = (columns: number, colors: boolean): string => `${renderText(model, { columns, colors }).join("\n")}\n`;

  test.each<readonly [file: string, rendered: string]>([
    ["sample-80.txt", text(80, false)],
    ["sample-120.txt", text(120, false)],
    ["sample-colors.txt", text(100, true).replaceAll("\u001b", "␛")],
    ["sample.json", renderJson(model)],
    ["sample.xml", renderJunit(model)],
    ["sample.md", renderMarkdown(model)],
    ["sample-github.txt", renderGithub(model)],
  ])("matches %s", async (file, rendered) => {
    await expect(rendered).toMatchFileSnapshot(`fixtures/${file}`);
  });
});

/** Twenty cases of three kinds: a cleared name in twelve, of which some wait; a failure in seven; another in one. */
function threeKinds(given: Partial<RunModel> = {}): RunModel {
  const cleared = { part: "output", path: "items.<a>.name", before: "x", after: "", cut: false } as const;
  const cases = runOf(20).cases.map((found, index) => {
    if (index < 12) {
      const updateState = index < 9 ? ("review" as const) : ("none" as const);
      return {
        ...found,
        kind: "value_changed" as const,
        updateState,
        findings: { ...NO_FINDINGS, changes: [cleared] },
      };
    }
    const error = { code: index < 19 ? "no_total" : "timed_out", message: "there is none" };
    return { ...found, kind: "failed" as const, findings: { ...NO_FINDINGS, error } };
  });
  return buildRunModel({ ...runOf(0), ...given, cases });
}

describe("text", () => {
  test("reports many changes of few kinds by kind, each with its count and an example", () => {
    expect(renderText(runOf(50), { columns: 80, colors: false })).toMatchInlineSnapshot(`
      [
        "50 to review, 2 groups",
        "",
        "  g-08abe9  25 × failed  extract",
        "  failed            steps/__baselines__/extract/case-0000.json",
        "",
        "  g-0e0caf  25 × value_changed  extract",
        "  value_changed     steps/__baselines__/extract/case-0001.json",
        "",
        "",
        "   veritest  50 baselines, 25 changed, 25 failed in 4.2 s",
      ]
    `);
  });

  test("shows each case where all of them are requested", () => {
    const lines = renderText(runOf(50), { columns: 80, colors: false, all: true });
    expect(lines.filter((line) => line.startsWith("  failed"))).toHaveLength(25);
    expect(lines.slice(-1)).toEqual(["   veritest  50 baselines, 25 changed, 25 failed in 4.2 s"]);
  });

  test("counts the kinds that don't fit", () => {
    const kinds = runOf(50).cases.map((found, index) => ({
      ...found,
      kind: "failed" as const,
      findings: { ...NO_FINDINGS, error: { code: `code_${index}`, message: "no" } },
    }));
    const lines = renderText(buildRunModel({ ...runOf(50), cases: kinds }), { columns: 80, colors: false });
    expect(lines.filter((line) => line.startsWith("  failed"))).toHaveLength(20);
    expect(lines.slice(-3)).toEqual(["  … and 30 more baselines", "", "   veritest  50 baselines, 50 failed in 4.2 s"]);
  });

  test("prints an empty report for a run without baselines", () => {
    expect(renderText(runOf(0), { columns: 80, colors: false })).toEqual([]);
  });

  test("reports a problem although there is no baseline", () => {
    expect(renderText(runOf(0, { problems: ["The run was interrupted."] }), { columns: 80, colors: false })).toEqual([
      "   veritest  no baselines in 4.2 s",
      "   Problems  The run was interrupted.",
    ]);
  });

  test("uses 80 columns if the width is unknown", () => {
    const model = sampleRun();
    for (const columns of [0, Number.NaN, Infinity])
      expect(renderText(model, { columns, colors: false })).toEqual(renderText(model, { columns: 80, colors: false }));
  });
});

describe("junit", () => {
  test("numbers the names of checks that nothing else reports apart, and lists the run's problems as an error", () => {
    const twice = [1, 2, 3].map(() => sampleCase("route", "a.json", { kind: "clean", labels: [], durationMs: null }));
    const xml = renderJunit(runOf(0, { cases: twice, problems: ["Shard 2 of 3 is missing."] }));
    expect([...xml.matchAll(/<testcase name="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      "a.json",
      "a.json (route &#62; stays as it is)",
      "a.json (route &#62; stays as it is) #2",
      "the run",
    ]);
    expect(xml).toContain('<testsuites name="veritest" tests="4" failures="0" errors="1" skipped="0" time="4.210">');
    expect(xml).toContain('<error type="problem" message="Shard 2 of 3 is missing.">Shard 2 of 3 is missing.</error>');
  });
});

describe("markdown", () => {
  test("shortens, then drops cases to fit the limit, and counts both exactly", () => {
    const model = runOf(3000);
    const markdown = renderMarkdown(model);
    const lines = markdown.split("\n").filter((line) => line.startsWith("<p><b>")).length;
    const left = 3001 - lines;
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(65_536);
    expect(markdown).toContain(
      `<p>Omitted to fit: ${left.toLocaleString("en-US")} cases left out. They are in the other reports of this run.</p>`,
    );
    // An example of each kind stands first: else none of the second kind would be left.
    expect(markdown.split("<b>value_changed</b>")).toHaveLength(2);
    expect(markdown).toContain("<p><b>3,000 to review, 2 groups</b></p>");
  });

  test("counts the kinds of many changes, and says how to accept a pending one, locally and in CI", () => {
    const kindsOf = (model: RunModel): string => /<p><b>20 to review[^]*?<\/ul>/.exec(renderMarkdown(model))?.[0] ?? "";
    expect(kindsOf(threeKinds())).toMatchInlineSnapshot(`
      "<p><b>20 to review, 3 groups</b></p>
      <ul>
      <li><code>7 × failed: no_total</code> of <code>extract</code> g-8d81f3</li>
      <li><code>1 × failed: timed_out</code> of <code>extract</code> g-3cad71</li>
      <li><code>12 × items.&#60;a&#62;.name: &#34;x&#34; → &#34;&#34;</code> of <code>extract</code>: <code>npx veritest accept --group g-29de05 --from veritest-state.zip</code></li>
      </ul>"
    `);
    const { environment } = threeKinds();
    expect(kindsOf(threeKinds({ environment: { ...environment, ci: false } }))).toMatchInlineSnapshot(`
      "<p><b>20 to review, 3 groups</b></p>
      <ul>
      <li><code>7 × failed: no_total</code> of <code>extract</code> g-8d81f3</li>
      <li><code>1 × failed: timed_out</code> of <code>extract</code> g-3cad71</li>
      <li><code>12 × items.&#60;a&#62;.name: &#34;x&#34; → &#34;&#34;</code> of <code>extract</code>: <code>npx veritest accept --group g-29de05</code></li>
      </ul>"
    `);
    expect(renderMarkdown(runOf(3))).not.toContain("<ul>");
  });

  test("drops differences before it drops cases", () => {
    const model = sampleRun();
    const markdown = renderMarkdown(model, { limit: 4000 });
    expect(markdown).toContain(
      "<p><b>missing</b> <code>steps/__baselines__/extract-receipt/receipt-046-66006611.json</code>",
    );
    expect(markdown).toMatch(
      /\n<p>Omitted to fit: 9 cases shown without differences, 1 list left out\. They are in the other reports of this run\.<\/p>\n$/,
    );
  });

  test.each([0, 1, 17, 18, 100, 300, 500, 1000, 2500, 10_000])("stays under a limit of %i bytes", (limit) => {
    const model = runOf(200);
    expect(Buffer.byteLength(renderMarkdown(model, { limit }))).toBeLessThanOrEqual(limit);
  });
});

describe("github", () => {
  test("shows ten errors and ten warnings, and counts the rest", () => {
    const obsolete = Array.from({ length: 12 }, (_, index) =>
      sampleCase("old", `old-${index}.json`, { kind: "obsolete", test: null }),
    );
    const lines = renderGithub(
      runOf(0, { cases: [...runOf(25).cases, ...obsolete], problems: ["The run was interrupted."] }),
    )
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe("::error title=veritest%3A the run::The run was interrupted.");
    expect(lines.at(-1)).toBe(
      "::notice title=veritest::16 more errors and 2 more warnings not shown here: see the run's summary.",
    );
  });

  test("shows an example of each kind of change first, with its count", () => {
    const lines = renderGithub(threeKinds()).trimEnd().split("\n");
    expect(lines.slice(0, 3)).toMatchInlineSnapshot(`
      [
        "::error file=steps/extract.test.ts,line=12,title=veritest%3A failed in extract::steps/__baselines__/extract/case-0005.json%0Ag-8d81f3: 7 × failed: no_total, this is one of them%0Ano_total: there is none",
        "::error file=steps/extract.test.ts,line=12,title=veritest%3A failed in extract::steps/__baselines__/extract/case-0019.json%0Atimed_out: there is none",
        "::error file=steps/extract.test.ts,line=12,title=veritest%3A value_changed in extract::steps/__baselines__/extract/case-0000.json%0Ag-29de05: 12 × items.<a>.name: "x" → "", this is one of them%0Aitems.<a>.name: "x" → """,
      ]
    `);
    expect(lines.slice(3).filter((line) => line.includes("this is one of them"))).toEqual([]);
    expect(lines.at(-1)).toBe("::notice title=veritest::10 more errors not shown here: see the run's summary.");
    expect(renderGithub(runOf(3))).not.toContain("this is one of them");
  });

  test("uses absolute paths, because GitHub resolves others from the root of the repository", () => {
    const failed = sampleCase("route", "a.json", { kind: "value_changed" });
    const obsolete = sampleCase("old", "old.json", { kind: "obsolete", test: null });
    const own = renderGithub(runOf(0, { cases: [failed, obsolete] }));
    const lines = renderGithub(runOf(0, { cases: [failed, obsolete] }), { root: "/repo/app" });
    expect(lines).toContain("::error file=/repo/app/steps/");
    expect(lines).toContain("::warning file=/repo/app/");
    expect(lines.replaceAll("file=/repo/app/", "file=")).toBe(own);
  });

  test("skips failed tests if the runner annotates them", () => {
    const cases = [
      sampleCase("route", "a.json", { kind: "value_changed" }),
      sampleCase("route", "b.json", { kind: "failed", test: null }),
      sampleCase("old", "old.json", { kind: "obsolete", test: null }),
    ];
    const lines = renderGithub(runOf(0, { cases, problems: ["No."] }), { isAnnotated: true })
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => /^::(\w+) (?:file=([^,]*),)?/.exec(line)?.slice(1))).toStrictEqual([
      ["error", undefined],
      ["error", expect.stringContaining("b.json")],
      ["warning", expect.stringContaining("old.json")],
    ]);
  });

  test("prints an empty report for a run that passed", () => {
    expect(renderGithub(runOf(0, { cases: [sampleCase("route", "a.json", { kind: "clean" })] }))).toBe("");
  });
});
