import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors, sampled, vitestRunners } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const CLAIMS_TEST = testFile(`
test("one", async () => { await expect(extractClaims).toMatchBaseline({ input: { text: "one" }, adapters: { llm } }); });
test("value", async () => { await expect({ n: 1 }).toMatchBaseline({ name: "value" }); });
`);

const RESOLVER = `
module.exports = {
  resolveSnapshotPath: (testPath, extension) => testPath.replace(/([^/]*)$/, "snaps/$1") + extension,
  resolveTestPath: (path, extension) => path.replace("snaps/", "").slice(0, -extension.length),
  testPathForConsistencyCheck: "a/b.test.js",
};
`;

function config(
  kind: "vitest" | "jest",
  { vitest, jest }: { readonly vitest: string; readonly jest: object },
): Record<string, string> {
  if (kind === "jest") return { "jest.config.json": JSON.stringify(jest) };
  return {
    "vitest.config.js": `import { veritest } from "veritest/plugin";\nimport { defineConfig } from "vitest/config";\nexport default defineConfig(${vitest});\n`,
  };
}

const nested = { "lib/claims.test.js": CLAIMS_TEST.replace("./steps.js", "../steps.js") };

describe.each(majors)("$name", (runner) => {
  test("the matchers need only a set-up file", async () => {
    const project = createProject(runner);
    const second = CLAIMS_TEST.replace("./steps.js", "../steps.js")
      .replaceAll('"one"', '"two"')
      .replaceAll('"value"', '"another"');
    project.write({
      ...nested,
      "lib/more.test.js": second,
      ...config(runner.kind, {
        vitest: '{ test: { setupFiles: ["veritest/vitest"] } }',
        jest: { setupFilesAfterEnv: ["veritest/jest-setup"] },
      }),
    });
    expect(await project.run(runner.kind === "vitest" ? ["--no-isolate"] : [])).toMatchObject({
      exitCode: 0,
      failures: {},
      summary: "",
    });
    expect(project.cases()).toEqual(
      ["claims.test.js/value", "extract-claims/one", "extract-claims/two", "more.test.js/another"].map(
        (path) => `lib/__baselines__/${path}`,
      ),
    );
    const changed = await project.run([], { env: { CHANGED: "command" } });
    expect(changed).toMatchObject({ exitCode: 1, statuses: { one: "failed", value: "passed", two: "failed" } });
  });
});

