import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CheckProject, checkProject } from "../../../test-support/check-project.ts";

/** A project with two baselines of `total` and one of `shout`. */
async function captured(config?: string): Promise<CheckProject> {
  const project = checkProject(config);
  project.write("in/a.json", '{"text":"receipt a"}');
  project.write("in/b.json", '{"text":"receipt bb"}');
  await project.veritest([
    "capture",
    "--step",
    "total",
    "--input",
    "in/*.json",
    "--label",
    "small",
    "--meta",
    "lang=de",
    "--name",
    "{file}",
  ]);
  await project.veritest(["capture", "--step", "shout", "--input", "in/a.json"]);
  return project;
}

/** For what changes nothing. */
const shared = captured();

const CLEAN = `   veritest  3 baselines, 3 clean in <time>
             shout: 1 baseline, 1 clean
             total: 2 baselines, 2 clean
`;

function unhashed(out: string): string {
  return out.replaceAll(/-[0-9a-f]{8}\.json/g, "-#.json");
}

test.each(["test", "diff", "replay"])("%s of clean baselines exits with 0, and writes no file", {
  tags: "deep",
}, async (command) => {
  const project = await captured();
  const before = project.list("state");
  expect(await project.veritest([command, "--concurrency", "1"])).toStrictEqual({ code: 0, out: CLEAN, err: "" });
  expect(project.list("state")).toStrictEqual(before);
});

test("shows a changed case with its cause, keeps it pending, and accepts it as shown", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "mark": "!" }');
  const { code, out, err } = await project.veritest(["test"]);
  expect({ code, err }).toStrictEqual({ code: 1, err: "" });
  expect(unhashed(out)).toBe(`  value_changed     __baselines__/shout/a-#.json
    cause: code (same requests, same responses, new output)
      loud: "RECEIPT A" → "RECEIPT A!"

   veritest  3 baselines, 2 clean, 1 changed, 1 pending in <time>
             1 change is pending: npx veritest review, or accept --all, reject --all
             shout: 1 baseline, 1 changed, 1 pending
             total: 2 baselines, 2 clean
`);
  expect((await project.veritest(["accept", "--all"])).code).toBe(0);
  expect((await project.veritest(["test"])).code).toBe(0);
});

test("diff keeps a pending change of the same result, and replaces one of a different result", {
  tags: "deep",
}, async () => {
  const project = await captured();
  const change = async (): Promise<string> => (await project.veritest(["pending"])).out.split("\n")[0] ?? "";
  project.write("steps/mood.json", '{ "mark": "!" }');
  await project.veritest(["test"]);
  const shown = await change();
  await project.veritest(["diff"]);
  expect(await change()).toBe(shown);
  project.write("steps/mood.json", '{ "mark": "?" }');
  await project.veritest(["diff"]);
  const key = shown.slice(0, 12);
  expect(await change()).not.toContain(key);
  const { code, err } = await project.veritest(["accept", key]);
  expect({ code, err }).toStrictEqual({ code: 2, err: expect.stringContaining(`No pending change matches "${key}".`) });
});

test("names variables of the runner's configuration if only the host of a request differs", {
  tags: "deep",
}, async () => {
  const project = checkProject('steps: async () => [await import("./steps/ask.ts")]');
  const defineStep = join(import.meta.dirname, "../../kernel/step/define-step.ts");
  project.write("in/a.json", '{"text":"a"}');
  project.write("steps/origin.json", '"https://gateway.test"');
  project.write(
    "steps/ask.ts",
    `import { readFileSync } from "node:fs";
import { z } from "zod";
import { defineStep } from "${defineStep}";
const origin = () => JSON.parse(readFileSync(new URL("origin.json", import.meta.url), "utf8"));
export const step = defineStep({
  name: "ask", input: z.object({ text: z.string() }), output: z.object({ said: z.string() }),
  run: async (_input, { adapters }) => ({ output: { said: await adapters.api.get({ origin: origin() }) } }),
});
export const adapters = { api: { get: async () => "Fine." } };
`,
  );
  await project.veritest(["capture", "--step", "ask", "--input", "in/a.json"]);
  project.write("steps/origin.json", '"https://api.openai.com"');
  const { out } = await project.veritest(["test"]);
  expect(unhashed(out)).toContain(
    "__baselines__/ask/a-#.json  only the host of a request differs. Variables of your runner's configuration " +
      "(test.env), such as OPENAI_BASE_URL, aren't set here. Set them in your shell\n",
  );
});

