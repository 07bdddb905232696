import { hash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../test-support/hostile-texts.ts";
import { reportText, runModels } from "../../../test-support/run-models.ts";
import { sampleReview } from "../../../test-support/sample-review.ts";
import { sampleCase, sampleRun } from "../../../test-support/sample-run.ts";
import { buildRunModel } from "../build-run-model.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { embedJson, pageScript, renderHtml } from "./render-html.ts";
import { runCount } from "../../../test-support/run-count.ts";

const SKELETON =
  /^<!doctype html>\n<html lang="en">\n<head>\n(.*?)<style>(.*?)<\/style>\n<\/head>\n<body>\n<noscript>(.*?)<\/noscript>\n<script type="application\/(json|gzip)" id="veritest-data">(.*?)<\/script>\n<script>(.*?)<\/script>\n<\/body>\n<\/html>\n$/s;

/** The pieces of a page, by a strict pattern that nothing of the data may disturb. */
function piecesOf(html: string): {
  readonly head: string;
  readonly style: string;
  readonly noscript: string;
  readonly json: string;
  readonly script: string;
} {
  const [, head = "", style = "", noscript = "", type, data = "", script = ""] = SKELETON.exec(html) ?? [];
  const json = type === "gzip" ? gunzipSync(Buffer.from(data, "base64")).toString() : data;
  return { head, style, noscript, json, script };
}

function emptyRun(): RunModel {
  return buildRunModel({ ...sampleRun(), cases: [], applied: null });
}

describe("renderHtml", () => {
  test("is one document with a content security policy, one style, one block of data and one script", () => {
    const { head, style, noscript, json, script } = piecesOf(renderHtml(emptyRun()));
    const source = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;
    expect(head).toBe(`<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${source(script)}; style-src ${source(style)}; img-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>veritest: no baselines</title>
`);
    expect(noscript).toBe(
      "<h1>veritest</h1><p>no baselines</p><p>Turn on JavaScript to see the details. This page loads nothing from the network.</p>",
    );
    expect(JSON.parse(json)).toEqual({
      model: emptyRun(),
      statuses: [],
      ids: [],
      marks: [],
      served: null,
    });
    expect(script).toBe(pageScript);
  });

  test("contains the run and the counts that each case is part of", () => {
    const model = sampleRun();
    const data = JSON.parse(piecesOf(renderHtml(model)).json);
    expect(data).toMatchObject({ model, served: null });
    expect(data.statuses.filter((status: string) => status === "passed")).toHaveLength(model.counts.passed);
  });

  test("is far smaller than 150 kB before the data, and its style loads no other file", () => {
    expect(Buffer.byteLength(renderHtml(emptyRun()))).toBeLessThan(110_000);
    expect(piecesOf(renderHtml(emptyRun())).style.length).toBeGreaterThan(5000);
    expect(piecesOf(renderHtml(emptyRun())).style).not.toMatch(/url\(|@import|@font-face|expression\(|<\//);
  });

  test("compresses the data of a large run, so that a page of 5,000 changes has less than a megabyte", {
    tags: "deep",
  }, () => {
    const { json: small } = piecesOf(renderHtml(sampleReview()));
    expect(renderHtml(sampleReview())).toContain(small);
    const model = sampleReview({ times: 238 });
    const html = renderHtml(model);
    expect(model.counts.total - model.counts.passed).toBe(4998);
    expect(html.length).toBeLessThan(1_000_000);
    expect(html).toContain('<script type="application/gzip" id="veritest-data">');
    expect(JSON.parse(piecesOf(html).json).model.cases).toHaveLength(model.cases.length);
  });

  test("escapes a hostile summary", () => {
    const { head, noscript } = piecesOf(
      renderHtml({ ...emptyRun(), summary: "</title><script>alert(1)</script>&lt;" }),
    );
    expect(head).toContain("<title>veritest: &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;</title>");
    expect(noscript).toContain("<p>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;</p>");
  });

  test("its data parses to the same run, and its elements don't depend on the run", { tags: "deep" }, () => {
    const empty = piecesOf(renderHtml(emptyRun()));
    fc.assert(
      fc.property(runModels(), (model) => {
        const { json, script, style } = piecesOf(renderHtml(model));
        expect(json).not.toMatch(/[<>&\u2028\u2029]|\p{Surrogate}/u);
        expect(JSON.parse(json).model).toEqual(JSON.parse(JSON.stringify(model)));
        expect({ script, style }).toEqual({ script: empty.script, style: empty.style });
      }),
      { numRuns: runCount(1000) },
    );
  });

  test.each(Object.entries(HOSTILE_TEXTS))("keeps %s inside its data", (_, text) => {
    const model = buildRunModel({
      ...sampleRun(),
      cases: [sampleCase(text, text, { kind: "failed", labels: [text] })],
      problems: [text],
    });
    const { json } = piecesOf(renderHtml(model));
    expect(JSON.parse(json).model.cases[0].step).toBe(text);
    expect(json).not.toMatch(/[<>&\u2028\u2029]/);
  });
});

test("embedJson keeps any text", () => {
  fc.assert(
    fc.property(reportText(), (text) => JSON.parse(embedJson(text)) === text),
    { numRuns: runCount(2000) },
  );
});

describe("the page's script", () => {
  test("never turns text into markup or code", () => {
    expect(pageScript).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\b|Function\(|javascript:|setAttribute\("(?:on|style)|https?:\/\/(?!www\.w3\.org\/2000\/svg")/,
    );
    expect(pageScript).not.toMatch(/<\/script|<!--/);
  });

  test("sends no network request", () => {
    expect(pageScript).not.toMatch(
      /\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|\bimport\(|new Worker|url\(/,
    );
  });

  test("is one script without imports", () => {
    expect(pageScript).not.toMatch(/^\s*(?:import|export)\b/m);
    expect(pageScript).toMatch(/^(?:"use strict";)?\(\(\)=>\{/);
  });
});
