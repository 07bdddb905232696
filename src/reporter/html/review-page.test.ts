// @module-tag deep
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { NO_FINDINGS, type ReportCase, type ReportChange } from "../../explain/report-case.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { reportPages, texts } from "../../../test-support/report-pages.ts";
import { MAIL, sampleReview } from "../../../test-support/sample-review.ts";
import { sampleCase, sampleRun } from "../../../test-support/sample-run.ts";
import { buildRunModel } from "../build-run-model.ts";
import { pageData } from "./page-data.ts";

const MODEL = sampleReview();
const { hasBrowser, open } = reportPages("a review in the HTML report");

/** The address of the case of a test. */
function addressOf(name: string, model: RunModel = MODEL): string {
  const at = model.cases.findIndex(({ test: checked }) => checked?.name.endsWith(name));
  return `#case=${pageData(model).ids[at]}`;
}

/** A pending case of a step with these changes. */
function pendingCase(name: string, kind: ReportCase["kind"], changes: readonly ReportChange[]): ReportCase {
  return sampleCase("answer", `a/__baselines__/answer/${name}.json`, {
    kind,
    updateState: "review",
    test: { file: "a.test.ts", name: `answer > ${name}`, line: 1 },
    findings: { ...NO_FINDINGS, changes },
  });
}

function runOf(...cases: readonly ReportCase[]): RunModel {
  return buildRunModel({ ...sampleRun(), applied: null, cases });
}

function output(path: string, before: ReportChange["before"], after: ReportChange["after"]): ReportChange {
  return { part: "output", path, before, after, cut: false };
}

/** The list as texts: heads of groups and rows, in order. */
async function linesOf(page: Page): Promise<string[]> {
  return page
    .locator(".group h3, .group-facts > .dim, a.row")
    .evaluateAll((all) => all.map((line) => [...line.childNodes].map((part) => part.textContent).join("|")));
}

