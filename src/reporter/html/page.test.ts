// @module-tag deep
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { reportPages, followed, texts } from "../../../test-support/report-pages.ts";
import { sampleCase, sampleRun } from "../../../test-support/sample-run.ts";
import { buildRunModel } from "../build-run-model.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { NO_FINDINGS, type ReportChange, type ReportFindings } from "../../explain/report-case.ts";
import { pageData } from "./page-data.ts";

const MODEL = sampleRun();
/** How many baselines the sample run has. */
const ALL = MODEL.cases.length;
const { hasBrowser, open } = reportPages("the HTML report's page");

/** The baselines that the list shows, by their files' names. */
async function listed(page: Page): Promise<string[]> {
  await followed(page);
  const ids = await page.locator("a.row").evaluateAll((all) => all.map((row) => row.getAttribute("data-id")));
  return ids.map((id) => nameOf(MODEL.cases[idsOf(MODEL).indexOf(id ?? "")]?.baseline ?? ""));
}

function nameOf(baseline: string): string {
  return baseline.replace(/.*\//, "");
}

/** Where in the run a case stands, as the address has it. */
function addressOf(baseline: string, model: RunModel = MODEL): string {
  return `#case=${idsOf(model)[model.cases.findIndex((one) => one.baseline.includes(baseline))]}`;
}

/** What addresses call the cases of a run. */
function idsOf(model: RunModel): readonly string[] {
  return pageData(model).ids;
}

function everyChange({ changes, tolerated, cause, unrecorded }: ReportFindings): readonly ReportChange[] {
  return [
    ...changes,
    ...tolerated,
    ...(unrecorded?.changes ?? []),
    ...(cause?.evidence ?? []).flatMap(({ changes: own, calls }) => [...own, ...calls.flatMap((call) => call.changes)]),
  ];
}

describe.skipIf(!hasBrowser)("the page, opened from disk in Chromium", () => {
  test("shows the calls of both runs side by side, with equal ones folded", async () => {
    const page = await open({ hash: addressOf("close-the-account") });
    const rows = page.locator(".trajectory tr[data-row]:visible");
    const shown = async (): Promise<string[]> =>
      rows.evaluateAll((all) =>
        all.map((row) =>
          [...row.querySelectorAll("td")]
            .slice(1)
            .map((cell) => [...cell.querySelectorAll("summary, .tag")].map((part) => part.textContent).join(" "))
            .join(" | "),
        ),
      );
    const changed = [
      'tools.lookup({ city: "Oslo" }) | tools.lookup({ city: "Bergen" }) changed',
      'tools.notify({ to: "ann" }) write gone | ',
      'tools.notify({ to: "ann" }) write gone | ',
      "tools.charge({ amount: 40 }) write | tools.charge({ amount: 40 }) write moved before tools.reserve",
      "tools.reserve({ seats: 2 }) write | tools.reserve({ seats: 2 }) write",
      " | tools.deleteUser({ id: 7 }) write new",
    ];
    await page.locator(".trajectory").waitFor();
    expect(await shown()).toEqual(changed);
    const fold = page.getByRole("button", { name: "4 equal calls" });
    expect(await fold.getAttribute("aria-expanded")).toBe("false");
    await fold.click();
    expect(await fold.getAttribute("aria-expanded")).toBe("true");
    expect((await shown()).slice(3, 5)).toEqual([
      "tools.getTickets({ id: 7 }) | tools.getTickets({ id: 7 })",
      changed[0],
    ]);
    expect(await page.locator(".trajectory th").allTextContents()).toEqual(["Baseline", "Now"]);
    expect(await texts(page, ".trajectory del, .trajectory ins")).toEqual(["Oslo", "Bergen"]);
    const args = page.locator(".call-args").last();
    expect(await args.locator(".block").isVisible()).toBe(false);
    await args.locator("summary").click();
    expect(await args.locator(".block").textContent()).toBe('{\n  "id": 7\n}');
    // The table has each of the changed calls: none is printed twice.
    expect(await page.locator("#case .change").count()).toBe(0);
  });

  test("shows a call that the table has only partly, or differently, as a change", async () => {
    const call = { kind: "added", role: "read", times: 1, movedTo: null } as const;
    const body = "x".repeat(300);
    const added = (path: string, after: ReportChange["after"]): ReportChange => ({
      part: "calls",
      path,
      after,
      cut: false,
      call,
    });
    const row = (now: string): ReportFindings["trajectory"][number] => ({
      kind: "added",
      role: "read",
      baseline: null,
      now,
    });
    const findings = {
      ...NO_FINDINGS,
      changes: [added("tools.log", { body }), added("tools.pay", { amount: 1 }), added("tools.none", { id: 1 })],
      trajectory: [
        row(`tools.log({"body":"${body.slice(0, 180)}… (+120 characters)`),
        row('tools.pay({"amount":1.0})'),
      ],
    };
    const model = buildRunModel({
      ...MODEL,
      cases: [sampleCase("a", "a/b.json", { kind: "calls_changed", findings })],
    });
    const page = await open({ model, hash: addressOf("b.json", model) });
    expect(await texts(page, ".change-head bdi")).toEqual(["tools.log", "tools.pay", "tools.none"]);
    expect((await texts(page, ".trajectory .t"))[1]).toBe('tools.pay({"amount":1.0})');
  });

  test("says what a pending change of an input is, whose test may have passed", async () => {
    const changes = [{ part: "input", path: "text", before: "Hello", after: "Hi", cut: false }] as const;
    const findings = { ...NO_FINDINGS, changes };
    const changed = { kind: "input_changed", updateState: "pending", findings } as const;
    const model = buildRunModel({ ...MODEL, cases: [sampleCase("a", "a/b.json", changed)] });
    const page = await open({ model, hash: addressOf("b.json", model) });
    expect(await texts(page, ".means")).toEqual([
      "The test passes a different input than the baseline has, and the result differs. Accept or reject the change.",
    ]);
  });

  test("shows six lines of the input and the rest on a click, and folds the failure's location", async () => {
    const hostile = "<img src=x onerror=\"document.title='taken'\">";
    const failed = {
      ...NO_FINDINGS,
      error: { code: "no", message: "no", at: `src/${hostile}.ts:4:2` },
      input: { [hostile]: hostile, mail: "one\ntwo\nthree\nfour\nfive\nsix", meta: { id: 1 } },
    };
    const model = buildRunModel({
      ...MODEL,
      cases: [sampleCase("a", "a/b.json", { kind: "failed", findings: failed })],
    });
    const page = await open({ model, hash: addressOf("a/b.json", model) });
    const lines = async (): Promise<string[]> => texts(page, ".input-lines > div");
    const first = [`${hostile} ${hostile}`, "mail one", "two", "three", "four", "five"];
    expect(await texts(page, "#case h2")).toEqual(["Input", "The error", "This baseline"]);
    expect(await lines()).toEqual(first);
    await page.getByRole("button", { name: "Show all 10 lines" }).click();
    expect(await lines()).toEqual([...first, "six", "meta {", '  "id": 1', "}"]);
    expect(await page.locator("#input-title ~ button").count()).toBe(0);
    const part = page.locator("details#failed-at");
    expect(await part.getAttribute("open")).toBeNull();
    await part.locator("summary").click();
    expect(await part.locator("summary").textContent()).toBe("Where the step failed");
    expect(await part.locator(":scope > :not(summary)").textContent()).toBe(`src/${hostile}.ts:4:2`);
    expect(await page.locator("#case img").count()).toBe(0);
    expect(await page.title()).not.toBe("taken");
  });

  test("shows any input", async () => {
    const inputs = [
      ["one\ntwo", ["one", "two"], 0],
      [{ a: null, b: [1] }, ["a null", "b [", "  1", "]"], 0],
      [["x", 2], ["[", '  "x",', "  2", "]"], 0],
      ["y".repeat(300), [`${"y".repeat(240)}…`], 1],
    ] as const;
    const cases = inputs.map(([input], at) =>
      sampleCase("a", `a/${at}.json`, { kind: "value_changed", findings: { ...NO_FINDINGS, input } }),
    );
    const model = buildRunModel({ ...MODEL, cases });
    const page = await open({ model });
    for (const [at, [, lines, buttons]] of inputs.entries()) {
      await page.evaluate((hash) => location.assign(hash), addressOf(`a/${at}.json`, model));
      await page.waitForFunction((name) => document.title.endsWith(name), `a/${at}.json`);
      expect(await texts(page, ".input-lines > div")).toEqual(lines);
      expect(await page.locator("#input-title ~ button").count()).toBe(buttons);
    }
  });

  test("summarizes the run in a sentence, in counts and by step", async () => {
    const page = await open();
    expect(await page.title()).toBe("veritest: 12 of 17 baselines need a look");
    expect(await page.locator("h1").textContent()).toBe("12 of 17 baselines need a look");
    expect(await texts(page, ".stat")).toEqual([
      "12 to review",
      "17 baselines",
      "5 passed",
      "1 captured",
      "2 updated",
      "2 pending",
    ]);
    expect(await page.locator(".stat[aria-current]").textContent()).toBe("12 to review");
    expect(await texts(page, ".step")).toEqual([
      "extract-receipt7 of 10 to review",
      "extract-claims2 of 2 to review",
      "assist1 of 1 to review",
      "book-trip1 of 1 to review",
      "route-ticket1 of 3 to review",
    ]);
    expect(await texts(page, ".chips .chip")).toEqual([
      "Code 2",
      "Prompt 2",
      "Model 2",
      "Schema 1",
      "Several causes 1",
    ]);
    expect(await texts(page, ".remarks li")).toEqual(["Pending 1 test file failed."]);
  });

  test("lists every case with its class, its step and its cause", async () => {
    const page = await open({ hash: "#count=total" });
    const ids = idsOf(MODEL);
    const rows = await page
      .locator("a.row")
      .evaluateAll((all) =>
        all.map((row) => [
          row.getAttribute("data-id"),
          row.getAttribute("data-kind"),
          row.querySelector(".row-name .test-name")?.textContent,
          row.querySelector(".row-step")?.textContent ??
            row.closest(".group")?.querySelector(".group-step")?.textContent,
        ]),
      );
    expect(rows.toSorted(([a], [b]) => ids.indexOf(a ?? "") - ids.indexOf(b ?? ""))).toEqual(
      MODEL.cases.map(({ kind, test, step, baseline }, index) => [
        ids[index],
        kind,
        // A test of one case names it, else its file does.
        MODEL.cases.filter((other) => other.test?.name === test?.name).length === 1 && test !== null
          ? "stays as it is"
          : nameOf(baseline).replace(/-[0-9a-f]{6,}\.json$/, ""),
        step,
      ]),
    );
    const causes = await page
      .locator("a.row")
      .evaluateAll((all) => all.map((row) => row.querySelector(".row-chips .chip:not(.settled)")?.textContent ?? ""));
    expect(causes.filter((cause) => cause !== "")).toEqual([
      "Model",
      "Model",
      "Schema",
      "Several causes",
      "Prompt",
      "Code",
    ]);
  });

  test.each(["", "&view=inline"])("shows all findings on a case's own page%s", async (view) => {
    const page = await open();
    for (const [index, one] of MODEL.cases.entries()) {
      await page.evaluate((hash) => location.assign(hash), `#case=${idsOf(MODEL)[index]}${view}`);
      await page.waitForFunction((name) => document.title.endsWith(name), one.baseline);
      const shown = (
        await page
          .locator("#case")
          .evaluate((article) =>
            [...article.querySelectorAll(".t, .violations li, code, p")].map((part) => part.textContent ?? ""),
          )
      ).map((text) => text.replaceAll("\u00a0", " "));
      const facts = [
        one.step,
        one.baseline,
        one.kind,
        ...one.labels,
        ...(one.test === null ? [] : [one.test.name, one.test.file]),
      ];
      expect(shown).toEqual(expect.arrayContaining(facts));
      if (one.findings === null) continue;
      const { cause, error, problem, unrecorded, unused, violations } = one.findings;
      const told = [cause?.line, error?.code, error?.message, problem, unrecorded?.adapter, ...unused].filter(
        (text) => typeof text === "string",
      );
      expect(shown).toEqual(
        expect.arrayContaining([...told, ...violations.map(({ path, message }) => `${path}: ${message}`)]),
      );
      // Changed calls are in the table of calls.
      for (const change of everyChange(one.findings).filter(({ part }) => part !== "calls"))
        expect(await sidesOf(page, change)).toContainEqual(sidesIn(change));
    }
  });

  test("reports trials with their interval, in words and as bars", async () => {
    const page = await open({ hash: addressOf("refund") });
    expect(await page.locator("[aria-labelledby=trials-title] p").first().textContent()).toBe(
      "4 of 10 runs matched the baseline; at least 9 were required. With more runs, the share is probably between 17 % and 69 % (95 % Wilson interval).",
    );
    expect(await texts(page, ".trial")).toEqual(["the complete case4 of 10", "summary4 of 10", "total9 of 10"]);
    const track = await page.locator(".track").first().boundingBox();
    const band = await page.locator(".band").boundingBox();
    expect(((band?.x ?? 0) - (track?.x ?? 0)) / (track?.width ?? 1)).toBeCloseTo(0.17, 1);
    expect((band?.width ?? 0) / (track?.width ?? 1)).toBeCloseTo(0.52, 1);
  });

  test("shows the outcome of each call under each fault as a table, with wrong ones marked", async () => {
    const page = await open({ hash: addressOf("faults-") });
    const rows = await page
      .locator(".grid tr")
      .evaluateAll((all) =>
        all.map((row) => [...row.children].map((cell) => `${cell.getAttribute("scope") ?? ""} ${cell.textContent}`)),
      );
    expect(rows).toEqual([
      [" ", "col timeout", "col crash-before-effect", "col crash-after-effect", "col slow", "col malformed-answer"],
      ["row llm.plan#1", " same", " same", " same", " same", " Baseline: same → Now: failed: bad_plan"],
      ["row tools.reserve#1", " failed: timeout", " same", " same", " same", " –does not apply"],
      [
        "row tools.pay#1",
        " failed: timeout",
        " same",
        " ✕ wrong Baseline: same → Now: wrote twice",
        " same",
        " failed: bad_receipt",
      ],
    ]);
    expect(await texts(page, "[aria-labelledby=grid-title] > p")).toEqual(["14 outcomes: 1 wrong, 2 changed"]);
    expect(await texts(await open(), `[data-id="${addressOf("faults-").slice("#case=".length)}"] .row-gist`)).toEqual([
      "tools.pay#1 × crash-after-effect wrong: wrote twice + 1 more",
    ]);
  });

  test("scrolls a table of outcomes in its own box with a sticky first column, and prints all of it", async () => {
    const long = { text: `failed: ${"x".repeat(180)}`, before: "same", wrong: true };
    const grid = {
      columns: Array.from({ length: 18 }, (_, at) => `fault-number-${at + 1}`),
      rows: Array.from({ length: 20 }, (_, at) => ({
        name: `tools.callWithALongName#${at + 1}`,
        cells: Array.from({ length: 18 }, (_cell, column) => (column === at ? long : { text: "same", wrong: false })),
      })),
      moreRows: 3,
    };
    const findings = { ...NO_FINDINGS, grid };
    const cases = [sampleCase("a", "a/b.json", { kind: "value_changed", findings })];
    const model = buildRunModel({ ...MODEL, cases });
    const page = await open({ model, hash: addressOf("b.json", model), width: 390 });
    const box = page.locator(".grid-box");
    const sizes = async (): Promise<readonly boolean[]> =>
      page.evaluate(() =>
        ["html", ".grid-box"].map((one) => {
          const { scrollWidth = 0, clientWidth = 0 } = document.querySelector(one) ?? {};
          return scrollWidth > clientWidth;
        }),
      );
    expect(await sizes()).toEqual([false, true]);
    const head = page.locator(".grid th[scope=row]").first();
    const left = (await head.boundingBox())?.x;
    await box.focus();
    await box.evaluate((one) => one.scrollTo(600, 0));
    expect((await head.boundingBox())?.x).toBe(left);
    expect((await head.boundingBox())?.width).toBeLessThan(390 / 2);
    expect(await texts(page, "[aria-labelledby=grid-title] > p")).toEqual([
      "360 outcomes: 18 wrong, 18 changed",
      "3 more rows not in this report.",
    ]);
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.emulateMedia({ media: "print" });
    expect(await sizes()).toEqual([false, false]);
  });

  test("filters by count, class, cause, step, label and text, and keeps the filters in the address", async () => {
    const page = await open();
    // The list and the address follow a moment later.
    const shows = async (names: string[]): Promise<void> => expect.poll(() => listed(page)).toEqual(names);
    const isAt = async (hash: string): Promise<void> => expect.poll(() => new URL(page.url()).hash).toBe(hash);
    await page.locator(".stat", { hasText: "pending" }).click();
    await shows(["eight-claims-19a63858.json", "receipt-047-77007711.json"]);
    await isAt("#count=pending");
    await page.locator("#clear").click();
    await page.locator("#filter-class").selectOption("missing");
    await shows(["receipt-046-66006611.json", "receipt-047-77007711.json"]);
    await page.locator(".stat", { hasText: "baselines" }).click();
    await shows(["receipt-046-66006611.json", "receipt-047-77007711.json", "receipt-048-88008811.json"]);
    await isAt("#count=total&class=missing");
    await page.locator("#clear").click();
    await page.locator("#filter-cause").selectOption("prompt");
    await page.locator("#filter-step").selectOption("extract-claims");
    await shows(["long-summary-0badcafe.json"]);
    await isAt("#cause=prompt&step=extract-claims");
    await page.locator("#clear").click();
    await page.locator("#search").fill("merge conflict");
    await page.locator("#found", { hasText: `1 of ${ALL}` }).waitFor();
    await shows(["receipt-045-44ee55ff.json"]);
    await page.locator("#search").fill("no baseline says this");
    await page.locator(".empty").waitFor();
    await expect.poll(() => page.locator("#said").textContent()).toBe("0 baselines shown.");
    await page.locator("#search").fill("search.find receipt-051");
    await page.waitForFunction(() => location.hash.includes("051"));
    await page.locator(".empty a", { hasText: `Search all ${ALL}` }).click();
    await shows(["receipt-051-bb00bb11.json"]);
  });

  test("opens a view from its address", async () => {
    const page = await open({ hash: "#q=claims&cause=prompt" });
    expect(await listed(page)).toEqual(["long-summary-0badcafe.json"]);
    expect(await page.locator("#search").inputValue()).toBe("claims");
    expect(await page.locator("#filter-cause").inputValue()).toBe("prompt");
  });

  test("shows the default list for an invalid address", async () => {
    const page = await open({ hash: "#case=99999&class=__proto__x&count=constructor" });
    expect(await page.locator(".empty").textContent()).toBe(`No baseline matches these filters. Search all ${ALL}`);
    expect(await (await open({ hash: "#case=99999&count=constructor&%zz" })).locator("a.row").count()).toBe(12);
  });

  test("supports keyboard navigation", async () => {
    const page = await open();
    const focused = async (): Promise<string> => {
      const [id, own] = await page.evaluate(() => {
        const { activeElement } = document;
        return [activeElement?.getAttribute("data-id"), activeElement === document.body ? "body" : activeElement?.id];
      });
      return typeof id === "string" ? nameOf(MODEL.cases[idsOf(MODEL).indexOf(id)]?.baseline ?? "") : (own ?? "");
    };
    await page.keyboard.press("j");
    expect(await focused()).toBe("close-the-account-5c1d2e3f.json");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await focused()).toBe("receipt-045-44ee55ff.json");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("k");
    expect(await focused()).toBe("receipt-042-9f31c2d8.json");
    expect(await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)).toBe(
      "solid",
    );
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.title.includes("receipt-042"));
    expect(await focused()).toBe("case-title");
    await page.keyboard.press("j");
    await page.waitForFunction(() => document.title.includes("receipt-044"));
    await page.keyboard.press("v");
    await page.waitForFunction(() => location.hash.includes("view=inline"));
    await page.keyboard.press("Escape");
    await page.locator("#home").waitFor();
    expect(await focused()).toBe("receipt-044-22cc33dd.json");
    await page.keyboard.press("/");
    await page.waitForFunction(() => document.activeElement?.id === "search");
    await page.keyboard.type("jk/?");
    expect(await page.locator("#search").inputValue()).toBe("jk/?");
    await page.locator("#found", { hasText: new RegExp(`^0 of ${ALL}$`, "u") }).waitFor();
    await page.locator("#search").fill("");
    await page.locator("#found", { hasText: new RegExp(`^12 of ${ALL}$`, "u") }).waitFor();
    await page.keyboard.press("Escape");
    expect(await focused()).toBe("body");
    await page.locator("a.row").first().click();
    await page.locator("#case-title").waitFor();
    await page.keyboard.press("/");
    await page.waitForFunction(() => document.activeElement?.id === "search");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    expect(await page.locator("#help").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator("#help").isVisible()).toBe(false);
  });

  test("returns to the same list with the browser's back button", async () => {
    const page = await open({ hash: "#class=missing" });
    await page.locator("a.row").nth(1).click();
    await page.locator("#case-title").waitFor();
    await page.goBack();
    await page.locator("#home").waitFor();
    expect(await listed(page)).toHaveLength(2);
  });

  test("copies the command that accepts a change", async () => {
    const page = await open({ hash: addressOf("eight-claims") });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("#copy-accept").click();
    await page.locator("#copy-accept", { hasText: "Copied" }).waitFor();
    expect(await page.evaluate(async () => navigator.clipboard.readText())).toBe(
      "npx veritest accept --from veritest-state.zip steps/__baselines__/extract-claims/eight-claims-19a63858.json",
    );
  });

  test("selects the command if the browser doesn't allow copying", async () => {
    const page = await open({ hash: addressOf("eight-claims") });
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.keyboard.press("c");
    await page.locator("#copy-accept", { hasText: "Press Ctrl+C" }).waitFor();
    expect(await page.evaluate(() => String(getSelection()))).toBe(
      "npx veritest accept --from veritest-state.zip steps/__baselines__/extract-claims/eight-claims-19a63858.json",
    );
  });

  test("shows no command for cases that aren't pending, even a missing one without a result", async () => {
    const page = await open();
    const offered: string[] = [];
    for (const [index, { baseline }] of MODEL.cases.entries()) {
      await page.evaluate((hash) => location.assign(hash), `#case=${idsOf(MODEL)[index]}`);
      await page.waitForFunction((name) => document.title.endsWith(name), baseline);
      if ((await page.locator("#case .accept").count()) > 0) offered.push(nameOf(baseline));
    }
    expect(offered).toEqual(["eight-claims-19a63858.json", "receipt-047-77007711.json"]);
  });

  test("follows the colour scheme of the system", async () => {
    const background = async (page: Page): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await background(await open())).toBe("rgb(255, 255, 255)");
    expect(await background(await open({ dark: true }))).toBe("rgb(16, 19, 24)");
  });

  test("works if the browser has no storage", async () => {
    const page = await open();
    const path = page.url();
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "localStorage", {
        get() {
          throw new Error("no storage");
        },
      });
    });
    await page.goto(path);
    expect(await listed(page)).toHaveLength(12);
  });

  test("fits screens from 320 to 1920 pixels", async () => {
    const page = await open();
    for (const hash of ["#", ...idsOf(MODEL).map((id) => `#case=${id}`), `${addressOf("long-summary")}&view=inline`]) {
      await page.evaluate((to) => location.assign(to), hash);
      await page.locator(hash === "#" ? "#home" : "#case").waitFor();
      for (const width of [320, 360, 390, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
          `${hash} at ${width}`,
        ).toBeLessThanOrEqual(0);
      }
    }
  });

  test("has no accessibility violation that axe finds, in either colour scheme", async () => {
    const page = await open();
    for (const hash of [
      "#",
      "#class=missing",
      ...idsOf(MODEL).map((id) => `#case=${id}`),
      `${addressOf("long-summary")}&view=inline`,
    ]) {
      await page.evaluate((to) => location.assign(to), hash);
      await page.locator(hash.startsWith("#case") ? "#case" : "#home").waitFor();
      await expectAccessible(page, hash);
    }
    await page.keyboard.press("?");
    await expectAccessible(page, "?");
  });

  test("has no violation that axe finds in a list of several kinds, in either colour scheme", async () => {
    const changes = (at: number): ReportFindings["changes"] => [
      { part: "output", path: at % 2 === 0 ? "license" : "lines[0].count", before: "MIT", after: null, cut: false },
    ];
    const cases = Array.from({ length: 12 }, (_, at) =>
      sampleCase("extract", `a/${at}.json`, {
        kind: "value_changed",
        findings: { ...NO_FINDINGS, changes: changes(at) },
      }),
    );
    const page = await open({ model: buildRunModel({ ...MODEL, cases }) });
    expect(await page.locator(".group h3").count()).toBe(2);
    await expectAccessible(page, "");
  });

  test("prints the list without its controls", async () => {
    const page = await open({ dark: true });
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".filters").isVisible()).toBe(false);
    expect(await page.locator("a.row").first().isVisible()).toBe(true);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(255, 255, 255)");
  });

  test("has a readable page without cases, with clean ones only, and with one", async () => {
    const run = (kinds: readonly ("clean" | "value_changed")[]): RunModel =>
      buildRunModel({
        ...MODEL,
        applied: null,
        cases: kinds.map((kind, index) => sampleCase("a", `a/${index}.json`, { kind })),
      });
    const headline = async (model: RunModel): Promise<string | null> =>
      (await open({ model })).locator("h1").textContent();
    expect(await headline(run([]))).toBe("No baselines were checked");
    expect(await headline(run(["clean", "clean"]))).toBe("All 2 baselines passed");
    expect(await headline(run(["clean"]))).toBe("1 baseline passed");
    expect(await headline(run(["clean", "value_changed"]))).toBe("1 of 2 baselines changed");
    expect(await headline({ ...run(["clean"]), problems: ["The log was cut."] })).toBe(
      "The baselines passed, but the run had a problem",
    );
  });

  test("counts encoded texts and numbers of a long list, and tells names apart that look the same", async () => {
    const [before, after] = [0.5, 1.5];
    const image = (letter: string): string => `data:image/png;base64,${letter.repeat(300)}`;
    const encoded = { before: image("A"), after: image("B") };
    const changes: ReportChange[] = [
      { part: "output", path: "data[0].image", ...encoded, cut: false },
      { part: "output", path: "data[1].image", ...encoded, cut: false },
      { part: "output", path: "vector[0]", before, after, count: 1536, cut: false },
      { part: "output", path: "name", before, cut: false },
      { part: "output", path: "n\u0430me", after: before, cut: false },
    ];
    const model = buildRunModel({
      ...MODEL,
      cases: [sampleCase("a", "a/b.json", { kind: "value_changed", findings: { ...NO_FINDINGS, changes } })],
    });
    const page = await open({ model, hash: addressOf("b.json", model) });
    expect(await texts(page, ".change bdi.path")).toEqual([
      "name",
      "n\\u0430me",
      "data[*].image: 2 encoded texts differ",
      "vector[*]: 1,536 numbers differ",
    ]);
  });

  test("folds long texts, and shows all of them on a click", async () => {
    const before = Array.from({ length: 300 }, (_, line) => `line ${line}`).join("\n");
    const changes: ReportChange[] = [
      { part: "output", path: "long", before, after: before.replace("line 150\n", "another line 150\n"), cut: false },
      { part: "output", path: "gone", before: "word ".repeat(2000), cut: false },
    ];
    const model = buildRunModel({
      ...MODEL,
      cases: [sampleCase("a", "a/b.json", { kind: "value_changed", findings: { ...NO_FINDINGS, changes } })],
    });
    const page = await open({ model, hash: addressOf("b.json", model) });
    expect([...new Set(await texts(page, "button.fold"))]).toEqual([
      "⋯ 143 unchanged lines",
      "⋯ 142 unchanged lines",
      "Show all 10,000 characters",
    ]);
    while ((await page.locator("button.fold").count()) > 0) await page.locator("button.fold").first().click();
    expect((await texts(page, ".side-before")).join("")).toBe(before);
    expect(await page.locator(".alone .block").textContent()).toBe("word ".repeat(2000));
  });

  test("opens 5,000 changed baselines, one page of rows at a time", async () => {
    const cases = Array.from({ length: 5000 }, (_, index) =>
      sampleCase(`step-${index % 40}`, `steps/__baselines__/step-${index % 40}/case-${index}.json`, {
        kind: "value_changed",
        findings: MODEL.cases.find(({ baseline }) => baseline.includes("long-summary"))?.findings ?? null,
      }),
    );
    const model = buildRunModel({ ...MODEL, applied: null, cases });
    const page = await open({ model });
    expect(await page.locator("h1").textContent()).toBe("5,000 of 5,000 baselines changed");
    expect(await page.locator("a.row").count()).toBe(100);
    await page.locator("#more").click();
    // Three of each of the forty kinds.
    expect(await page.locator("a.row").count()).toBe(120);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-id"))).toBe(
      await page.locator("a.row").nth(100).getAttribute("data-id"),
    );
    await page.locator("#search").fill("case-4999");
    await page.locator("#found", { hasText: "1 of 5,000" }).waitFor();
  });
});

