/** The steps of action.yml, run by bash as GitHub runs them, with a `gh` that answers from files. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { beforeEach, expect, test } from "vitest";
import { childEnv } from "./harness/child-env.ts";
import { REPOSITORY, installDirectory } from "./harness/install.ts";
import { type Project, createProject } from "./harness/project.ts";
import { runners } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const ACTION = readFileSync(join(REPOSITORY, "action.yml"), "utf8");
const [VITEST] = runners.filter(({ name }) => name === "vitest-5");

/** Writes what it is called with into a file, and prints the first answer whose words are all in it. */
const GH = `#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$CALLS/calls"
for rule in "$CALLS"/answers/*; do
  if [[ "$*" == *$(basename "$rule" | tr ' ' '/')* ]]; then cat "$rule"; exit 0; fi
done
`;

interface Step {
  readonly code: number | null;
  readonly output: string;
}

let project: Project;
let temp = "";
let sha = "";
let artifactName = "veritest";

/** Values of the expressions of action.yml. */
function expressions(): Readonly<Record<string, string>> {
  return {
    "inputs.command": `node ${join(installDirectory({ name: "vitest-5", kind: "vitest" }), "node_modules/vitest/vitest.mjs")} run`,
    "inputs.token": "token",
    "inputs.artifact": artifactName,
    "runner.temp": temp,
    "github.repository": "shop/desk",
    "github.event.pull_request.number": "3",
    "github.event.pull_request.number || github.event.issue.number": "3",
    "github.actor": "ann",
    "steps.tests.outputs.code": /^code=(\d+)$/m.exec(readFileSync(join(temp, "output"), "utf8"))?.[1] ?? "",
  };
}

async function runStep(name: string): Promise<Step> {
  const [, step = ""] = ACTION.split(`    - name: ${name}\n`);
  const [own = ""] = step.split("\n    - name: ");
  const [, env = ""] = /\n {6}env:\n((?: {8}.*\n)*)/.exec(own) ?? [];
  const values = expressions();
  const variables = [...env.matchAll(/^ {8}(\w+): (.*)$/gm)].map(([, key = "", text = ""]) => {
    const value = text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_all, expression: string) => {
      const known = values[expression];
      if (known === undefined) throw new Error(`${name} uses ${expression}, which this test doesn't know.`);
      return known;
    });
    return [key, value] as const;
  });
  const [, lines, line = ""] = /\n {6}run: (?:\|\n((?: {8}.*\n|\n)*)|(.*))/.exec(own) ?? [];
  const script = lines === undefined ? line : lines.replaceAll(/^ {8}/gm, "");
  const file = join(temp, "step.sh");
  writeFileSync(file, script);
  const given = {
    CI: "true",
    GITHUB_ACTIONS: "true",
    RUNNER_TEMP: temp,
    GITHUB_OUTPUT: join(temp, "output"),
    CALLS: temp,
  };
  const base = childEnv({ ...given, ...Object.fromEntries(variables) });
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", file], {
    cwd: project.folder,
    env: { ...base, PATH: `${join(temp, "bin")}:${base["PATH"] ?? ""}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  );
  return { code, output: chunks.join("") };
}

/** An answer of GitHub to calls that contain a path. */
function answer(path: string, content: string | Uint8Array): void {
  writeFileSync(join(temp, "answers", path.replaceAll("/", " ")), content);
}

const calls = (): readonly string[] => readFileSync(join(temp, "calls"), "utf8").trimEnd().split("\n");

/** The uploaded artifact of the last run. */
function artifact(): Uint8Array {
  const root = join(temp, "veritest");
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return zipSync(
    Object.fromEntries(paths.map((path) => [path.slice(root.length + 1), strToU8(readFileSync(path, "utf8"))])),
  );
}

function program(name: string, text: string): void {
  writeFileSync(join(temp, "bin", name), text);
  chmodSync(join(temp, "bin", name), 0o755);
}

const WORDS = testFile(`
test("two words", async () => { await expect(countWords).toMatchBaseline({ input: { text: "a b" } }); });
`);

beforeEach(async () => {
  artifactName = "veritest";
  if (VITEST === undefined) throw new Error("no row of Vitest 5");
  project = createProject(VITEST);
  temp = `${project.folder}-state`;
  for (const path of ["bin", "answers"]) mkdirSync(join(temp, path), { recursive: true });
  for (const path of ["output", "calls"]) writeFileSync(join(temp, path), "");
  program("gh", GH);
  const cli = join(installDirectory(VITEST), "node_modules/veritest/dist/cli.js");
  program("npx", `#!/usr/bin/env bash\nshift\nexec node ${cli} "$@"\n`);
  project.write({ "words.test.js": WORDS, ".gitignore": "node_modules\n" });
  await project.run();
  await project.git("init", "--bare", "--quiet", join(temp, "origin.git"));
  await project.git("init", "--quiet", "--initial-branch=change");
  await project.git("remote", "add", "origin", join(temp, "origin.git"));
  project.write({ "steps.js": project.read("steps.js").replace("count: text", "count: 1 + text") }, { asIs: true });
  await project.git("add", "--all");
  await project.git("commit", "--quiet", "--message", "Count one more");
  await project.git("push", "--quiet", "origin", "change");
  sha = (await project.git("rev-parse", "HEAD")).trim();
  answer("collaborators/ann/permission", "write\n");
  answer("pulls/3", `shop/desk\tchange\t${sha}\n`);
  answer("actions/artifacts?name", "77\n");
});

