// @module-tag deep
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { NO_FINDINGS, type ReportCase, type ReportChange, type ReportFindings } from "../../explain/report-case.ts";
import { reportPages, texts } from "../../../test-support/report-pages.ts";
import { sampleCase, sampleRun } from "../../../test-support/sample-run.ts";
import { buildRunModel } from "../build-run-model.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { pageData } from "./page-data.ts";

const MODEL = sampleRun();
const SAME = "The invoice was issued by the supplier on the first day of the month and lists twelve positions. ";
const { hasBrowser, open } = reportPages("what the HTML report shows first");

function changed(path: string, before: string | number | null, after: string | number | null): ReportChange {
  return { part: "output", path, before, after, cut: false };
}

/** A run of cases with these findings, that all wait. */
function runOf(...all: readonly (Partial<ReportFindings> & Pick<Partial<ReportCase>, "kind">)[]): RunModel {
  const cases = all.map(({ kind = "value_changed", ...findings }, index) =>
    sampleCase("a", `a/${String(index).padStart(4, "0")}.json`, {
      kind,
      updateState: "review",
      findings: { ...NO_FINDINGS, ...findings },
    }),
  );
  return buildRunModel({ ...MODEL, applied: null, cases });
}

/** The address of the first case. */
function first(model: RunModel): string {
  return `#case=${pageData(model).ids[0]}`;
}

/** Waits until the page of a case is open. */
async function atCase(page: Page, name: string): Promise<void> {
  await page.locator("#facts-title ~ dl", { hasText: name }).waitFor();
}

/** Whether the whole of something is in sight, as the page was opened. */
async function isInSight(page: Page, selector: string): Promise<boolean> {
  const box = await page.locator(selector).first().boundingBox();
  const size = page.viewportSize();
  if (box === null || size === null) return false;
  return box.y >= 0 && box.y + box.height <= size.height && box.x >= 0 && box.x + box.width <= size.width;
}

