import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { makePdf } from "../test-support/make-pdf.ts";
import { REPOSITORY, installDirectory } from "./harness/install.ts";
import { type Project, createProject } from "./harness/project.ts";
import { runChild } from "./harness/run-child.ts";
import { type Runner, newest, runners, sampled } from "./harness/runners.ts";

const TSC = join(REPOSITORY, "node_modules", "typescript", "bin", "tsc");

/** The set-up files of both runners, as the documentation has them. */
const SETTINGS: Readonly<Record<string, string>> = {
  "vitest.config.js": `import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";
export default defineConfig({ plugins: [veritest()], test: { setupFiles: ["veritest/grounding/vitest"] } });
`,
  "jest.config.json": JSON.stringify({ preset: "veritest/jest", setupFilesAfterEnv: ["veritest/grounding/jest"] }),
};

const GROUNDING_TEST = `
import { expect, test } from "runner";
import { defineStep } from "veritest";
import { run } from "veritest/kernel";
import { z } from "zod";
const sources = [
  { document: "harbour.pdf", page: 3, text: "The bridge was opened in 1932. It carries 160,000 cars a day. It was never sold." },
  { document: "city.md", text: "Sydney has five million people." },
];
const sound = "The bridge was opened in 1932.";
const step = defineStep({
  name: "answer",
  input: z.object({ text: z.string() }),
  output: z.object({ answers: z.array(z.object({ text: z.string() })) }),
  run: ({ text }) => ({ output: { answers: [{ text }] } }),
});
test("grounded", async () => { await expect(sound).toBeGroundedIn(sources); });
test("not grounded", async () => { await expect("It was sold to Globex in 1999.").toBeGroundedIn(sources); });
test("negated", async () => { await expect("It was sold to Globex in 1999.").not.toBeGroundedIn(sources); });
test("negated in vain", async () => { await expect(sound).not.toBeGroundedIn(sources); });
test("partial", async () => { await expect("The tall bridge was opened in 1932.").toBeGroundedIn(sources, { threshold: 0.7 }); });
test("no claims", async () => { await expect("I'm sorry, I don't know that.").not.toBeGroundedIn(sources); });
test("at a path", async () => { await expect(await run(step, { text: sound })).toBeGroundedIn(sources, { path: "answers[0].text" }); });
test("cited", async () => { await expect("The bridge was opened in 1932 [1].").toCite(sources); });
test("wrongly cited", async () => { await expect("The bridge was opened in 1932 [2].").toCite(sources); });
test("wrongly cited, negated", async () => { await expect("The bridge was opened in 1932 [2].").not.toCite(sources); });
test("covered", async () => { await expect(sources).toCover("When was the bridge opened?"); });
test("not covered", async () => { await expect(sources).toCover("Which architect planned the bridge?"); });
test("not covered, negated", async () => { await expect(sources).not.toCover("Which architect planned it?"); });
`;

describe.each(newest)("$name", (runner) => {
  test("the matchers pass, fail with their report, and are negated", async () => {
    const project = createProject(runner);
    project.write({ ...SETTINGS, "grounding.test.js": GROUNDING_TEST });
    const ran = await project.run();
    expect(ran.fileTroubles).toEqual([]);
    expect(Object.keys(ran.statuses)).toHaveLength(13);
    expect(ran.failures).toEqual({
      "not grounded": `toBeGroundedIn: claim 1 contradicts harbour.pdf, page 3: "It was sold" / "never sold" (negation)
claim 1 has "1999", which no source has (number)
support is 0.09 (ungrounded), but at least 0.60 is required. 1 of 1 claim is below 0.60, and 1 is below minClaim (0.35). Verifier: lexical

  0.09  ⟦It was sold⟧ to ⟦Globex⟧ in ⟦1999⟧.
        not in any source: Globex, 1999
        harbour.pdf, page 3 [62–80] (0.18) "It was never sold."`,
      "negated in vain":
        "toBeGroundedIn: support 1.00 (grounded) and no contradiction. Expected a contradiction, or support below 0.60",
      "no claims": `toBeGroundedIn: the answer doesn't make a claim (no_claims), and a refusal passes by default

  skipped (not claims): 1 refusal

The option refusals: "fail" makes a refusal fail, and "warn" lets it pass.`,
      "wrongly cited": `toCite: 1 citation problem in 1 cited sentence

  [2] supports it by 0.00, at least 0.70 required: "The bridge was opened in 1932."`,
      "not covered":
        "toCover: 2 chunks cover 0.41 of the query, at least 0.80 required\n\n  not covered: architect, planned",
    });
    // A partial answer passes, and who runs the tests sees that it is one.
    expect(`${ran.stdout}${ran.stderr}`).toContain(
      'GroundingWarning: toBeGroundedIn: the answer is only partly grounded, support 0.71 (in the test "partial")',
    );
  });
});