/**
 * Expects a page without violations. Its structure is the same in both colour schemes, so only its colours are checked
 * in the dark one.
 */
async function expectAccessible(page: Page, what: string): Promise<void> {
  expect(await violationsOf(page), what).toEqual([]);
  expect(await faintTexts(page), what).toEqual([]);
  // Without the transitions of colours, which take a moment.
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  expect(await faintTexts(page), `${what} in the dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await Reflect.get(globalThis, "axe").run();
    return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
      nodes.map(({ html }) => `${id}: ${html}`),
    );
  });
}

/**
 * The texts whose contrast with what is behind them is below that of WCAG AA: 4.5, or 3 of large ones and of signs that
 * a text beside them says too. axe leaves short texts and those in boxes that scroll undecided; the page has plain
 * colors alone, so that they can be told.
 */
async function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Color = readonly [number, number, number, number];
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const known = new Map<string, Color>();
    // Mixed colors are told in words of their own: what is drawn is the same for all.
    const parsed = (css: string): Color => {
      const seen = known.get(css);
      if (seen !== undefined || canvas === null) return seen ?? [0, 0, 0, 0];
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = css;
      canvas.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(css, [r, g, b, a / 255]);
      return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a]: Color, [x, y, z]: Color): Color => [
      r * a + x * (1 - a),
      g * a + y * (1 - a),
      b * a + z * (1 - a),
      1,
    ];
    const light = ([r, g, b]: Color): number => {
      const part = (byte: number): number => {
        const share = byte / 255;
        return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    };
    const behind = (element: Element | null): Color => {
      if (element === null) return [255, 255, 255, 1];
      const own = parsed(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : over(own, behind(element.parentElement));
    };
    const opacity = (element: Element | null): number =>
      element === null ? 1 : Number(getComputedStyle(element).opacity) * opacity(element.parentElement);
    return [...document.body.querySelectorAll("*")].flatMap((element) => {
      const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent ?? "");
      if (text.join("").trim() === "" || !element.checkVisibility({ visibilityProperty: true })) return [];
      if (element instanceof HTMLButtonElement && element.disabled) return [];
      const style = getComputedStyle(element);
      const ground = behind(element);
      const [r, g, b, a] = parsed(style.color);
      const [low = 0, high = 0] = [light(over([r, g, b, a * opacity(element)], ground)), light(ground)].toSorted(
        (one, other) => one - other,
      );
      const ratio = (high + 0.05) / (low + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      return ratio >= (large || element.closest("[aria-hidden=true]") !== null ? 3 : 4.5)
        ? []
        : [`${ratio.toFixed(2)}: ${element.outerHTML.slice(0, 200)}`];
    });
  });
}

/** The sides of each change that the page shows at a path: what stands in its cells, without the folds. */
async function sidesOf(page: Page, { path }: ReportChange): Promise<unknown[]> {
  return page.locator("#case .change").evaluateAll((all, path) => {
    const read = (parts: NodeListOf<Element>): string => [...parts].map((part) => part.textContent ?? "").join("");
    const side = (change: Element, side: string, other: string): string | null => {
      const own = change.querySelectorAll(side);
      if (own.length > 0) return read(own);
      const inline = change.querySelector(".diff-inline")?.cloneNode(true);
      if (!(inline instanceof Element)) return null;
      for (const one of inline.querySelectorAll(other)) one.remove();
      return inline.textContent;
    };
    return all
      .filter((change) => [...change.querySelectorAll(".change-head bdi")].some((one) => one.textContent === path))
      .map((change) => [
        side(change, ".side-before, .swap del .t, del.alone .t", "ins"),
        side(change, ".side-after, .swap ins .t, ins.alone .t", "del"),
      ]);
  }, path);
}

function sidesIn(change: ReportChange): unknown[] {
  const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
  return [
    change.before === undefined ? null : text(change.before),
    change.after === undefined ? null : text(change.after),
  ];
}