test("a change that diff finds again is as old as diff", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "mark": "!" }');
  await project.veritest(["test"]);
  const files = readdirSync(join(project.root, "state"), { recursive: true, encoding: "utf8" });
  const [file = ""] = files.filter((path) => /pending\b.*\.json$/.test(path)).map((path) => `state/${path}`);
  const old = project.read(file).replace(/"at": ?"[^"]+"/, '"at":"2020-01-01T00:00:00.000Z"');
  expect(old).toContain("2020-01-01");
  project.write(file, old);
  await project.veritest(["diff"]);
  expect((await project.veritest(["review"])).out).not.toContain("dropped");
});

test("diff shows the same and exits with 0", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "mark": "!" }');
  const { code, out } = await project.veritest(["diff", "--step", "shout"]);
  expect(code).toBe(0);
  expect(out).toContain('loud: "RECEIPT A" → "RECEIPT A!"');
});

test.each([
  ["a difference of the output", '{ "mark": "!" }', 1, 0],
  ["a difference of commands", '{ "command": "t" }', 1, 0],
  ["a request nothing is recorded for", '{ "prompt": "?" }', 1, 0],
  ["a step that throws", '{ "fail": "receipt a" }', 1, 1],
])("%s: test ends with %3$i, and diff with %4$i", { tags: "deep" }, async (_, mood, ofTest, ofDiff) => {
  const project = await captured();
  project.write("steps/mood.json", mood);
  expect((await project.veritest(["test"])).code).toBe(ofTest);
  expect((await project.veritest(["diff"])).code).toBe(ofDiff);
});

test("in CI keeps no pending updates without a state directory", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "mark": "!" }');
  const { code, out } = await project.veritest(["test"], { CI: "1", VERITEST_STATE_DIR: "" });
  expect(code).toBe(1);
  expect(out).not.toContain("pending");
  const uploaded = (await project.veritest(["test"], { CI: "1" })).out;
  expect(uploaded).toContain("1 pending");
  expect(uploaded).toContain(
    "1 change is pending in CI's state directory. Download it, then npx veritest review --from veritest-state.zip, or accept --all --from veritest-state.zip\n",
  );
});

test("replays recorded responses by default, and calls live adapters on request", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "model": 1 }');
  expect((await project.veritest(["test"])).code).toBe(0);
  const live = await project.veritest(["test", "--live", "--name", "a"]);
  expect(live.code).toBe(1);
  expect(live.out).toMatch(/cause: model /);
  expect((await project.veritest(["test", "--name", "a"], { VERITEST_MODE: "live" })).code).toBe(1);
  expect((await project.veritest(["test", "--replay", "--name", "a"], { VERITEST_MODE: "live" })).code).toBe(0);
});

test("uses the mode of the configuration by default", { tags: "deep" }, async () => {
  const project = await captured('mode: "live"');
  project.write("steps/mood.json", '{ "model": 1 }');
  expect((await project.veritest(["test"])).code).toBe(1);
  expect((await project.veritest(["test", "--replay"])).code).toBe(0);
});

