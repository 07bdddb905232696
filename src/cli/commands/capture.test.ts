import { createServer } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CheckProject, checkProject } from "../../../test-support/check-project.ts";

function withInputs(config?: string): CheckProject {
  const project = checkProject(config);
  for (const name of ["a", "b"]) project.write(`in/${name}.json`, JSON.stringify({ text: `receipt ${name}` }));
  return project;
}

const TOTAL = "__baselines__/total";

/** A project whose only step has the time in its prompt, with a clock of its entry. */
function clockProject(clock: string): CheckProject {
  const project = checkProject();
  const root = join(import.meta.dirname, "../..");
  project.write("in/a.json", JSON.stringify({ who: "Ben" }));
  project.write(
    "greet.ts",
    `import { z } from "zod";
import { defineStep } from "${root}/kernel/step/define-step.ts";
const step = defineStep({
  name: "greet",
  input: z.object({ who: z.string() }),
  output: z.object({ text: z.string() }),
  run: async ({ who }, { adapters }) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    const texts = [new Date().toISOString(), new Date(Date.now() + 1).toJSON(), Date().slice(11, 15), new Date(0).getTime()];
    return { output: { text: await adapters.llm.complete(texts.join(" ") + " " + who) } };
  },
});
export const greet = { step, adapters: { llm: { complete: async (prompt) => prompt + " " + (Date.now() > 1.7e12) } }, ${clock} };
`,
  );
  project.write("veritest.config.ts", 'export default { steps: () => import("./greet.ts") };');
  return project;
}

const CAPTURE_GREETING = ["capture", "--step", "greet", "--input", "in/a.json"];

test.each([
  ['clock: "frozen"', "2000-01-01T00:00:00.000Z 2000-01-01T00:00:00.001Z"],
  ['clock: "2026-03-10T09:00:00Z"', "2026-03-10T09:00:00.000Z 2026-03-10T09:00:00.001Z"],
  ["clock: new Date(1e12)", "2001-09-09T01:46:40.000Z 2001-09-09T01:46:40.001Z"],
])("a step with %s reads the fixed time, and its adapters the system time", async (clock, times) => {
  const project = clockProject(clock);
  expect(await project.veritest(CAPTURE_GREETING)).toMatchObject({ code: 0, err: "" });
  const [file = ""] = project.list("__baselines__/greet");
  const { output } = JSON.parse(project.read(`__baselines__/greet/${file}`));
  expect(output.text).toMatch(new RegExp(`^${times} \\d{4} 0 Ben true$`));
  expect(await project.veritest(["test"])).toMatchObject({ code: 0 });
});

test("refuses a step with the time in its prompt and no clock, with the line that reads the time", async () => {
  const { code, out, err } = await clockProject("").veritest(CAPTURE_GREETING);
  expect([code, err]).toStrictEqual([1, expect.any(String)]);
  expect(out + err).toMatch(
    /The\s+step\s+reads\s+new\s+Date\(\)\s+at\s+greet\.ts:9:20,\s+Date\.now\s+at\s+greet\.ts:9:60,\s+Date\(\)\s+at\s+greet\.ts:9:81\s+directly\./,
  );
});

test("captures the results of inputs as one transaction with a receipt", { tags: "deep" }, async () => {
  const project = withInputs();
  const { code, out, err } = await project.veritest([
    "capture",
    "--step",
    "total",
    "--input",
    "in/*.json",
    "--label",
    "small",
    "--label",
    "small",
    "--meta",
    "n=5",
    "--meta",
    "id=007",
    "--meta",
    "ok=true",
  ]);
  expect({ code, err }).toStrictEqual({ code: 0, err: "" });
  const files = project.list(TOTAL);
  expect(files).toStrictEqual([
    expect.stringMatching(/^a-[0-9a-f]{8}\.json$/),
    expect.stringMatching(/^b-[0-9a-f]{8}\.json$/),
  ]);
  expect(out).toMatch(
    new RegExp(
      `^captured  ${TOTAL}/${files[0]}\ncaptured  ${TOTAL}/${files[1]}\n2 inputs: 2 written, receipt [0-9a-f]{12}\n$`,
    ),
  );
  expect(JSON.parse(project.read(`${TOTAL}/${files[0]}`))).toMatchObject({
    labels: ["small"],
    meta: { n: 5, id: "007", ok: true },
    input: { text: "receipt a" },
    output: { total: 9 },
    calls: [{ adapter: "llm.total" }],
  });
  expect(await project.veritest(["test"])).toMatchObject({ code: 0 });
});