describe.skipIf(!hasBrowser)("the page at first sight, in Chromium", () => {
  test.each([
    [1280, 800],
    [390, 844],
  ])("has the first changed value in the viewport at %i by %i, in the list and on a case", async (width, height) => {
    const many = runOf(...Array.from({ length: 300 }, () => ({ changes: [changed("license", "CC-BY-4.0", null)] })));
    const because = ["300 baselines would be updated or removed, but policy.maxUpdates is 20.", "1 test file failed."];
    for (const model of [MODEL, { ...many, applied: { receipt: null, because } }]) {
      const page = await open({ model, width, height });
      expect(await isInSight(page, "#list .gist-swap ins")).toBe(true);
      await page.locator("a.row").first().click();
      expect(await isInSight(page, ".change ins, [data-row=added] .trajectory-after")).toBe(true);
    }
  });

  test("shows the changed words in a row, not the common beginning", async () => {
    const model = runOf(
      { changes: [changed("summary", `${SAME.repeat(9)}It was paid.`, `${SAME.repeat(9)}It is still open.`)] },
      { changes: [changed("name", "short", "other")] },
      { changes: [changed("tail", `${SAME}end`, `${SAME}end, and more`)] },
    );
    expect(await texts(await open({ model }), ".row-gist")).toEqual([
      "name short → other",
      "summary … twelve positions. It was paid → is still open",
      "tail … twelve positions. end, and more",
    ]);
  });

  test("shows a difference once, however many findings contain it", async () => {
    const command: ReportChange = { ...changed("[0].type", "refund", "escalate"), part: "commands" };
    const evidence = { calls: [], changes: [changed("commands[0].type", "refund", "escalate")], violations: [] };
    const request: ReportChange = { ...changed("temperature", 0, 0.5), part: "request" };
    const model = runOf(
      {
        kind: "request_changed",
        unrecorded: { adapter: "llm.complete", reason: "unknown_request", recorded: 2, changes: [request] },
        cause: {
          kind: "prompt",
          line: "cause: prompt (llm.complete temperature changed)",
          evidence: [
            {
              kind: "prompt",
              calls: [{ adapter: "llm.complete", kind: "changed", changes: [request] }],
              changes: [],
              violations: [],
            },
          ],
        },
      },
      {
        kind: "commands_changed",
        changes: [command],
        cause: { kind: "code", line: "cause: code", evidence: [{ kind: "code", ...evidence }] },
      },
    );
    const page = await open({ model, hash: first(model) });
    expect(await texts(page, ".change-head bdi")).toEqual(["temperature"]);
    expect(await texts(page, ".again")).toEqual(["1 difference is shown above."]);
    await page.locator("#previous").click();
    await atCase(page, "0001.json");
    expect(await texts(page, ".change-head bdi")).toEqual(["[0].type"]);
    expect(await texts(page, ".again")).toEqual(["1 difference is shown above."]);
  });

  test("shows equal differences as one card with all their paths", async () => {
    const lines = Array.from({ length: 6 }, (_, at) => changed(`lines[${at}].currency`, "USD", "EUR"));
    const model = runOf({ changes: [...lines, changed("total", 9, 10), changed("tax", "9", "10")] });
    const page = await open({ model, hash: first(model) });
    expect(await texts(page, ".change-head")).toEqual([
      `${[0, 1, 2, 3].map((at) => `lines[${at}].currency`).join("")}2 more placeslines[4].currencylines[5].currency`,
      "total",
      "tax",
    ]);
  });

  test("compares JSON strings as JSON, and loses none of their tokens", async () => {
    const before = '{"a":1.0,"list":[1,2],"none":{},"text":"x: [1, 2]"}';
    const after = '{"a": 1.0, "list": [1, 3], "none": {}, "text": "x: [1, 2]"}';
    const model = runOf(
      { changes: [changed("body", before, after)] },
      { changes: [changed("body", before, after.replace("3", "2"))] },
    );
    const page = await open({ model, hash: first(model) });
    expect((await texts(page, ".side del, .side ins")).map((text) => text.trim())).toEqual(["2", "3"]);
    expect((await texts(page, ".side-before")).join("")).toBe(
      '{\n  "a": 1.0,\n  "list": [\n    1,\n    2\n  ],\n  "none": {},\n  "text": "x: [1, 2]"\n}',
    );
    expect(await texts(page, ".tag")).toEqual(["JSON"]);
    await page.locator("#next").click();
    await atCase(page, "0001.json");
    expect(await texts(page, ".tag")).toEqual([]);
    expect((await texts(page, ".side-before")).join("")).toBe(before);
  });

  test("shows on a case its test first, then what changed and why, then its baseline", async () => {
    const index = MODEL.cases.findIndex(({ baseline }) => baseline.includes("eight-claims"));
    const page = await open({ hash: `#case=${pageData(MODEL).ids[index]}` });
    expect(await page.locator("h1:visible").textContent()).toBe("extract-claims eight-claims stays as it is");
    expect(await page.locator(".told").textContent()).toBe("≠Number changed Code pending");
    expect(await texts(page, "#case h2")).toEqual(["ChangesSide by sideInline", "Why: code", "This baseline"]);
  });

  test("shows labels for classes, and their command-line names in tooltips", async () => {
    const page = await open({ hash: "#count=total" });
    const badges = await page
      .locator(".group")
      .evaluateAll((all) =>
        all.flatMap((group) =>
          [...group.querySelectorAll(".kind")].map((kind) => [kind.getAttribute("title"), kind.lastChild?.textContent]),
        ),
      );
    expect(badges).toEqual([
      ["calls_changed", "New write"],
      ["commands_changed", "Command changed"],
      ["broken", "Broken file"],
      ["schema_violation", "Schema error"],
      ["failed", "Failed"],
      ["request_changed", "Request not recorded"],
      ["value_changed", "Value gone"],
      ["value_changed", "Outcome changed"],
      ["value_changed", "Number changed"],
      ["missing", "New baseline"],
      ["obsolete", "Obsolete"],
      ["value_changed", "Output changed"],
      ["events_changed", "Events changed"],
      ["missing", "New baseline"],
      ["clean", "Passed"],
      ["clean", "Passed"],
    ]);
  });

  test("counts what ran with live responses also where no model reported its tokens", async () => {
    const cases = Array.from({ length: 85 }, (_, at) =>
      sampleCase("a", `a/${at}.json`, { kind: "clean", source: "live" }),
    );
    const page = await open({ model: buildRunModel({ ...MODEL, cases }) });
    expect(await page.locator("#run-title ~ dl").textContent()).toContain("Live85 baselines with live responses");
  });

  test("links a case by its baseline, so that the link survives new cases", async () => {
    const [one, ...others] = MODEL.cases;
    const [alone, among] = [one === undefined ? [] : [one], [...others, ...(one === undefined ? [] : [one])]].map(
      (cases) => pageData({ ...MODEL, cases }).ids.at(-1),
    );
    expect(alone).toMatch(/^[0-9a-f]{10}$/);
    expect(among).toBe(alone);
    const twice = pageData({ ...MODEL, cases: MODEL.cases.slice(0, 1).flatMap((found) => [found, found]) }).ids;
    expect(twice).toEqual([alone, `${alone}-2`]);
  });

  test("shows a joined emoji as one character, even if only a part of it changed", async () => {
    const model = runOf({ changes: [changed("by", `${SAME}signed by 👩‍🔬 today`, `${SAME}signed by 👨‍🔬 today`)] });
    const page = await open({ model });
    expect(await texts(page, ".esc")).toEqual([]);
    await page.locator("a.row").click();
    expect(await texts(page, ".side del")).toEqual(["👩‍🔬"]);
    expect(await texts(page, ".esc")).toEqual([]);
  });

  test("has a link past the filters, which doesn't change the address", async () => {
    const page = await open({ hash: "#class=missing" });
    await page.keyboard.press("Tab");
    const inSight = async (): Promise<boolean> => isInSight(page, ".skip");
    expect(await inSight()).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.locator("a.row:focus").count()).toBe(1);
    expect(await inSight()).toBe(false);
    expect(new URL(page.url()).hash).toBe("#class=missing");
  });

  test("remembers viewed cases until their changes differ", async () => {
    const model = runOf({ changes: [changed("a", 1, 2)] }, { changes: [changed("b", SAME, `${SAME}b`)] });
    const page = await open({ model, hash: first(model) });
    await page.keyboard.press("s");
    await atCase(page, "0001.json");
    expect(await page.locator("#viewed").getAttribute("aria-pressed")).toBe("false");
    await page.keyboard.press("x");
    expect(await page.locator("#viewed").getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press("x");
    await page.reload();
    await page.keyboard.press("Escape");
    await page.locator("#home").waitFor();
    expect(await texts(page, ".row.viewed .row-name")).toEqual(["a 0000 stays as it is"]);
    expect(await page.locator("#progress").textContent()).toBe("1 of 2 viewed");
    expect(pageData(runOf({ changes: [changed("a", 1, 3)] })).marks).not.toEqual(pageData(model).marks);
  });

  test("keeps what was ticked in another tab", async () => {
    const model = runOf({ changes: [changed("a", 1, 2)] }, { changes: [changed("b", SAME, `${SAME}b`)] });
    const page = await open({ model, hash: first(model) });
    const other = await page.context().newPage();
    await other.goto(page.url());
    // The browser tells other tabs of a tick a moment later: on a busy machine after the next key.
    await other.evaluate('addEventListener("storage", () => document.body.setAttribute("data-told", ""))');
    await page.keyboard.press("x");
    await other.locator("body[data-told]").waitFor();
    await other.keyboard.press("j");
    await atCase(other, "0001.json");
    await other.keyboard.press("x");
    await page.reload();
    await page.keyboard.press("Escape");
    await page.locator("#progress", { hasText: "2 of 2 viewed" }).waitFor();
    await other.close();
  });

  test("escapes texts that look the same in the list", async () => {
    const page = await open({
      model: runOf(
        { changes: [changed("name", "pay", "p\u0430y")] },
        { changes: [changed("total", "10 EUR", "10\u00a0EUR")] },
        { changes: [changed("note", "fine", "fine ")] },
        { changes: [changed("text", `${SAME}a pay`, `${SAME}a p\u0430y`)] },
      ),
    });
    const shown = await texts(page, "#list .gist-swap");
    expect(shown.toSorted()).toEqual([
      "10 EUR → 10\\u00a0EUR",
      "fine → fine\\u0020",
      "pay → p\\u0430y",
      "… twelve positions. a pay → p\\u0430y",
    ]);
  });

  test("counts further changes of a text, and hides a row's text only if all of its change is that of the head", async () => {
    const late = (end: string, ends: string): { changes: ReportChange[] } => ({
      changes: [changed("summary", `It arrived late. ${SAME}${end}`, `It never arrived. ${SAME}${ends}`)],
    });
    const page = await open({
      model: runOf(late("Nothing is owed.", "Nothing is owed."), late("a", "a"), late("no", "480")),
    });
    expect(await texts(page, ".group h3")).toEqual(["≠Text changed a summary It arrived late → never arrived"]);
    expect((await texts(page, "a.row .row-gist")).map((text) => text.trim())).toEqual([
      "summary It arrived late → never arrived + 1 more change",
    ]);
  });

  test("reports changes by their kind: what and why, how many, a few of them, and one command", async () => {
    const license = { changes: [changed("license", "MIT", null)] };
    const model = runOf(
      ...Array.from({ length: 34 }, () => license),
      ...Array.from({ length: 2 }, (_, at) => ({ changes: [changed(`lines[${at}].count`, at, at + 5)] })),
      { changes: [changed("note", `${SAME}a`, `${SAME}b`)] },
    );
    const page = await open({ model });
    expect(await texts(page, ".group h3")).toEqual([
      "≠Value changed a license MIT → null",
      "≠Number changed a lines[0].count 0 → 5",
    ]);
    expect(await texts(page, ".group-facts > .dim")).toEqual(["34 changes · pending", "2 changes · pending"]);
    expect(await page.locator(".group").first().locator("a.row").count()).toBe(3);
    const [id = ""] = model.groups.map((group) => group.id);
    expect(await texts(page, ".group .accept code")).toEqual(
      model.groups.slice(0, 2).map((group) => `npx veritest accept --group ${group.id} --from veritest-state.zip`),
    );
    await page.locator(".of-kind").click();
    await page.locator("#found", { hasText: "34 of 37" }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe(`#group=${id}`);
    expect(await page.locator("a.row").count()).toBe(34);
    await page.locator("a.row").last().click();
    await page.locator(".case-nav", { hasText: "34 of 34 of this group" }).waitFor();
    await page.goto(page.url().replace(/group=[^&]*&/, ""));
    await page.locator("#next-kind").click();
    await page.locator(".case-nav", { hasText: "1 of 2 of this group" }).waitFor();
    expect(await page.locator("#case .change-head bdi").textContent()).toBe("lines[0].count");
  });

  test("folds the filters on a narrow screen behind a labelled button", async () => {
    const page = await open({ width: 390, height: 844 });
    expect(await page.locator("#filter-class").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Filters" }).click();
    expect(await page.locator(".opener").getAttribute("aria-expanded")).toBe("true");
    await page.locator("#filter-class").selectOption("failed");
    await page.locator("#found", { hasText: "1 of 17" }).waitFor();
  });
});
