import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Project, type Run, createProject } from "./harness/project.ts";
import { isFull, newest } from "./harness/runners.ts";
import { NAMES, PROMPTS, STEPS, writeRealSteps } from "./real-steps/files.ts";
import { type ModelServer, startModelServer } from "./real-steps/model-server.ts";

const SAYS = {
  invoice: '{"vendor":"Nordlys AS","total":450,"lines":[{"sku":"L1","price":150},{"sku":"L2","price":300}]}',
  room: "Fjord is booked for ten.",
  tone: "Impatient",
  answer: "In 1932.",
  triage: "high",
  decide: "pay",
};

const OTHERWISE = {
  invoice: SAYS.invoice.replace("450", "540"),
  room: "Booked.",
  tone: "Angry",
  answer: "1932.",
  triage: "low",
  decide: "refuse",
};

/** The same steps with a change of code in each. */
const CHANGED_STEPS = `${STEPS.replace("output: JSON.parse(", "output: upper(")
  .replace("said: answer.content[0].text", 'said: answer.content[0].text + "!"')
  .replace("text.toLowerCase()", "text.toUpperCase()")
  .replace("answer: said", 'answer: said.replace(".", "")')
  .replace('"A person decides."', '"Two people decide."')}
function upper(text) {
  const read = JSON.parse(text);
  return { ...read, vendor: read.vendor.toUpperCase() };
}
`;

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(SAYS);
});
afterAll(() => server.close());

/** Nothing listens there. */
const NOWHERE = { MODEL_URL: "http://127.0.0.1:1", CI: "1" };

/** The whole of what each test said, without what differs between projects and runners. */
function told(project: Project, run: Run): string {
  return NAMES.map((name) => {
    const said = (run.failures[name] ?? `(${run.statuses[name] ?? "not run"})`)
      .replaceAll(project.folder, "")
      .replaceAll(/-[0-9a-f]{8}(?=\.json)/g, "-HASH")
      .replaceAll(/\([0-9a-f]{8}#/g, "(HASH#")
      .replaceAll(/npx (?:vitest run|jest --runTestsByPath)/g, "npx RUNNER");
    return `# ${name}\n${said}\n`;
  }).join("\n");
}

describe.each(newest)("$name", (runner) => {
  test("five real steps are captured, stay clean, and say what changed", async () => {
    const project = createProject(runner);
    await writeRealSteps(project);
    const live = { MODEL_URL: server.url, VERITEST_MODE: "live" };
    server.says = SAYS;

    // Capture, and the same again with other ids: nothing to write.
    expect(told(project, await project.run([], { env: live }))).toBe(told(project, allPassed()));
    expect(project.cases().toSorted()).toStrictEqual(CASES.toSorted());
    const captured = project.tree();
    const again = await project.run(["-u"], { env: live });
    expect(told(project, again)).toBe(told(project, allPassed()));
    expect(again.summary).toMatchInlineSnapshot(`"Baselines  5 clean"`);
    expect(project.tree()).toStrictEqual(captured);

    // In CI no model is asked, and each shard tells its part.
    const asked = server.asked();
    for (const shard of [1, 2]) {
      const env = { ...NOWHERE, VERITEST_REPORT: "json", VERITEST_REPORT_DIR: `shards/${shard}` };
      const run = await project.run([`--shard=${shard}/2`], { env });
      expect(run.exitCode).toBe(0);
    }
    const merged = await project.cli(["merge", "shards"]);
    expect(merged).toMatchObject({ exitCode: 0, stderr: "" });
    expect(merged.stdout).toMatch(/^ {3}veritest {2}5 baselines, 5 clean in [\d.]+ m?s\n$/);
    expect(server.asked()).toBe(asked);
    project.remove("shards");

    const toldOf = async (files: Readonly<Record<string, string>>, env: Record<string, string>): Promise<string> => {
      project.write({ "prompts.js": PROMPTS, "real-steps.js": STEPS, ...files });
      return told(project, await project.run([], { env }));
    };
    const prompts = PROMPTS.replaceAll(/: "(\w+): /g, ': "$1, please: ');
    const prompt = await toldOf({ "prompts.js": prompts }, NOWHERE);
    await expect(prompt).toMatchFileSnapshot("real-steps/reported/prompt.txt");
    // The other changes differ only in their verdicts, which no runner changes.
    if (!isFull && runner.kind === "jest") return;
    const newModel = { "prompts.js": PROMPTS.replace("gpt-4o", "gpt-5") };
    const newer = await toldOf(newModel, NOWHERE);
    await expect(newer).toMatchFileSnapshot("real-steps/reported/model-name.txt");
    const code = await toldOf({ "real-steps.js": CHANGED_STEPS }, NOWHERE);
    await expect(code).toMatchFileSnapshot("real-steps/reported/code.txt");
    server.says = OTHERWISE;
    await expect(await toldOf({}, live)).toMatchFileSnapshot("real-steps/reported/model-answer.txt");
    await expect(await toldOf(newModel, live)).toMatchFileSnapshot("real-steps/reported/model-name-live.txt");
    // A new model that answers the same is no change; that CI would be red is said.
    server.says = SAYS;
    project.write(newModel);
    const same = await project.run([], { env: live });
    expect(told(project, same)).toBe(told(project, allPassed()));
    expect(same.summary).toMatchInlineSnapshot(`
      "Baselines  5 clean
                 5 baselines of answer and 4 other steps  requests differ from the recording (CI will fail): run with -u
                 5 pending changes dropped: clean again"
    `);
    project.write({ "prompts.js": PROMPTS });
    expect(project.tree()).toStrictEqual(captured);
  });
});

const CASES = NAMES.map((name) => `__baselines__/${name}/${name}`);

function allPassed(): Run {
  const statuses = Object.fromEntries(NAMES.map((name) => [name, "passed"]));
  const snapshot = { added: 0, matched: 0, unmatched: 0, updated: 0 };
  return { statuses, failures: {}, fileTroubles: [], snapshot, exitCode: 0, stdout: "", stderr: "", summary: "" };
}
