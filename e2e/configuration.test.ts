import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { type Runner, jestRunners, runners, sampled } from "./harness/runners.ts";

const NUMBER = "M-31415926";

/** A package whose configuration hides a field, beside one without a configuration. */
function writePackages(project: Project, config = '{ redact: { fields: ["memberNumber"] } }'): void {
  const source = `import { expect, test } from "runner";
test("member", async () => { await expect({ memberNumber: process.env.MEMBER ?? "${NUMBER}" }).toMatchBaseline({ name: "member" }); });
`;
  project.write({
    "packages/a/package.json": "{}",
    "packages/a/veritest.config.mjs": `export default ${config};`,
    "packages/a/a.test.js": source,
    "packages/b/package.json": "{}",
    "packages/b/b.test.js": source,
  });
}

function textsOf(project: Project): Record<string, string> {
  return Object.fromEntries(project.baselines().map((path) => [path.split("/", 2).join("/"), project.read(path)]));
}

/** Options that turn veritest's reporter off, as an IDE does. */
function withoutReporter({ kind }: Runner): readonly string[] {
  return kind === "jest" ? ["--reporters=default"] : [];
}

describe.each(sampled(runners))("$name", (runner) => {
  test("from the root of a monorepo each package is checked with its own configuration", async () => {
    const project = createProject(runner);
    writePackages(project);
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    const { "packages/a": a = "", "packages/b": b = "" } = textsOf(project);
    expect([a.includes(NUMBER), a.includes("«redacted:field#1»"), b.includes(NUMBER)]).toEqual([false, true, true]);
  });

  test("the policy of a package keeps its updates pending, also in a run from the root", async () => {
    const project = createProject(runner);
    writePackages(project, '{ policy: { protect: ["a.*"] } }');
    const ran = await project.run();
    expect(ran.exitCode).toBe(1);
    expect(ran.summary).toContain(
      "pending: policy.protect protects a.test.js. A person has to accept the changes: npx veritest review",
    );
    expect(project.baselines()).toEqual([]);
  });

  test("a package whose configuration does not load checks and writes nothing", async () => {
    const project = createProject(runner);
    writePackages(project, '{ redact: { field: ["memberNumber"] } }');
    const ran = await project.run();
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.failures["member"]?.replace(project.folder, "<folder>")).toBe(
      '<folder>/packages/a/veritest.config.mjs: redact: Unrecognized key: "field" (did you mean "fields"?). veritest doesn\'t check or write baselines ' +
        "until the configuration loads.",
    );
    expect(project.baselines()).toEqual([]);
  });
});

describe.each(sampled(jestRunners))("$name", (runner) => {
  test("with other reporters on the command line redaction and policy apply, and one line reports what is missing", async () => {
    const project = createProject(runner);
    writePackages(project, '{ redact: { fields: ["memberNumber"] }, policy: { forbid: ["value_changed"] } }');
    const first = await project.run(withoutReporter(runner));
    expect(first).toMatchObject({ exitCode: 0, failures: {} });
    const { "packages/a": a = "" } = textsOf(project);
    expect([a.includes(NUMBER), a.includes("«redacted:field#1»")]).toEqual([false, true]);
    expect(first.stderr.match(/^veritest: the reporter isn't installed.*$/gm)).toHaveLength(1);

    const changed = await project.run([...withoutReporter(runner), "-u", "packages/b"], { env: { MEMBER: "M-2" } });
    expect(changed).toMatchObject({ exitCode: 0 });
    const source = project.read("packages/a/a.test.js").replace("memberNumber:", "age: 3, memberNumber:");
    project.write({ "packages/a/a.test.js": source }, { asIs: true });
    const held = await project.run([...withoutReporter(runner), "-u", "packages/a"]);
    expect([held.exitCode, held.failures]).toEqual([
      1,
      {
        member:
          "policy.forbid forbids value_changed. No file was written, and the result is pending. To review it, run: npx veritest review",
      },
    ]);
  });
});