describe("a live run that sends another request and gets the same result", () => {
  const sameResult = async (): Promise<CheckProject> => {
    const project = await captured();
    project.write("steps/mood.json", '{ "prompt": "?", "model": -1 }');
    return project;
  };
  const remark = "requests differ from the recording (CI will fail): run your tests with -u, or capture --update";

  test.each(["test", "diff"])("%s exits with 0 and reports the requests", { tags: "deep" }, async (command) => {
    const { code, out, err } = await (await sameResult()).veritest([command, "--live"]);
    expect({ code, out, err }).toStrictEqual({
      code: 0,
      out: `   veritest  3 baselines, 3 clean in <time>
             shout: 1 baseline, 1 clean
             total: 2 baselines, 2 clean
             2 baselines  ${remark}
`,
      err: "",
    });
  });

  test("a report on stdout leaves the remark to stderr, with the name of a single baseline", async () => {
    const project = await sameResult();
    const { code, out, err } = await project.veritest(["test", "--live", "--name", "a", "--format", "json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out).summary).toBe("1 baseline, 1 clean");
    expect(unhashed(err)).toBe(`veritest: __baselines__/total/a-#.json  ${remark}\n`);
  });

  test("capture leaves the baseline and reports the requests, and --update records them", async () => {
    const project = await sameResult();
    const capture = ["capture", "--step", "total", "--input", "in/a.json", "--name", "{file}"];
    expect(await project.veritest(capture)).toStrictEqual({
      code: 0,
      out: "in/a.json  requests differ from the recording (CI will fail): add --update\n1 input: 0 written, 1 unchanged\n",
      err: "",
    });
    expect((await project.veritest([...capture, "--update"])).code).toBe(0);
    expect((await project.veritest(["test", "--name", "a"])).code).toBe(0);
  });
});

test("names the cases that a live run replays because their inputs have placeholders", async () => {
  const project = checkProject();
  project.write("a.json", JSON.stringify({ text: "card 4111111111111111" }));
  await project.veritest(["capture", "--step", "total", "--input", "a.json", "--name", "card"]);
  expect(await project.veritest(["test", "--live"])).toStrictEqual({
    code: 0,
    out: `   veritest  1 baseline, 1 clean in <time>
             1 case checked with recorded responses instead of live, because its stored input has placeholders for secrets. To check it live, pass a name and the input in the test: toMatchBaseline({ name, input, adapters })
`,
    err: "",
  });
});

test("trials report how often a case was clean", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "model": 1 }');
  const { code, out } = await project.veritest(["test", "--live", "--name", "a", "--trials", "3", "--min", "2"]);
  expect(code).toBe(1);
  expect(out).toContain("0 of 2 trials clean, 2 of 3 required");
  expect(out).toContain("     Trials  2 runs\n");
});

test("replay fails for any different byte, and makes no pending update", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "reverse": true }');
  const { code, out } = await project.veritest(["replay"]);
  expect(code).toBe(1);
  expect(out).toContain("3 baselines, 1 clean, 2 changed in <time>");
});

test("replay --check-files finds a file with another layout or wrong hashes", { tags: "deep" }, async () => {
  const project = await captured();
  const [file = ""] = project.list("__baselines__/shout");
  const path = `__baselines__/shout/${file}`;
  const text = project.read(path);
  project.write(path, text.replaceAll("\n", "\r\n"));
  expect((await project.veritest(["replay", "--check-files"])).code).toBe(0);
  project.write(path, JSON.stringify(JSON.parse(text)));
  expect((await project.veritest(["replay"])).code).toBe(0);
  const laidOut = await project.veritest(["replay", "--check-files"]);
  expect(laidOut.code).toBe(2);
  expect(laidOut.out).toContain("it isn't in the format that this version of veritest writes.");
  project.write(path, text.replace("RECEIPT A", "RECEIPT B"));
  const edited = await project.veritest(["replay", "--check-files", "--step", "shout"]);
  expect(edited.code).toBe(2);
  expect(edited.out).toMatch(/broken +__baselines__\/shout/);
});

test("a broken baseline exits with 2, whatever the other results are", { tags: "deep" }, async () => {
  const project = await captured();
  const [file = ""] = project.list("__baselines__/shout");
  project.write(`__baselines__/shout/${file}`, "<<<<<<< ours\n");
  const { code, out } = await project.veritest(["diff"]);
  expect(code).toBe(2);
  expect(out).toContain("it has git conflict markers (line 1).");
});

test("selects by step, name, label, fact and path", { tags: "deep" }, async () => {
  const project = await captured();
  const counts = async (...argv: string[]): Promise<string | undefined> =>
    /veritest {2}(.*) in <time>/.exec((await project.veritest(["test", ...argv])).out)?.[1];
  expect(await counts("--step", "t*")).toBe("2 baselines, 2 clean");
  expect(await counts("--name", "a", "--name", "b")).toBe("2 baselines, 2 clean");
  expect(await counts("--name", "a")).toBe("1 baseline, 1 clean");
  expect(await counts("--label", "small", "--meta", "lang=de")).toBe("2 baselines, 2 clean");
  expect(await counts("--baseline", "__baselines__/shout")).toBe("1 baseline, 1 clean");
  expect(await counts("--baseline", "__baselines__")).toBe("3 baselines, 3 clean");
  expect(await counts("--baseline", ".")).toBe("3 baselines, 3 clean");
  expect(await counts("--baseline", `__baselines__/total/${project.list("__baselines__/total")[1]}`)).toBe(
    "1 baseline, 1 clean",
  );
});

