import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type Page, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { renderHtml } from "../src/reporter/html/render-html.ts";
import type { RunModel } from "../src/explain/run-model.ts";
import { findBrowser } from "./find-browser.ts";
import { sampleRun } from "./sample-run.ts";

/** A machine with much to do opens a page late. */
const WAIT = 120_000;

/** What a report is opened with. */
interface GivenPage {
  readonly model?: RunModel;
  /** The end of the address. */
  readonly hash?: string;
  readonly dark?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/** Reports in a browser, for the tests of one file. */
export interface ReportPages {
  /** False where there is none: then the file's tests are skipped, and that is said. */
  readonly hasBrowser: boolean;
  readonly browser: () => Browser;
  /** Opens a report from disk, as a person would; it is closed after its test. */
  readonly open: (given?: GivenPage) => Promise<Page>;
  /** Milliseconds to wait for anything. */
  readonly wait: number;
}

/** Starts a browser before the tests of the file that calls it, and ends it after them. `what` is tested. */
export function reportPages(what: string): ReportPages {
  const executablePath = findBrowser();
  if (executablePath === undefined)
    process.stdout.write(`The tests of ${what} are skipped: no Chromium on the PATH, none in CHROMIUM_PATH.\n`);
  const folder = mkdtempSync(join(tmpdir(), "veritest-page-"));
  let started: Browser | undefined;
  let pages = 0;
  const browser = (): Browser => {
    if (started === undefined) throw new Error("No browser was started.");
    return started;
  };
  beforeAll(async () => {
    if (executablePath !== undefined)
      started = await chromium.launch({
        executablePath,
        args: ["--no-sandbox"],
        timeout: WAIT,
        // A test that ends a command as a signal does must not end the browser with it.
        handleSIGTERM: false,
      });
  }, 2 * WAIT);
  afterEach(async () => {
    await Promise.all(started?.contexts().map(async (context) => context.close()) ?? []);
  });
  afterAll(async () => {
    await started?.close();
    rmSync(folder, { recursive: true });
  }, WAIT);
  return {
    hasBrowser: executablePath !== undefined,
    browser,
    wait: WAIT,
    open: async ({ model = sampleRun(), hash = "", dark = false, width = 1280, height = 900 }: GivenPage = {}) => {
      const path = join(folder, `${pages++}.html`);
      writeFileSync(path, renderHtml(model));
      const context = await browser().newContext({
        colorScheme: dark ? "dark" : "light",
        viewport: { width, height },
      });
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT);
      await page.goto(`${pathToFileURL(path).href}${hash}`);
      return page;
    },
  };
}

/** Waits for what the last click or key does: the page follows its address a moment later. */
export async function followed(page: Page): Promise<void> {
  // Not a frame: a tab in the background has none.
  await page.evaluate("new Promise((resolve) => setTimeout(() => setTimeout(resolve)))");
}

/** The texts of all that a selector finds, hidden ones too. */
export async function texts(page: Page, selector: string): Promise<string[]> {
  await followed(page);
  return page.locator(selector).allTextContents();
}