describe.each(sampled(majors))("$name", (runner) => {
  test("a custom snapshot path is used", async () => {
    const project = createProject(runner);
    project.write({
      ...nested,
      "resolver.cjs": RESOLVER,
      ...config(runner.kind, {
        vitest:
          '{ plugins: [veritest()], test: { resolveSnapshotPath: (path, extension) => path.replace(/([^/]*)$/, "snaps/$1") + extension } }',
        jest: { preset: "veritest/jest", snapshotResolver: "<rootDir>/resolver.cjs" },
      }),
    });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    expect(project.cases()).toEqual([
      "lib/snaps/__baselines__/claims.test.js/value",
      "lib/snaps/__baselines__/extract-claims/one",
    ]);
  });

  test("two projects of one run report once", async () => {
    const project = createProject(runner);
    const source = CLAIMS_TEST.replace("./steps.js", "../steps.js");
    project.write({
      "a/claims.test.js": source,
      "b/claims.test.js": source,
      ...config(runner.kind, {
        vitest:
          '{ plugins: [veritest()], test: { projects: ["a", "b"].map((name) => ({ extends: true, test: { name, include: [name + "/*.test.js"] } })) } }',
        jest: {
          reporters: ["default", "veritest/reporter/jest"],
          projects: ["a", "b"].map((name) => ({
            displayName: name,
            preset: "veritest/jest",
            testMatch: [`<rootDir>/${name}/*.test.js`],
          })),
        },
      }),
    });
    const first = await project.run();
    expect(first).toMatchObject({ exitCode: 0, failures: {} });
    expect(first.summary).toMatchInlineSnapshot(`
      "Baselines  4 captured
                 captured: read and commit
                   a/__baselines__/claims.test.js/value-f0a2f99d.json
                   a/__baselines__/extract-claims/one-5a16c516.json
                   b/__baselines__/claims.test.js/value-f0a2f99d.json
                   b/__baselines__/extract-claims/one-5a16c516.json"
    `);
    expect(`${first.stdout}${first.stderr}`.match(/^ {2}Baselines /gm)).toHaveLength(1);
  });

  test("a baseline directory that is a link or a file is refused with a message, and nothing is written through it", async () => {
    const project = createProject(runner);
    const source = CLAIMS_TEST.replace("./steps.js", "../steps.js");
    project.write({ "link/claims.test.js": source });
    mkdirSync(join(project.folder, "outside"));
    symlinkSync(join(project.folder, "outside"), join(project.folder, "link", "__baselines__"));
    const link = await project.run();
    expect(link).toMatchObject({ exitCode: 1, failures: {} });
    expect(link.summary.replaceAll(project.folder, "<folder>")).toMatchInlineSnapshot(`
      "Baselines  2 pending
                 g-6e0bb5  1 × extract-claim…-5a16c516.json  missing
                 g-bb0d7e  1 × claims.test.j…-f0a2f99d.json  missing
                 pending: Refused to change <folder>/link/__baselines__/claims.test.js/value-f0a2f99d.json: <folder>/link/__baselines__ is a symbolic link. Replace it with a real directory or file.
                 2 changes are pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(readdirSync(join(project.folder, "outside"))).toEqual([]);

    project.remove("link");
    project.write({ "file/claims.test.js": source, "file/__baselines__": "a file, not a directory" });
    const file = await project.run();
    expect(file.exitCode).toBe(1);
    expect(file.failures["one"]?.replaceAll(project.folder, "<folder>")).toMatchInlineSnapshot(
      `"Cannot read <folder>/file/__baselines__/extract-claims/one-5a16c516.json: ENOTDIR: not a directory, open '<folder>/file/__baselines__/extract-claims/one-5a16c516.json'"`,
    );
    expect(project.read("file/__baselines__")).toBe("a file, not a directory");
  });

  test.skipIf(process.platform === "win32")(
    "a pipe and a device beside baselines aren't read; a read-only checkout compares, and refuses to write in words",
    async () => {
      const project = createProject(runner);
      project.write({ "claims.test.js": CLAIMS_TEST });
      // The superuser may write anywhere: then all runs are nobody's. Vite writes into the nearest node_modules.
      for (const folder of [project.folder, join(project.folder, "node_modules"), `${project.folder}-state`]) {
        mkdirSync(folder, { recursive: true });
        chmodSync(folder, 0o777);
      }
      const options = process.getuid?.() === 0 ? { uid: 65_534, env: { HOME: project.folder } } : {};
      expect(await project.run([], options)).toMatchObject({ exitCode: 0, failures: {} });

      const odd = ["pipe.json", "zero.json"].map((name) => join(project.folder, "__baselines__/extract-claims", name));
      execFileSync("mkfifo", [odd[0] ?? ""]);
      symlinkSync("/dev/zero", odd[1] ?? "");
      const beside = await project.run([], options);
      expect(beside).toMatchObject({ exitCode: 1, failures: {} });
      expect(beside.summary.replaceAll(project.folder, "<folder>")).toMatchInlineSnapshot(`
        "Baselines  2 clean
                   Cannot read <folder>/__baselines__/extract-claims/pipe.json: it's a pipe or a device, and not a file. Remove it"
      `);
      for (const path of odd) rmSync(path);

      chmodSync(join(project.folder, "__baselines__", "extract-claims"), 0o555);
      const clean = await project.run([], options);
      expect(clean).toMatchObject({ exitCode: 0, failures: {}, summary: "Baselines  2 clean" });
      const captured = project.tree();
      const update = await project.run(["-u"], { ...options, env: { ...options.env, CHANGED: "command" } });
      expect(update).toMatchObject({ exitCode: 1, failures: {} });
      expect(
        update.summary.replaceAll(project.folder, "<folder>").replace(/\.tx-[\w-]*/, "<temporary>"),
      ).toMatchInlineSnapshot(`
      "Baselines  1 clean, 1 pending
                 g-5c2552  1 × extract-claims  new command review("low confidence")…
                 pending: Cannot write <folder>/__baselines__/extract-claims: EACCES. Make it writable, or run as its owner.
                 1 change is pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
      expect(project.tree()).toEqual(captured);
      chmodSync(join(project.folder, "__baselines__", "extract-claims"), 0o755);
    },
  );
});

describe.each(vitestRunners)("$name", (runner) => {
  test("a set-up file that imports ours, without isolation, fails instead of losing baselines", async () => {
    const project = createProject(runner);
    project.write({
      "a.test.js": CLAIMS_TEST,
      "b.test.js": CLAIMS_TEST,
      "setup.js": 'import "veritest/vitest";\n',
      ...config("vitest", {
        vitest: '{ test: { setupFiles: ["./setup.js"], isolate: false, fileParallelism: false } }',
        jest: {},
      }),
    });
    const ran = await project.run();
    expect(ran.failures).toMatchInlineSnapshot(`
      {
        "one": "veritest can't track this test file. With isolate: false, Vitest runs a setup file's imports only once. Use the plugin, or add "veritest/vitest" to setupFiles.",
        "value": "veritest can't track this test file. With isolate: false, Vitest runs a setup file's imports only once. Use the plugin, or add "veritest/vitest" to setupFiles.",
      }
    `);
  });
});