test.each<[string[], string]>([
  [["--step", "totall"], 'The configuration doesn\'t have a step named "totall". Similar: "total", "shout".'],
  [["--label", "smal"], 'No baseline has the label "smal". Known: "small".'],
  [["--name", "c"], 'No baseline has the name "c". Similar: "a", "b".'],
  [["--meta", "lang=en"], 'No baseline has the metadata "lang=en". Known: "lang=de".'],
  [["--name", "a", "--step", "shout"], 'No baseline has the name "a". No baseline has any name.'],
  [["--meta", "lang"], '--meta must be key=value, got "lang".'],
  [
    ["--baseline", "nowhere"],
    '"nowhere" doesn\'t exist. Pass a baseline or a directory of baselines. To list them, run: npx veritest list',
  ],
  [["--live", "--replay"], "Pass --live or --replay, not both."],
  [["--trials", "3"], "--trials needs live adapters, because recorded responses don't vary. Add --live."],
  [
    ["--min", "3"],
    "--min is the number of trials that must be clean, so it needs --trials. Pass both: --trials 10 --min 9.",
  ],
  [["--live", "--trials", "3", "--min", "4"], "--min is 4, which is more than the 3 trials."],
  [["--trials", "1e3"], '--trials must be an integer from 1 to 1000, got "1e3".'],
  [["--concurrency", "0"], '--concurrency must be an integer from 1 to 1000, got "0".'],
  [["--output", "in"], '--output must be a file, but "in" is a directory.'],
  [
    ["--format", "pdf"],
    "option '--format <format>' argument 'pdf' is invalid. Allowed choices are text, json, junit, markdown, github, html. See: veritest test --help",
  ],
])("test %j prints one line and exits with 2", async (argv, message) => {
  const project = await shared;
  expect(await project.veritest(["test", ...argv])).toStrictEqual({ code: 2, out: "", err: `veritest: ${message}\n` });
});

test("an unknown name exits with 2, and the other cases are checked", { tags: "deep" }, async () => {
  const project = await captured();
  const { code, out } = await project.veritest(["test", "--name", "a", "--name", "aa"]);
  expect(code).toBe(2);
  expect(out).toContain('veritest  1 baseline, 1 clean in <time>\n   Problems  No baseline has the name "aa".');
});

test("a project without baselines or steps, or with an invalid configuration, exits with 2", async () => {
  const none = checkProject();
  expect(await none.veritest(["test"])).toStrictEqual({
    code: 2,
    out: "",
    err: "veritest: No baselines of shout, total. Capture some: npx veritest capture --step shout --input 'inputs/*.json'\n",
  });
  const broken = checkProject("polcy: {}");
  expect((await broken.veritest(["test"])).code).toBe(2);
  const unnamed = checkProject();
  unnamed.write("veritest.config.ts", "export default {};");
  expect(await unnamed.veritest(["test"])).toStrictEqual({
    code: 2,
    out: "",
    err: 'veritest: veritest.config.ts names no steps. Add them: steps: () => import("./steps/index.ts")\n',
  });
});

test("baselines of a step that the configuration does not name are reported, and not checked", {
  tags: "deep",
}, async () => {
  const project = await captured();
  project.write("veritest.config.ts", project.read("veritest.config.ts").replace(", shout]", "]"));
  const { code, out, err } = await project.spawned(["test"]);
  expect({ code, err }).toStrictEqual({
    code: 0,
    err: "veritest: Not checked: shout. Add the module of each step to steps in veritest.config.\n",
  });
  expect(out).toContain("2 baselines, 2 clean");
});

test("baselines of a configured step in another step's directory are named with their own directory", {
  tags: "deep",
}, async () => {
  const project = await captured();
  const [name = ""] = readdirSync(join(project.root, "__baselines__/shout"));
  project.write(`__baselines__/old/${name}`, project.read(`__baselines__/shout/${name}`));
  const { code, err } = await project.spawned(["test"]);
  expect({ code, err }).toStrictEqual({
    code: 0,
    err:
      'veritest: Not checked: __baselines__/old has baselines of the step "shout". Move them to ' +
      "__baselines__/shout, or delete them.\n",
  });
});

test("refuses --live for a step that calls adapters but has none", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("veritest.config.ts", project.read("veritest.config.ts").replace("{ step: total, adapters }", "total"));
  expect(await project.spawned(["test", "--live"])).toStrictEqual({
    code: 2,
    out: "",
    err: 'veritest: Live responses are requested, but the configuration gives step "total" no adapters. Give it some: steps: () => [{ step, adapters }]\n',
  });
});