test("capturing a clean case again changes no file, and reports it", async () => {
  const project = withInputs();
  const argv = ["capture", "--step", "total", "--input", "in/*.json"];
  await project.veritest(argv);
  const before = project.list(TOTAL).map((file) => project.read(`${TOTAL}/${file}`));
  expect(await project.veritest(argv)).toStrictEqual({ code: 0, out: "2 inputs: 0 written, 2 unchanged\n", err: "" });
  expect(project.list(TOTAL).map((file) => project.read(`${TOTAL}/${file}`))).toStrictEqual(before);
});

test("refuses a changed case, which keeps new ones pending, and replaces it with --update", {
  tags: "deep",
}, async () => {
  const project = withInputs();
  await project.veritest(["capture", "--step", "total", "--input", "in/a.json"]);
  const [file = ""] = project.list(TOTAL);
  const before = project.read(`${TOTAL}/${file}`);
  project.write("steps/mood.json", '{ "model": 1 }');
  const refused = await project.veritest(["capture", "--step", "total", "--input", "in/*.json"]);
  expect(refused.code).toBe(1);
  expect(refused.out).toMatch(
    /^ {2}value_changed {5}in\/a\.json → __baselines__\/total\/a-[0-9a-f]{8}\.json\n {4}cause: model /,
  );
  expect(refused.out).toContain("total: 9 → 10");
  expect(refused.out).toMatch(
    /\n2 inputs: 0 written, 1 changed, receipt [0-9a-f]{12}\nReplace the changed baselines with --update, or decide on each change:\n2 changes are pending: npx veritest review, or accept --all, reject --all\n$/,
  );
  expect(refused.err).toBe("veritest: 1 of 2 differ from its baseline, and --update wasn't passed.\n");
  expect(project.list(TOTAL)).toStrictEqual([file]);
  expect(project.read(`${TOTAL}/${file}`)).toBe(before);
  const updated = await project.veritest(["capture", "--step", "total", "--input", "in/*.json", "--update"]);
  expect(updated.code).toBe(0);
  expect(updated.out).toMatch(
    /^updated {3}__baselines__\/total\/a-.*\ncaptured {2}__baselines__\/total\/b-.*\n2 inputs: 2 written, receipt [0-9a-f]{12}\n$/,
  );
  expect(project.read(`${TOTAL}/${file}`)).not.toBe(before);
});