test("a job whose artifact has another name has its own comment", async () => {
  artifactName = "jest";
  await runStep("Run the tests");
  expect(await runStep("Comment on the pull request")).toEqual({ code: 0, output: "" });
  expect(calls().at(-2)).toContain('startswith("<!-- veritest jest -->")');
  const report = join(temp, "veritest/report/report.md");
  expect(readFileSync(report, "utf8").split("\n").slice(0, 2)).toEqual([
    "<!-- veritest jest -->",
    "### veritest: 1 of 1 baseline changed",
  ]);
});

test("a run uploads and comments once, and a person with write access accepts its updates", async () => {
  expect(await runStep("Run the tests")).toMatchObject({ code: 0, output: expect.stringContaining("1 value_changed") });
  expect(await runStep("Fail if the tests failed")).toMatchObject({ code: 1 });
  expect(await runStep("Comment on the pull request")).toEqual({ code: 0, output: "" });
  const report = `body=@${join(temp, "veritest/report/report.md")}`;
  expect(calls().at(-1)).toBe(`api --method POST repos/shop/desk/issues/3/comments --field ${report} --silent`);
  answer("issues/3/comments", "41\n");
  await runStep("Comment on the pull request");
  expect(calls().at(-1)).toBe(`api --method PATCH repos/shop/desk/issues/comments/41 --field ${report} --silent`);

  answer("artifacts/77/zip", artifact());
  const accepted = await runStep("Accept the pending changes");
  expect(accepted.code, accepted.output).toBe(0);
  expect(accepted.output).toContain("1 accepted by human (VERITEST_ACTOR)");
  expect(await project.git("--git-dir", join(temp, "origin.git"), "log", "--format=%an %s", "change")).toBe(
    "ann Accept baselines of pull request 3\ne2e Count one more\n",
  );
  expect(await project.git("show", "--name-only", "--format=")).toMatch(
    /^__baselines__\/count-words\/two-words-\w+\.json\n$/,
  );
  expect(await project.git("status", "--short")).toBe("");

  await runStep("Run the tests");
  expect(readFileSync(join(temp, "output"), "utf8")).toBe("code=1\ncode=0\n");
});

test.each([
  [
    "a person without write access",
    "collaborators/ann/permission",
    "read\n",
    "ann can't write to shop/desk: nothing was accepted.",
  ],
  [
    "a pull request from a fork",
    "pulls/3",
    "bob/desk\tchange\tabc\n",
    "The pull request comes from a fork: accept on your machine with npx veritest accept --all --from <artifact>.",
  ],
  [
    "another commit than the head",
    "pulls/3",
    "shop/desk\tchange\tabc\n",
    "The head of the pull request, abc, isn't checked out: set ref of actions/checkout to it.",
  ],
  ["a commit without a run", "actions/artifacts?name", "", "No artifact veritest of commit SHA: run the tests first."],
])("nothing is accepted for %s", async (_title, path, text, message) => {
  answer(path, text);
  expect(await runStep("Accept the pending changes")).toEqual({
    code: 1,
    output: `::error::${message.replace("SHA", sha)}\n`,
  });
  expect((await project.git("rev-parse", "HEAD")).trim()).toBe(sha);
});

test("each input that a step uses is declared", () => {
  const [inputs = ""] = /^inputs:\n[^]*?^runs:/m.exec(ACTION) ?? [];
  const declared = [...inputs.matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
  const used = new Set([...ACTION.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name));
  expect(used).toEqual(new Set(declared));
});
