import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors, sampled, vitestRunners } from "./harness/runners.ts";
import { withoutRunner } from "./harness/without-runner.ts";

/** Values without a stored form, each at a path of its own. */
const REFUSED_TEST = `
import { expect, test } from "runner";
class Point { x = 1; y = 2; }
class Search { scores = new Map([["a", 1]]); failure = new TypeError("no such city"); }
const values = {
  weak: { scores: new WeakMap() },
  promise: { last: Promise.resolve(1) },
  instance: { places: [new Point()] },
  search: { last: new Search() },
};
for (const [name, value] of Object.entries(values))
  test(name, async () => { await expect(value).toMatchBaseline({ name }); });
`;

/** Values that JSON lacks; CHANGED changes each of them. */
const STORED_TEST = `
import { expect, test } from "runner";
const isChanged = process.env.CHANGED !== undefined;
const values = {
  map: { scores: new Map([["a", isChanged ? 2n : 1n]]) },
  error: { last: Object.assign(new TypeError(isChanged ? "no city" : "no such city"), { code: "NONE" }) },
  bytes: { document: new Uint8Array([37, isChanged ? 81 : 80]), at: new Date(0) },
};
for (const [name, value] of Object.entries(values))
  test(name, async () => { await expect(value).toMatchBaseline({ name }); });
`;

const LINES = 40;

/** A letter of forty lines; \`CHANGED\` changes two of them. */
const LETTER_TEST = `
import { expect, test } from "runner";
const line = (number) => "Line " + number + " of the letter" + (process.env.CHANGED && [12, 31].includes(number) ? ", changed" : "") + ".";
const text = Array.from({ length: ${LINES} }, (_, index) => line(index + 1)).join("\\n");
test("letter", async () => { await expect({ text }).toMatchBaseline({ name: "letter" }); });
`;

describe.each(sampled(majors))("$name", (runner) => {
  test("a Map, an Error and bytes are stored, clean again, and their changes are named by path", async () => {
    const project = createProject(runner);
    project.write({ "values.test.js": STORED_TEST });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    const tree = project.tree();
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
    const { failures } = await project.run([], { env: { CI: "1", CHANGED: "1" } });
    expect(failures["map"]).toContain("    scores.a: 1n → 2n\n");
    expect(failures["error"]).toContain('    last.message: "no such city" → "no city"\n');
    expect(failures["bytes"]).toContain("    document: Uint8Array [37, 80] → Uint8Array [37, 81]\n");
    expect(project.tree()).toEqual(tree);
  });

  test("values without a stored form are refused by their path, and shown as the runners show them", async () => {
    const project = createProject(runner);
    project.write({ "values.test.js": REFUSED_TEST });
    const ran = await project.run();
    expect(ran.exitCode).toBe(1);
    expect(project.baselines()).toEqual([]);
    expect(withoutRunner(ran.failures, runner)).toMatchInlineSnapshot(`
      {
        "instance": "instance: 1 of 1 baseline failed (value)

        __baselines__/values.test.js/instance-bab1e736.json  failed
          not_storable: The value can't be stored: a baseline can't store a Point at "places[0]". Convert it to plain data, or add a codec for it (configureValues). Value: Point {"x": 1, "y": 2}",
        "promise": "promise: 1 of 1 baseline failed (value)

        __baselines__/values.test.js/promise-a454c782.json  failed
          not_storable: The value can't be stored: a baseline can't store a Promise at "last". Await it. Value: Promise {}",
        "search": "search: 1 of 1 baseline failed (value)

        __baselines__/values.test.js/search-4d95bbba.json  failed
          not_storable: The value can't be stored: a baseline can't store a Search at "last". Convert it to plain data, or add a codec for it (configureValues). Value: Search {"failure": [TypeError: no such city], "scores": Map {"a" => 1}}",
        "weak": "weak: 1 of 1 baseline failed (value)

        __baselines__/values.test.js/weak-30dfb31d.json  failed
          not_storable: The value can't be stored: a baseline can't store a WeakMap at "scores". Convert it to plain data, or add a codec for it (configureValues). Value: WeakMap {}",
      }
    `);
  });

  test("a change in a text of forty lines shows the changed lines with two lines around them", async () => {
    const project = createProject(runner);
    project.write({ "letter.test.js": LETTER_TEST });
    await project.capture();
    const ran = await project.run([], { env: { CHANGED: "1" } });
    expect(ran.exitCode).toBe(1);
    expect(withoutRunner(ran.failures, runner)).toMatchInlineSnapshot(`
      {
        "letter": "letter: 1 of 1 baseline changed (value)

        __baselines__/letter.test.js/letter-44ef9fa1.json  value_changed
          text: 40 lines
            @@ -10,5 +10,5 @@
              Line 10 of the letter.
              Line 11 of the letter.
            - Line 12 of the letter.
            + Line 12 of the letter, changed.
              Line 13 of the letter.
              Line 14 of the letter.
            @@ -29,5 +29,5 @@
              Line 29 of the letter.
              Line 30 of the letter.
            - Line 31 of the letter.
            + Line 31 of the letter, changed.
              Line 32 of the letter.
              Line 33 of the letter.

      Review the changes. Accept them with -u, or accept exactly these with: npx veritest review",
      }
    `);
  });
});

/** Prints the modules that veritest required for itself, after all tests. */
const LOADED_TEST = `${LETTER_TEST}
import { createRequire } from "node:module";
import { basename } from "node:path";
import { appendFileSync } from "node:fs";
import { afterAll } from "runner";
afterAll(() => {
  const loaded = Object.keys(createRequire(import.meta.url).cache).map((path) => basename(path));
  appendFileSync("loaded.txt", (loaded.includes("pretty.cjs") ? "printers" : "none") + "\\n");
});
`;

describe.each(sampled(vitestRunners))("$name", (runner) => {
  test("a passing test loads neither pretty-format nor jest-diff, and a changed text does", async () => {
    const project = createProject(runner);
    project.write({ "letter.test.js": LOADED_TEST });
    await project.run();
    await project.run();
    await project.run([], { env: { CHANGED: "1" } });
    expect(project.read("loaded.txt")).toBe("none\nnone\nprinters\n");
  });
});