/** A judge that answers once, and counts its calls in a file. */
const JUDGE_TEST = `
import { appendFileSync } from "node:fs";
import { expect, test } from "runner";
const judge = {
  complete: async () => {
    appendFileSync("calls.txt", "call\\n");
    return { content: JSON.stringify({ verdicts: [{ id: 0, score: 1, reason: "the same in other words" }] }) };
  },
};
const source = "Tickets are personal and cannot be resold.";
test("judged", async () => { await expect("Reselling tickets is not possible.").toBeGroundedIn(source, { judge }); });
test("not judged", async () => { await expect("Reselling tickets is not possible.").not.toBeGroundedIn(source); });
`;

describe.each(newest)("a judge in $name", (runner) => {
  test("is called once, recorded, and replayed in CI", async () => {
    const project = createProject(runner);
    project.write({ ...SETTINGS, "judge.test.js": JUDGE_TEST });
    const first = await project.run();
    const ci = await project.run([], { env: { CI: "true" } });
    expect([first.failures, ci.failures, Object.keys(ci.statuses)]).toEqual([{}, {}, ["judged", "not judged"]]);
    expect(readFileSync(join(project.folder, "calls.txt"), "utf8")).toBe("call\n");
  });
});

/** The cases of e2e/types, against the installed declarations. */
const CASES = readFileSync(join(REPOSITORY, "e2e", "types", "grounding-cases.ts"), "utf8").replace(
  '"#expect"',
  '"./expect"',
);

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    target: "ES2023",
    module: "ESNext",
    moduleResolution: "Bundler",
    types: [],
    noEmit: true,
    skipLibCheck: true,
  },
  files: ["grounding-cases.ts"],
});

describe.each(sampled(runners))("types in $name", (runner) => {
  test("right uses compile against the installed package, wrong ones do not", async () => {
    const project = createProject(runner);
    const module = runner.kind === "vitest" ? "vitest" : "@jest/globals";
    const check = async (setup: string): Promise<string> => {
      project.write(
        {
          "grounding-cases.ts": CASES,
          "expect.ts": `${setup}export { expect } from "${module}";\n`,
          "tsconfig.json": TSCONFIG,
        },
        { asIs: true },
      );
      return (await runChild(process.execPath, [TSC, "-p", project.folder], { cwd: project.folder })).stdout;
    };
    expect(await check(`import "veritest/grounding/${runner.kind}";\n`)).toBe("");
    expect(await check(`import "veritest/${runner.kind}";\n`)).toContain(
      "Property 'toBeGroundedIn' does not exist on type",
    );
  });
});

const [FIRST] = runners;

/** The installed package, as the tarball had it. */
function installedPackage(runner: Runner): string {
  return join(installDirectory(runner), "node_modules", "veritest");
}

/** A user's project that has nothing but the installed package, zod and what is named, all in its own node_modules. */
function userProject(...packages: readonly string[]): Project {
  if (FIRST === undefined) throw new Error("There is no runner.");
  const project = createProject(FIRST);
  const add = (from: string, name: string): void => {
    const target = join(project.folder, "node_modules", name);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(from, target, { recursive: true });
  };
  add(installedPackage(FIRST), "veritest");
  for (const name of ["zod", ...packages]) add(join(REPOSITORY, "node_modules", name), name);
  return project;
}