describe.skipIf(!hasBrowser)("a review in Chromium", () => {
  test("lists the riskiest change first: its class, its step and test, its call, and its cause", async () => {
    expect((await linesOf(await open({ model: MODEL }))).slice(0, 8)).toEqual([
      "+New write|answer-mail refunds a broken lamp|+ tools.refund({ order: 1005, amount: 480 })|Model",
      '+New command|route-ticket sends a complaint to a person|+ emit("account.closed", { account: 7 })|',
      "✕Schema error|extract-price reads a total|total Invalid input: expected number, received string|",
      "✕Failed|extract-price reads a scan|no_text The scan has no text.|",
      "≠Value changed| |extract-price| |currency EUR → null",
      "8 changes · pending",
      "reads invoice 1||",
      "reads invoice 2||",
    ]);
  });

  test("shows the two dangerous ones of 21 changes in a colour of their own", async () => {
    for (const dark of [false, true]) {
      const page = await open({ model: MODEL, dark });
      const colors = await page
        .locator("#list .kind")
        .evaluateAll((all) =>
          all.map((badge) => [badge.lastChild?.textContent, getComputedStyle(badge).backgroundColor]),
        );
      const filled = colors.filter(([, color]) => color !== "rgba(0, 0, 0, 0)").map(([word]) => word);
      expect(filled).toEqual(["New write", "New command"]);
    }
  });

  test.each([1280, 1920])("has rows of one line, at most 52 pixels high, at %i", async (width) => {
    const model = buildRunModel({
      ...sampleRun(),
      cases: [
        ...MODEL.cases,
        ...sampleRun().cases,
        pendingCase("long ".repeat(60), "value_changed", [output("a", 1, 2)]),
      ],
    });
    const page = await open({ model, width });
    const heights = await page.locator("a.row").evaluateAll((all) => all.map((row) => row.clientHeight));
    expect(Math.max(...heights)).toBeLessThanOrEqual(52);
    expect(await page.locator(".row-name", { hasText: ".json" }).count()).toBe(0);
  });

  test.each([
    [
      "calls_changed",
      { path: "tools.mail", before: { to: "ann" }, call: "removed" },
      "Write gone",
      '− tools.mail({ to: "ann" }) × 2',
    ],
    [
      "calls_changed",
      { path: "tools.mail", after: { to: "a b" }, call: "added" },
      "New write",
      '+ tools.mail({ to: "a b" }) × 2',
    ],
    [
      "commands_changed",
      { path: "[0]", before: { type: "review", reason: "no" }, call: null },
      "Command gone",
      '− review("no")',
    ],
    [
      "commands_changed",
      { path: "[0].step", before: "pay", after: "refund", call: null },
      "Command changed",
      "[0].step pay → refund",
    ],
    [
      "commands_changed",
      { path: '["emit a.b"]', after: { payload: 1, topic: "a.b", type: "emit" }, call: null },
      "New command",
      '+ emit("a.b", 1)',
    ],
    [
      "commands_changed",
      { path: "review", after: { type: "review", reason: "no" }, call: null },
      "New command",
      '+ review("no")',
    ],
    ["value_changed", { path: "tags", after: ["a", 1], call: null }, "Value added", '+ tags ["a", 1]'],
    [
      "value_changed",
      { path: "note", before: "It was late.", after: "It never came.", call: null },
      "Text changed",
      "note It was late. → It never came.",
    ],
  ] as const)("shows %s %o as code", async (kind, { call, ...sides }, word, gist) => {
    const part = ({ calls_changed: "calls", commands_changed: "commands", value_changed: "output" } as const)[kind];
    const added = call === null ? undefined : ({ kind: call, role: "write", times: 2, movedTo: null } as const);
    const page = await open({
      model: runOf(
        pendingCase("one", kind, [{ ...sides, part, cut: false, ...(added === undefined ? {} : { call: added }) }]),
      ),
    });
    expect(await texts(page, "#list .kind")).toEqual([expect.stringMatching(new RegExp(`${word}$`))]);
    expect(await texts(page, ".row-gist")).toEqual([gist]);
  });

  test("shows the call of a new write at the top of its case, also below a long changed text", async () => {
    const call = { kind: "added", role: "write", times: 1, movedTo: null } as const;
    const refund: ReportChange = { part: "calls", path: "tools.refund", after: { order: 1 }, cut: false, call };
    const one = pendingCase("one", "calls_changed", [output("reply", MAIL.repeat(9), `${MAIL.repeat(9)}!`), refund]);
    const model = runOf({ ...one, findings: { ...NO_FINDINGS, ...one.findings, input: { mail: MAIL } } });
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      const page = await open({ model, hash: `#case=${pageData(model).ids[0]}`, width, height });
      expect(await page.locator(".told").textContent()).toBe(
        "+New write + tools.refund({ order: 1 }) + 1 more  pending",
      );
      const box = await page.locator(".told ins").boundingBox();
      expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThan(height / 2);
    }
  });

  test.each([
    "answer > keeps a long name in one or two lines",
    "answer keeps a long name in one or two lines",
  ])("leaves the step out of a test's name, and cuts no name next to an empty cell: %s", async (name) => {
    const cases = ["a", "b"].map((file) => ({
      ...pendingCase(file, "value_changed", [output("license", "MIT", null)]),
      test: { file: "a.test.ts", name: `${name} ${file}`, line: 1 },
    }));
    const page = await open({ model: runOf(...cases) });
    expect(await texts(page, ".row-name")).toEqual(
      ["a", "b"].map((file) => `keeps a long name in one or two lines ${file}`),
    );
    const [row, title] = [
      await page.locator("a.row").first().boundingBox(),
      await page.locator(".row-name").first().boundingBox(),
    ];
    expect(title?.width).toBeGreaterThan((row?.width ?? 0) * 0.8);
    expect(title?.height).toBe(20);
  });

  test("merges kinds that differ only in extra paths, each with its own command", async () => {
    const model = runOf(
      ...["a", "b", "c"].map((name) => pendingCase(name, "value_changed", [output("license", "MIT", null)])),
      ...["d", "e"].map((name) =>
        pendingCase(name, "value_changed", [output("license", "MIT", null), output("tax", "7", "9")]),
      ),
      pendingCase("f", "value_changed", [output("license", "MIT", null), output("vat", "7", "9")]),
    );
    const page = await open({ model });
    expect(await linesOf(page)).toEqual([
      "≠Value changed| |answer| |license MIT → null",
      "3 changes · pending",
      "a||",
      "b||",
      "c||",
      "2 changes |also have ||tax",
      "pending",
      "d||",
      "e||",
      "1 change |also has ||vat",
      "f|license MIT → null + 1 more|",
    ]);
    expect(await texts(page, ".accept button")).toEqual([
      "Copy command to accept all 3",
      "Copy command to accept all 2",
    ]);
  });

  test("shows no command for a kind that is partly hidden by filters", async () => {
    const page = await open({ model: MODEL, hash: "#q=invoice-3" });
    expect(await linesOf(page)).toEqual([
      "≠Value changed| |extract-price| |currency EUR → null",
      "1 of 8 shown · pending",
      "reads invoice 3||",
    ]);
    expect(await page.locator("#list .accept").count()).toBe(0);
    await page.locator("#clear").click();
    expect(await texts(page, "#list .accept button")).toEqual([
      "Copy command to accept all 8",
      "Copy command to accept all 3",
      "Copy command to accept all 6",
    ]);
  });

  test("shows a case in the order of a review: input, change, calls, cause", async () => {
    const page = await open({ model: MODEL, hash: addressOf("refunds a broken lamp") });
    expect(await page.locator("#case h1").textContent()).toBe("answer-mail refunds a broken lamp");
    expect(await texts(page, "#case h2")).toEqual(["Input", "Calls", "Why: model", "This baseline"]);
    expect(await texts(page, ".input-lines > div")).toEqual([
      "from ann@example.org",
      ...MAIL.split("\n")
        .slice(0, 5)
        .map((line, at) => (at === 0 ? `mail ${line}` : line)),
    ]);
    await page.goto(page.url().replace(/#.*/, addressOf("keeps what ticket 2 asks for")));
    await page.locator(".side ins").waitFor();
    expect(await texts(page, "#case h2")).toEqual([
      "Input",
      "ChangesSide by sideInline",
      "Why: prompt",
      "This baseline",
    ]);
  });

  test.each([
    [1280, 800],
    [390, 844],
  ])("has a fixed bar with the decision, the position and navigation at %i by %i", async (width, height) => {
    const page = await open({ model: MODEL, hash: addressOf("refunds a broken lamp"), width, height });
    const bar = page.locator(".case-bar");
    expect(await bar.locator(".position").textContent()).toBe("1 of 21 · 0 viewed");
    expect(await bar.locator("button").allTextContents()).toEqual(["Copy accept command", "Viewed"]);
    await page.keyboard.press("s");
    await bar.locator(".position", { hasText: "2 of 21 · 1 viewed" }).waitFor();
    await page.mouse.wheel(0, 5000);
    const box = await bar.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(height);
    await bar.locator("#viewed").click();
    expect(await bar.locator(".position").textContent()).toBe("2 of 21 · 2 viewed");
    await bar.locator("#previous").click();
    await bar.locator(".position", { hasText: "1 of 21 · 2 viewed" }).waitFor();
  });

  test("has a sidebar on wide screens, with progress, kinds, steps and causes, even on a case", async () => {
    const page = await open({ model: MODEL });
    expect(await texts(page, "#rail h2")).toEqual(["7 groups of changes", "5 steps", "Why"]);
    expect(await texts(page, ".rail-group")).toEqual([
      "New write answer-mail1",
      "New command route-ticket1",
      "Schema error extract-price1",
      "Failed extract-price1",
      "Value changed extract-price8",
      "Value changed classify-mail3",
      "Text changed summarise-ticket6",
    ]);
    const bars = await page
      .locator(".step .bar")
      .evaluateAll((all) =>
        all.map(
          (bar) => (bar.lastElementChild?.getBoundingClientRect().right ?? 0) - bar.getBoundingClientRect().right,
        ),
      );
    expect(bars.map(Math.round)).toEqual([0, 0, 0, 0, 0]);
    const left = async (selector: string): Promise<number> => (await page.locator(selector).boundingBox())?.x ?? -1;
    expect(await left("#rail")).toBeLessThan(await left("#list"));
    await page.locator("a.row").first().click();
    await page.keyboard.press("s");
    await page.locator("#progress", { hasText: "1 of 21 viewed" }).waitFor();
    await page.locator(".rail-group", { hasText: "Text changed" }).click();
    await page.locator("#found", { hasText: "6 of 40" }).waitFor();
    await page.setViewportSize({ width: 1000, height: 800 });
    expect(await left("#rail")).toBe(await left("#main"));
  });

  test("names the commit, branch, pull request and command of a run, and its tokens", async () => {
    const usage = { calls: 2, inputTokens: 900, outputTokens: 80 };
    const source = { commit: "0123456789abcdef", branch: "fix", pullRequest: "7", command: "vitest run <b>" };
    const cases = MODEL.cases.map((one, at) => (at === 0 ? { ...one, source: "live" as const, usage } : one));
    const model = buildRunModel({ ...MODEL, cases, environment: { ...MODEL.environment, source } });
    const facts = await texts(await open({ model }), "#run-title ~ dl > *");
    const own = ["Commit", "0123456789ab", "Branch", "fix", "Pull request", "7", "Command", "vitest run <b>"];
    expect(facts.slice(0, 8)).toEqual(own);
    expect(facts.slice(-4, -2)).toEqual([
      "Live",
      "1 baseline with live responses; 2 model calls (900 tokens in, 80 out)",
    ]);
  });

  test("shows a run without changes on one screen", async () => {
    const model = buildRunModel({
      ...sampleRun(),
      applied: null,
      cases: MODEL.cases.filter(({ kind }) => kind === "clean"),
    });
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      const page = await open({ model, width, height });
      expect(await page.locator("a.row").count()).toBe(0);
      expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(height);
      await page.getByText("Show all 19 baselines").click();
      // The page draws its list after the change of its address.
      await page.locator("a.row").first().waitFor();
      expect(await page.locator("a.row").count()).toBe(19);
    }
  });

  test("has at most five font sizes", async () => {
    const sizes = new Set<string>();
    const model = buildRunModel({ ...sampleRun(), cases: [...MODEL.cases, ...sampleRun().cases] });
    const page = await open({ model });
    for (const hash of ["#", ...pageData(model).ids.map((id) => `#case=${id}`)]) {
      await page.evaluate((to) => location.assign(to), hash);
      await page.locator(hash === "#" ? "#home" : "#case").waitFor();
      const found = await page.evaluate(() =>
        [...document.body.querySelectorAll("*")].flatMap((element) =>
          [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== "") &&
          element.checkVisibility()
            ? [getComputedStyle(element).fontSize]
            : [],
        ),
      );
      for (const size of found) sizes.add(size);
    }
    expect([...sizes].toSorted()).toEqual(["12px", "13px", "14px", "16px", "20px"]);
  });

  test("cuts off no text at 390 pixels: labels and names wrap", async () => {
    const model = buildRunModel({ ...sampleRun(), cases: [...MODEL.cases, ...sampleRun().cases] });
    const page = await open({ model, width: 390, height: 844 });
    const clipped = async (): Promise<string[]> =>
      page.evaluate(() =>
        [...document.querySelectorAll(".stat, .row, .row *, .group h3, .group-facts, .group-facts *, .chip, .kind")]
          .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== "inline" && !one.closest(".sr"))
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
          .map((one) => `${one.className}: ${one.textContent}`),
      );
    expect(await clipped()).toEqual([]);
    const right = await page.locator(".stat").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    expect(Math.max(...right)).toBeLessThanOrEqual(390);
  });
});