test("finds baselines that were moved to another directory", async () => {
  const project = await captured();
  mkdirSync(join(project.root, "src"));
  renameSync(join(project.root, "__baselines__"), join(project.root, "src/__baselines__"));
  expect(await project.veritest(["test"])).toStrictEqual({ code: 0, out: CLEAN, err: "" });
});

test.each([
  "json",
  "junit",
  "markdown",
  "github",
  "html",
])("prints the report as %s, or writes it to a file", async (format) => {
  const project = await captured();
  project.write("steps/mood.json", '{ "mark": "!" }');
  const printed = await project.veritest(["test", "--format", format]);
  expect(printed.code).toBe(1);
  expect(printed.out).toContain("shout");
  expect(printed.out).not.toContain("   veritest  3 baselines");
  const kept = await project.veritest(["test", "--format", format, "--output", "out/deep/report"]);
  expect(kept.code).toBe(1);
  expect(kept.out).toContain("             report: ");
  expect(kept.out).toContain('loud: "RECEIPT A" → "RECEIPT A!"');
  expect(project.read("out/deep/report").length).toBeGreaterThan(50);
  expect(project.list("out/deep")).toStrictEqual(["report"]);
});

test("the JSON report has every case, and agrees with the printed text", async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "mark": "!" }');
  const { out } = await project.veritest(["test", "--format", "json"]);
  const model = JSON.parse(out);
  expect(model).toMatchObject({
    version: 2,
    status: "fail",
    summary: "3 baselines, 2 clean, 1 changed, 1 pending",
    environment: { adapterMode: "replay", runner: null, ci: false },
    problems: [],
  });
  expect(
    model.cases.map(({ step, kind, updateState, source, labels }: Record<string, unknown>) => ({
      step,
      kind,
      updateState,
      source,
      labels,
    })),
  ).toStrictEqual([
    { step: "shout", kind: "value_changed", updateState: "review", source: "recorded", labels: [] },
    { step: "total", kind: "clean", updateState: "none", source: "recorded", labels: ["small"] },
    { step: "total", kind: "clean", updateState: "none", source: "recorded", labels: ["small"] },
  ]);
});

test("drops a pending update if its baseline is clean again, but not a live one for a recorded one", {
  tags: "deep",
}, async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "mark": "!" }');
  await project.veritest(["diff"]);
  project.write("steps/mood.json", '{ "model": 1 }');
  await project.veritest(["diff", "--live", "--name", "a"]);
  expect(
    JSON.parse((await project.veritest(["pending", "--json"])).out).map(({ test }: { readonly test: string }) => test),
  ).toStrictEqual(["veritest diff", "veritest diff (live)"]);
  expect((await project.veritest(["test"])).out).toContain("             1 pending change dropped: clean again\n");
  expect(JSON.parse((await project.veritest(["pending", "--json"])).out).length).toBe(1);
  project.write("steps/mood.json", "{}");
  expect((await project.veritest(["test", "--live"])).out).toContain("1 pending change dropped: clean again");
  expect(JSON.parse((await project.veritest(["pending", "--json"])).out)).toStrictEqual([]);
});

test("compares even if the state directory can't be written", async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "mark": "!" }');
  project.write("file", "");
  const { code, out, err } = await project.veritest(["test"], {
    VERITEST_STATE_DIR: join(project.root, "file", "state"),
  });
  expect(code).toBe(1);
  expect(out).toContain("3 baselines, 2 clean, 1 changed in <time>");
  expect(err).toMatch(/No change is pending: /);
});

test("counts the cost of live model calls; recorded responses are free", async () => {
  const project = await captured();
  project.write(
    "steps/mood.json",
    JSON.stringify({
      trace: { promptTokens: 10, completionTokens: 5, usage: { input: 10, output: 5, raw: {} }, durationMs: 3 },
    }),
  );
  const usageOf = async (...argv: string[]): Promise<unknown> =>
    JSON.parse((await project.veritest(["test", "--step", "total", "--format", "json", ...argv])).out).usage;
  expect(await usageOf("--live")).toStrictEqual({ calls: 2, inputTokens: 20, outputTokens: 10 });
  expect(await usageOf()).toStrictEqual({ calls: 0, inputTokens: 0, outputTokens: 0 });
});