/** What a script in a project prints as JSON. */
async function printed(project: Project, script: string): Promise<unknown> {
  project.write({ "script.mjs": script }, { asIs: true });
  const { exitCode, stdout, stderr } = await runChild(
    process.execPath,
    ["--no-warnings", join(project.folder, "script.mjs")],
    { cwd: REPOSITORY },
  );
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Notes the packages whose modules are loaded, in worker threads too as far as they are named to them. */
const LOADED = `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({ load(url, context, next) {
  loaded.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules)/.exec(url)?.[1] ?? "");
  return next(url, context);
} });
const packages = () => [...loaded].filter((name) => name !== "").sort();
`;

describe("loaded modules", () => {
  test("veritest/vitest and the set-up file of Jest import no module of grounding, not even lazily", () => {
    if (FIRST === undefined) throw new Error("There is no runner.");
    const dist = join(installedPackage(FIRST), "dist");
    for (const entry of ["vitest.js", "jest-setup.cjs", "jest.js", "jest.cjs", "index.js", "index.cjs"]) {
      const reached = reachedFrom(join(dist, entry));
      expect([entry, [...reached].filter((path) => readFileSync(path, "utf8").includes("toBeGroundedIn"))]).toEqual([
        entry,
        [],
      ]);
    }
    expect(
      [...reachedFrom(join(dist, "grounding-vitest.js"))].some((path) =>
        readFileSync(path, "utf8").includes("toBeGroundedIn"),
      ),
    ).toBe(true);
  });

  test("importing veritest/grounding and verifying an answer load zod and no PDF, tracing, embedding or NLI code", async () => {
    const project = userProject("unpdf");
    const found = await printed(
      project,
      `${LOADED}
const { verifyGrounding, retrieve, createMemoryIndex, ingest } = await import("veritest/grounding");
const imported = packages();
const document = await ingest({ name: "a.md", text: "The bridge was opened in 1932." });
const index = await createMemoryIndex(document.value.chunks);
await retrieve("When was the bridge opened?", { index: index.value });
const verified = await verifyGrounding("The bridge was opened in 1932.", document.value.chunks);
console.log(JSON.stringify({ imported, used: packages(), score: verified.value.support }));
`,
    );
    expect(found).toEqual({ imported: ["veritest", "zod"], used: ["veritest", "zod"], score: 1 });
  });
});

describe("PDFs in a user's project", () => {
  const pdf = makePdf(["The bridge was opened in 1932.", "It carries 160,000 cars a day."]);
  const script = `
import { ingest } from "veritest/grounding";
const document = await ingest({ name: "bridge.pdf", bytes: Buffer.from("${Buffer.from(pdf).toString("base64")}", "base64") });
console.log(JSON.stringify(document.ok ? document.value.pages : document.error));
`;

  test("are read by the unpdf that the project has installed", async () => {
    expect(await printed(userProject("unpdf"), script)).toEqual([
      "The bridge was opened in 1932.",
      "It carries 160,000 cars a day.",
    ]);
  });

  test("are read by the command line", async () => {
    const project = userProject("unpdf");
    writeFileSync(join(project.folder, "bridge.pdf"), pdf);
    const cli = async (...args: readonly string[]): ReturnType<typeof runChild> => {
      const path = join(project.folder, "node_modules", "veritest", "dist", "cli.js");
      return runChild(process.execPath, [path, "ground", ...args], {
        cwd: project.folder,
        env: { XDG_STATE_HOME: `${project.folder}-state` },
      });
    };
    expect(await cli("ingest", "bridge.pdf")).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: expect.stringMatching(/^bridge\.pdf {2}doc-[0-9a-f]{16} {2}2 pages, 2 chunks, /),
    });
    expect((await cli("query", "When was the bridge opened?", "--extract")).stdout).toContain(
      '  [1] 1.00  bridge.pdf, page 1 [0–30]  "The bridge was opened in 1932."',
    );
  });

  test("without unpdf are an error that says what to install", async () => {
    const project = userProject();
    // Run in the project itself, because the folder that a program is run in is searched as well.
    project.write({ "script.mjs": script }, { asIs: true });
    const { stdout } = await runChild(process.execPath, ["script.mjs"], { cwd: project.folder });
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "validation",
      code: "missing_package",
      message:
        "Cannot ingest bridge.pdf: reading PDFs needs the package unpdf, which isn't installed. Run npm install --save-dev unpdf.",
    });
  });
});

/** The files of the package that an entry leads to, by `import`, `import()` and `require`. */
function reachedFrom(entry: string): Set<string> {
  const seen = new Set<string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(
      /(?:from|import|require)\s*\(?\s*["'](\.{1,2}\/[^"']+\.c?js)["']/g,
    ))
      open.push(join(dirname(path), name));
  }
  return seen;
}
