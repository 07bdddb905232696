// @module-tag deep
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../test-support/hostile-texts.ts";
import { runModels } from "../../../test-support/run-models.ts";
import { sampleCase, sampleRun } from "../../../test-support/sample-run.ts";
import { buildRunModel } from "../build-run-model.ts";
import type { RunModel } from "../../explain/run-model.ts";
import type { ReportCase, ReportChange } from "../../explain/report-case.ts";
import { findBrowser } from "../../../test-support/find-browser.ts";
import { pageData } from "./page-data.ts";
import { renderHtml } from "./render-html.ts";
import { visible } from "./client/visible.ts";

const executablePath = findBrowser();
if (executablePath === undefined)
  console.log(
    "The tests of hostile texts in the HTML report are skipped: no Chromium on the PATH, none in CHROMIUM_PATH.",
  );

const BASE = sampleRun();
/** Limit of what a busy machine does. */
const WAIT = 120_000;
const folder = mkdtempSync(join(tmpdir(), "veritest-hostile-"));
const incidents: string[] = [];
let browser: Browser;
let page: Page;
let address = "";
let pages = 0;

beforeAll(async () => {
  if (executablePath === undefined) return;
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: WAIT });
  page = await browser.newPage();
  page.setDefaultTimeout(WAIT);
  await listen();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Notes all that a text could make happen, and that a page without a stranger's doing has none of. */