test("one failed input keeps the results of all others pending", { tags: "deep" }, async () => {
  const project = withInputs();
  project.write("steps/mood.json", '{ "fail": "receipt b" }');
  const { code, out, err } = await project.veritest(["capture", "--step", "shout", "--input", "in/*.json"]);
  expect({ code, err }).toStrictEqual({ code: 1, err: "veritest: 1 of 2 inputs didn't get a result.\n" });
  expect(out).toMatch(
    /^ {2}failed {12}in\/b\.json\n {4}execution_failed: no \\u001b\[2J luck\n {4}thrown at steps\/index\.ts:\d+:\d+\n2 inputs: 0 written, 1 failed, receipt [0-9a-f]{12}\n1 change is pending: /,
  );
  expect((await project.veritest(["accept", "--all"])).out).toMatch(/^added {4}__baselines__\/shout\/a-/);
});

test("scope test keeps no other input pending if one fails", async () => {
  const project = withInputs('transaction: { scope: "test" }');
  project.write("steps/mood.json", '{ "fail": "receipt b" }');
  const { code, out } = await project.veritest(["capture", "--step", "shout", "--input", "in/*.json"]);
  expect(code).toBe(1);
  expect(out).toMatch(/\ncaptured {2}__baselines__\/shout\/a-.*\n2 inputs: 1 written, 1 failed, receipt /);
});

test("keeps all updates pending if a gate refuses", async () => {
  const project = withInputs('policy: { protect: ["total"] }');
  const { code, err } = await project.veritest(["capture", "--step", "total", "--input", "in/*.json"]);
  expect({ code, err }).toStrictEqual({
    code: 1,
    err: "veritest: policy.protect protects total. A person has to accept the changes: npx veritest review\n",
  });
});

test("what answered outside adapters and recorders is reported once, with how many inputs it answered", async () => {
  const server = createServer((_request, response) => response.end("!"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  const host = `127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`;
  try {
    const project = withInputs();
    const asks = `text.toUpperCase() + (await (await fetch("http://${host}/")).text())`;
    project.write("steps/index.ts", project.read("steps/index.ts").replace("text.toUpperCase() + mark", asks));
    const { code, out, err } = await project.veritest(["capture", "--step", "shout", "--input", "in/*.json"]);
    expect({ code, err }, out).toStrictEqual({ code: 0, err: "" });
    expect(out.split("\n").slice(2)).toStrictEqual([
      expect.stringMatching(
        new RegExp(
          `^2 inputs {2}captured with 0 calls, but the step also called ${host} \\(steps/index\\.ts:\\d+:\\d+\\) ` +
            "directly, so veritest didn't record those responses\\. To record them, use " +
            'veritest\\({ fetch: true }\\) in Vitest, setupFiles: \\["veritest/fetch-setup"\\] in Jest, ' +
            "or an adapter if the client doesn't use fetch$",
        ),
      ),
      expect.stringMatching(/^2 inputs: 2 written, receipt [0-9a-f]{12}$/),
      "",
    ]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("--dry-run lists the inputs it would capture, without running or writing", async () => {
  const project = withInputs();
  await project.veritest(["capture", "--step", "total", "--input", "in/a.json"]);
  project.write("steps/mood.json", '{ "broken": "no key" }');
  project.write("in/c.jsonl", '{"text":"receipt a"}\n\n{"text":"three"}\n');
  const { code, out, err } = await project.veritest(["capture", "--step", "total", "--input", "in/*", "--dry-run"], {
    VERITEST_ACTOR: "ci",
  });
  expect({ code, err }).toStrictEqual({ code: 0, err: "" });
  expect(out.replaceAll(/-[0-9a-f]{8}\.json/g, "-#.json")).toBe(
    [
      "would compare  in/a.json → __baselines__/total/a-#.json",
      "would capture  in/b.json → __baselines__/total/b-#.json",
      "would capture  in/c.jsonl:3 → __baselines__/total/c-3-#.json",
      "3 inputs (1 given twice): 2 new, 1 with a baseline. No step was run, and no file was written.\n",
    ].join("\n"),
  );
  expect(project.list(TOTAL).length).toBe(1);
});

test("a sample is the same whatever was added, and is reported", async () => {
  const project = checkProject();
  const lines = Array.from({ length: 20 }, (_, index) => JSON.stringify({ text: `line ${index}` }));
  project.write("all.jsonl", lines.join("\n"));
  const argv = ["capture", "--step", "shout", "--input", "all.jsonl", "--sample", "4", "--dry-run"];
  const first = await project.veritest(argv);
  expect(first.out).toMatch(/\n4 inputs \(16 left out by the sample\): 4 new, 0 with a baseline\. /);
  const hashes = (out: string): readonly string[] =>
    [...out.matchAll(/-([0-9a-f]{8})\.json/g)].map(([, hash = ""]) => hash).toSorted();
  project.write("all.jsonl", lines.toReversed().join("\n"));
  expect(hashes((await project.veritest(argv)).out)).toStrictEqual(hashes(first.out));
  expect(hashes((await project.veritest([...argv, "--seed", "2"])).out)).not.toStrictEqual(hashes(first.out));
});

test("refuses inputs that differ only in secrets without names", async () => {
  const project = withInputs();
  const keys = ["A", "B"].map((letter) => JSON.stringify({ text: "x", apiKey: `sk-proj-${`${letter}b1`.repeat(16)}` }));
  project.write("keys.jsonl", keys.join("\n"));
  expect(await project.veritest(["capture", "--step", "shout", "--input", "keys.jsonl", "--dry-run"])).toStrictEqual({
    code: 2,
    out: "",
    err:
      "veritest: keys.jsonl:1 and keys.jsonl:2 differ only in their redacted secrets, so they count as one case. " +
      'Name each case: --name "{file}", or "{file}-{line}".\n',
  });
});

test("--name names cases by their files and lines, and refuses duplicate names", async () => {
  const project = withInputs();
  project.write("in/c.jsonl", '{"text":"x"}\n{"text":"y"}');
  const twice = await project.veritest(["capture", "--step", "shout", "--input", "in/*", "--name", "case-{file}"]);
  expect(twice).toStrictEqual({
    code: 2,
    out: "",
    err: 'veritest: --name "case-{file}" gives in/c.jsonl:1 and in/c.jsonl:2 the same name. Use different names: --name "{file}", or "{file}-{line}".\n',
  });
  const { code } = await project.veritest([
    "capture",
    "--step",
    "shout",
    "--input",
    "in/*",
    "--name",
    "case-{file}-{line}",
  ]);
  expect(code).toBe(0);
  const names = project
    .list("__baselines__/shout")
    .map((file) => JSON.parse(project.read(`__baselines__/shout/${file}`)).name);
  expect(names).toStrictEqual(["case-a-1", "case-b-1", "case-c-1", "case-c-2"]);
});

test("accepts the files of a pattern that the shell expanded", async () => {
  const project = withInputs();
  const { out } = await project.veritest([
    "capture",
    "--step",
    "shout",
    "--input",
    "in/a.json",
    "in/b.json",
    "--dry-run",
  ]);
  expect(out).toContain("2 inputs: 2 new");
});

test("writes new baselines next to those of the step, or where the configuration says", { tags: "deep" }, async () => {
  const project = withInputs();
  await project.veritest(["capture", "--step", "shout", "--input", "in/a.json"]);
  project.write("deep/__baselines__/total/.keep", "");
  const { code } = await project.veritest(["capture", "--step", "total", "--input", "in/a.json"]);
  expect(code).toBe(0);
  expect(project.list("deep/__baselines__/total").length).toBe(2);
  project.write("other/__baselines__/total/.keep", "");
  const { err } = await project.veritest(["capture", "--step", "total", "--input", "in/b.json"]);
  expect(err).toBe(
    'veritest: Step "total" has baselines in deep/__baselines__, other/__baselines__. Say which are meant: steps: () => [{ step, baselines: "<one of them>" }]\n',
  );
  project.write(
    "veritest.config.ts",
    project
      .read("veritest.config.ts")
      .replace("adapters }, shout", 'adapters, baselines: "other/__baselines__" }, shout'),
  );
  // In a process of its own: this one knows the configuration as it was.
  expect((await project.spawned(["capture", "--step", "total", "--input", "in/b.json"])).out).toMatch(
    /^captured {2}other\/__baselines__\/total\/b-/,
  );
});

test.each<[string[], NodeJS.ProcessEnv, number, string]>([
  [["--input", "in/a.json"], {}, 2, "No step was passed. Add --step <name>. See: veritest capture --help"],
  [
    ["--step", "totl", "--input", "in/a.json"],
    {},
    2,
    'The configuration doesn\'t have a step named "totl". Similar: "total", "shout".',
  ],
  [["--step", "total"], {}, 2, "No input was passed. Add --input 'inputs/*.json'. See: veritest capture --help"],
  [["--step", "total", "--input", "no/*.json"], {}, 2, 'No input matches "no/*.json": there is no "no".'],
  [
    ["--step", "total", "--input", "bad.json"],
    {},
    2,
    "bad.json isn't JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2). A .json file is one input. In a .jsonl file, each line is an input.",
  ],
  [
    ["--step", "total", "--input", "bad.jsonl"],
    {},
    2,
    "bad.jsonl:2 isn't JSON: Unexpected token 'o', \"oops\" is not valid JSON. A .json file is one input. In a .jsonl file, each line is an input.",
  ],
  [
    ["--step", "total", "--input", "in/a.json", "--sample", "0"],
    {},
    2,
    '--sample must be an integer from 1 to 1000000000, got "0".',
  ],
  [
    ["--step", "total", "--input", "in/a.json", "--seed", "2"],
    {},
    2,
    "--seed only applies to a sample. Pass both: --sample 20 --seed 1.",
  ],
  [["--step", "total", "--input", "in/a.json", "--meta", "x"], {}, 2, '--meta must be key=value, got "x".'],
  [
    ["--step", "total", "--input", "in/a.json", "--timeout", "soon"],
    {},
    2,
    '--timeout must be a time such as 500ms, 90s or 5m, or 0 for no limit, got "soon".',
  ],
  ...["30", "1500", "00"].map((time): [string[], Record<string, string>, number, string] => [
    ["--step", "total", "--input", "in/a.json", "--timeout", time],
    {},
    2,
    `--timeout must be a time such as 500ms, 90s or 5m, or 0 for no limit, got "${time}".`,
  ]),
  [
    ["--step", "total", "--input", "in/a.json"],
    { VERITEST_MODE: "replay" },
    2,
    'A capture calls live adapters, but VERITEST_MODE is "replay". Unset VERITEST_MODE, or set it to live or auto.',
  ],
  [
    ["--step", "total", "--input", "in/a.json"],
    { VERITEST_ACTOR: "ci" },
    1,
    "CI never writes baselines (VERITEST_ACTOR). Capture on your own machine, and review the baselines.",
  ],
  [
    ["--step", "total", "--input", "in/a.json"],
    { VERITEST_ACTOR: "robot" },
    2,
    'VERITEST_ACTOR must be human, agent or ci, got "robot".',
  ],
])("capture %j prints one line and an exit code", async (argv, environment, code, message) => {
  const project = withInputs();
  project.write("bad.json", "{no}");
  project.write("bad.jsonl", '{"text":"x"}\noops\n');
  expect(await project.veritest(["capture", ...argv], environment)).toStrictEqual({
    code,
    out: "",
    err: `veritest: ${message}\n`,
  });
});

test("adapters that cannot be made are reported before anything is run", async () => {
  const project = withInputs();
  project.write("steps/mood.json", '{ "broken": "no key" }');
  expect(await project.veritest(["capture", "--step", "total", "--input", "in/*.json"])).toStrictEqual({
    code: 2,
    out: "",
    err: 'veritest: The adapters of step "total" can\'t be created: no key\n',
  });
});

test("a step without the adapters it needs says where to configure them", async () => {
  const project = withInputs();
  project.write(
    "veritest.config.ts",
    'export default { steps: async () => [(await import("./steps/index.ts")).total] };',
  );
  const { code, out } = await project.veritest(["capture", "--step", "total", "--input", "in/a.json"]);
  expect(code).toBe(1);
  expect(out).toContain('no_adapters: Step "total" calls an adapter, and the configuration gives it none.');
});