test("escapes foreign texts for the terminal", { tags: "deep" }, async () => {
  const project = checkProject();
  project.write("a.json", JSON.stringify({ text: "\u001b]52;c;x\u0007 \u202e" }));
  await project.veritest([
    "capture",
    "--step",
    "shout",
    "--input",
    "a.json",
    "--label",
    "\u001b[2J",
    "--name",
    "\u001b[31mred",
  ]);
  project.write("steps/mood.json", '{ "mark": "\\u001b]8;;http://x\\u0007" }');
  for (const argv of [
    ["test"],
    ["test", "--label", "\u001b[3J"],
    ["test", "--step", "\u001b[2J"],
    ["test", "--baseline", "\u001b[2J"],
  ]) {
    const { out, err } = await project.veritest(argv);
    expect(out + err).not.toMatch(/[\u001b\u0007\u202e]/);
  }
});

test.each(["test", "diff", "replay"])("%s --dry-run lists the cases, and runs no step", async (command) => {
  const project = await captured();
  project.write("steps/mood.json", '{ "fail": "receipt a" }');
  const { code, out } = await project.veritest([command, "--dry-run", "--step", "total"]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^would check {2}__baselines__\/total\/.*\n(?:would check {2}__baselines__\/total\/.*\n)*\d+ cases?\. No step was run\.\n$/,
  );
  const listed: unknown = JSON.parse((await project.veritest([command, "--dry-run", "--step", "shout", "--json"])).out);
  expect(listed).toStrictEqual([
    { step: "shout", target: expect.stringMatching(/^__baselines__\/shout\/a-\w+\.json$/) },
  ]);
});

test("takes the same sample in each run, another one with another seed, and never a larger one", async () => {
  const project = await captured();
  const sampled = async (...argv: string[]): Promise<readonly unknown[]> =>
    JSON.parse((await project.veritest(["test", "--dry-run", "--json", ...argv])).out);
  const all = await sampled();
  const one = await sampled("--sample", "1");
  expect(one).toHaveLength(1);
  expect(await sampled("--sample", "1")).toStrictEqual(one);
  const seeds = await Promise.all(
    ["a", "b", "c", "d", "e", "f", "g", "h"].map(async (seed) => sampled("--sample", "1", "--seed", seed)),
  );
  expect(new Set(seeds.map((some) => JSON.stringify(some))).size).toBeGreaterThan(1);
  expect(await sampled("--sample", "100")).toStrictEqual(all);
  expect(await project.veritest(["test", "--seed", "2"])).toMatchObject({
    code: 2,
    err: "veritest: --seed only applies to a sample. Pass both: --sample 20 --seed 1.\n",
  });
});

test("test --json prints the run model, and isn't given together with a format", async () => {
  const project = await captured();
  const { code, out } = await project.veritest(["test", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ version: 2, status: "pass" });
  expect(await project.veritest(["test", "--json", "--format", "junit"])).toStrictEqual({
    code: 2,
    out: "",
    err: "veritest: Pass --json or --format, not both.\n",
  });
});

test("capture, accept and reject print their results as JSON", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("in/z.json", project.read("in/a.json").replace("receipt a", "receipt z"));
  const dry: unknown = JSON.parse(
    (await project.veritest(["capture", "--step", "shout", "--input", "in/z.json", "--dry-run", "--json"])).out,
  );
  expect(dry).toMatchObject([{ action: "capture", input: "in/z.json" }]);
  const { out } = await project.veritest(["capture", "--step", "shout", "--input", "in/z.json", "--json"]);
  expect(JSON.parse(out)).toStrictEqual({
    inputs: 1,
    written: [{ kind: "add", target: expect.stringMatching(/^__baselines__\/shout\/z-/) }],
    unchanged: 0,
    changed: 0,
    failed: 0,
    broken: 0,
    pending: 0,
    receipt: expect.stringMatching(/^sha256:/),
  });
  project.write("steps/mood.json", '{ "mark": "!" }');
  expect((await project.veritest(["test"])).code).toBe(1);
  const accepted: unknown = JSON.parse((await project.veritest(["accept", "--all", "--json"])).out);
  expect(accepted).toMatchObject({ outcome: "accepted", dropped: [], problems: [] });
  expect(JSON.parse((await project.veritest(["accept", "--all", "--json"])).out)).toStrictEqual({
    outcome: "accepted",
    accepted: [],
    dropped: [],
    receipt: null,
    problems: [],
  });
});