async function listen(): Promise<void> {
  page.on("dialog", (dialog) => {
    incidents.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on(
    "request",
    (request) => request.url().split("#")[0] === address || incidents.push(`request ${request.url()}`),
  );
  page.on(
    "response",
    (response) => response.url().split("#")[0] === address || incidents.push(`response ${response.url()}`),
  );
  page.on("console", (message) => incidents.push(`console ${message.text()}`));
  page.on("pageerror", (error) => incidents.push(`error ${error.stack ?? error.message}`));
  page.on("popup", () => incidents.push("popup"));
  await page.exposeFunction("tell", (incident: string) => incidents.push(incident));
  await page.addInitScript(() =>
    document.addEventListener(
      "securitypolicyviolation",
      ({ violatedDirective, blockedURI }) =>
        void Reflect.get(globalThis, "tell")(`policy ${violatedDirective} ${blockedURI}`),
    ),
  );
}

/** Opens a report from disk, with nothing noted yet. */
async function open(model: RunModel): Promise<void> {
  const path = join(folder, `${pages++}.html`);
  writeFileSync(path, renderHtml(model));
  address = pathToFileURL(path).href;
  incidents.length = 0;
  await page.goto(address);
}

/** What must be so whatever a page was made of. */
async function expectNothingHappened(): Promise<void> {
  // Reports of what the policy refused come a task later.
  await page.evaluate(async () => new Promise((done) => setTimeout(done)));
  expect(await strangers()).toEqual([]);
  expect(await page.evaluate(() => [Reflect.get(globalThis, "hacked"), Reflect.get({}, "polluted")])).toEqual([
    undefined,
    undefined,
  ]);
  expect(incidents).toEqual([]);
}

/** Opens the page of each case, side by side and inline, with all that is folded, and the list again. */
async function visitAll(model: RunModel): Promise<void> {
  for (const id of pageData(model).ids) {
    await show(`#case=${id}`);
    await show(`#case=${id}&view=inline`);
  }
  await show("#");
}

async function show(hash: string): Promise<void> {
  await page.evaluate(async (to) => {
    if (location.hash === to) return;
    const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.assign(to);
    await changed;
    for (const details of document.querySelectorAll("details")) details.open = true;
  }, hash);
}

/** Elements that the page does not make, and attributes no text may get. */
async function strangers(): Promise<string[]> {
  return page.evaluate(() => {
    const known = new Set(
      "html head meta title style body noscript script header main nav section article div span p h1 h2 h3 ul ol li dl dt dd a button input select option bdi code kbd del ins strong details summary br dialog table thead tbody tr th td".split(
        " ",
      ),
    );
    const attributes = new Set(
      "class id href title type lang charset http-equiv content name dir hidden role style data-key data-value data-id data-group data-kind data-part data-call data-cause data-row data-violation tabindex placeholder autocomplete spellcheck value open scope colspan aria-current aria-expanded aria-hidden aria-label aria-labelledby aria-controls aria-pressed".split(
        " ",
      ),
    );
    return [...document.querySelectorAll("*")].flatMap((one) => [
      ...(known.has(one.localName) ? [] : [one.localName]),
      ...[...one.attributes].flatMap(({ name, value }) =>
        attributes.has(name) && (name !== "href" || value.startsWith("#")) ? [] : [`${one.localName} ${name}=${value}`],
      ),
    ]);
  });
}

/** A case with a text wherever a case may have one. */
function caseOf(text: string): ReportCase {
  const change: ReportChange = {
    part: "output",
    path: text,
    before: text,
    after: "another text, and nothing else",
    cut: false,
  };
  const changes: ReportChange[] = [
    change,
    { part: "output", path: "added", after: text, cut: false },
    { part: "commands", path: "value", before: { [text]: text }, after: [text], cut: true },
  ];
  const violations = [{ path: text, kind: "type", message: text }] as const;
  return sampleCase(text, text, {
    kind: "value_changed",
    labels: [text],
    test: { file: text, name: text, line: 1 },
    findings: {
      cause: {
        kind: "mixed",
        line: text,
        evidence: [
          {
            kind: "prompt",
            calls: [{ adapter: text, kind: "changed", changes: [{ ...change, part: "request" }] }],
            changes,
            violations,
          },
        ],
      },
      changes,
      trajectory: [
        { kind: "changed", role: "write", baseline: text, now: text },
        { kind: "added", role: "read", baseline: null, now: text },
      ],
      more: 0,
      violations,
      tolerated: [{ ...change, rule: text, label: text }],
      error: { code: text, message: text },
      problem: text,
      unrecorded: { adapter: text, reason: "unknown_request", recorded: 1, changes },
      unused: [text],
      trials: {
        planned: 2,
        min: 1,
        run: 2,
        clean: 1,
        interval: [0.1, 0.9],
        classes: { clean: 1, failed: 1 },
        unstable: [{ path: text, equal: 1, of: 2 }],
      },
      grid: {
        columns: [text, text],
        rows: [
          {
            name: text,
            cells: [
              { text, before: text, wrong: true },
              { text, wrong: false },
            ],
          },
        ],
        moreRows: 1,
      },
    },
  });
}

describe.skipIf(executablePath === undefined)("a page of hostile texts in Chromium", () => {
  const small = Object.entries(HOSTILE_TEXTS).filter(([, text]) => text.length <= 400);

  test("shows each text in every field, and runs none", async () => {
    const texts = small.map(([, text]) => text);
    const model = buildRunModel({
      ...BASE,
      cases: texts.map(caseOf),
      problems: texts,
      applied: { receipt: texts[0] ?? "", because: texts },
    });
    await open(model);
    expect(await page.locator(".remarks .whole").allTextContents()).toEqual(
      [...texts, ...texts].map((text) => visible(text, "prose")),
    );
    for (const [index, { step }] of model.cases.entries()) {
      const id = pageData(model).ids[index];
      await show(`#case=${id}&view=inline`);
      await show(`#case=${id}`);
      const cells = await page.locator("#case").evaluate((article) => ({
        lines: [...article.querySelectorAll("bdi.t")].map((cell) => cell.textContent ?? ""),
        blocks: [...article.querySelectorAll(".alarm .t")].map((cell) => cell.textContent ?? ""),
        befores: [...article.querySelectorAll(".change")].map((change) =>
          [...change.querySelectorAll(".side-before, .swap del .t")].map((cell) => cell.textContent ?? "").join(""),
        ),
        overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      }));
      expect(new Set(cells.lines), JSON.stringify(step)).toEqual(new Set(["added", "value", visible(step)]));
      expect(cells.blocks).toEqual([visible(step, "prose"), visible(step, "prose")]);
      expect(cells.befores).toContain(visible(step, "prose"));
      expect(cells.overflow, JSON.stringify(step)).toBe(false);
      await expectNothingHappened();
    }
    await show("#");
    await expectNothingHappened();
  });

  test.each(
    Object.entries(HOSTILE_TEXTS).filter(([, text]) => text.length > 2400),
  )("opens with %s in every field, folded, and shows all of it on a click", async (_, text) => {
    const model = buildRunModel({ ...BASE, cases: [caseOf(text)], problems: [text] });
    await open(model);
    await visitAll(model);
    await show(`#case=${pageData(model).ids[0]}`);
    expect(await page.locator("#case").evaluate((article) => (article.textContent ?? "").length)).toBeLessThan(200_000);
    await page.locator(".alarm button.fold").first().click();
    expect(
      await page
        .locator(".alarm .t")
        .first()
        .evaluate((block, shown) => block.textContent === shown, visible(text, "prose")),
    ).toBe(true);
    await expectNothingHappened();
  });

  test("keeps a text within its cell", async () => {
    await open(
      buildRunModel({
        ...BASE,
        cases: [caseOf(HOSTILE_TEXTS["combining marks"] ?? ""), caseOf("\u05d0\u05d1 12 \u05d2\u05d3 (x)")],
      }),
    );
    const heights = await page
      .locator("a.row")
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(200);
    expect(
      await page.evaluate(
        () =>
          [...document.querySelectorAll(".t")].filter((cell) => getComputedStyle(cell).unicodeBidi !== "isolate")
            .length,
      ),
    ).toBe(0);
  });

  test("blocks every script and request that isn't its own", async () => {
    await open(BASE);
    const refused = await page.evaluate(async () => {
      const tried: string[] = [];
      const attempt = (name: string, act: () => void): void => {
        try {
          act();
        } catch (error) {
          tried.push(`${name}: ${error instanceof Error ? error.name : "thrown"}`);
        }
      };
      attempt("markup", () => (document.body.innerHTML = "<b>x</b>"));
      attempt("script", () => (document.createElement("script").textContent = "globalThis.hacked = true"));
      attempt("handler", () => document.body.setAttribute("onclick", "globalThis.hacked = true"));
      const [image, frame, style] = [
        document.createElement("img"),
        document.createElement("iframe"),
        document.createElement("style"),
      ];
      image.src = "https://evil.example/pixel.png";
      frame.src = "https://evil.example/";
      style.textContent = "body { display: none }";
      document.body.append(image, frame, style);
      document.body.click();
      await fetch("https://evil.example/").catch((error: unknown) => tried.push(`fetch: ${String(error)}`));
      return [...tried, getComputedStyle(document.body).display, String(Reflect.get(globalThis, "hacked"))];
    });
    expect(refused).toEqual([
      "markup: TypeError",
      "script: TypeError",
      "handler: TypeError",
      "fetch: TypeError: Failed to fetch",
      "block",
      "undefined",
    ]);
    expect(incidents.filter((incident) => incident.startsWith("response"))).toEqual([]);
    const blocked = (): unknown =>
      new Set(incidents.filter((incident) => incident.startsWith("policy")).map((incident) => incident.split(" ")[1]));
    await expect
      .poll(blocked, { timeout: WAIT })
      .toEqual(new Set(["require-trusted-types-for", "img-src", "frame-src", "style-src-elem", "connect-src"]));
  });

  test("shows any run without an error", async () => {
    await fc.assert(
      fc.asyncProperty(runModels({ maxCases: 3 }), async (model) => {
        await open(model);
        await show("#count=total");
        expect(await page.locator("a.row").count()).toBe(model.cases.length);
        await visitAll(model);
        await expectNothingHappened();
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });
});
