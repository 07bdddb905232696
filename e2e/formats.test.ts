import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY } from "./harness/install.ts";
import { type Project, createProject } from "./harness/project.ts";
import { anyRunner } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const DIRECTORY = join(REPOSITORY, "fixtures", "baselines");
/** Baselines with secrets that the last version with format 1 captured, by path. Each part of the step has secrets. */
const FORMAT_1: Readonly<Record<string, string>> = {
  "__baselines__/carrier/case-ddaf5d42.json": readFileSync(join(DIRECTORY, "format-1.json"), "utf8"),
  "__baselines__/steps.test.js/value-f0a2f99d.json": readFileSync(join(DIRECTORY, "format-1-value.json"), "utf8"),
};

/** The step and the value that were captured. */
const STEPS_TEST = testFile(`
import { defineStep } from "veritest";
import { emit } from "veritest/commands";
import { captureArtifact } from "veritest/kernel";
import { z } from "zod";
const [X, Y, CARD] = ["AKIAIOSFODNN7EXAMPLQ", "AKIAJ2FODNN7EXAMPLEZ", "4242424242424242"];
const PASSWORD = ["Xk7", "pQ2m", "Zt9"].join("");
const adapters = {
  ask: async ({ text, card }) => ({ text: "heard " + text, password: PASSWORD, card }),
  upload: async (bytes) => ({ size: bytes.length > 0 }),
  fail: async () => { throw Object.assign(new Error("refused " + X), { details: { password: PASSWORD } }); },
  stream: async function* () {
    for (const piece of [Y.slice(0, 9), Y.slice(9)]) yield { text: piece };
    yield { token: X };
  },
};
const carrier = defineStep({
  name: "carrier",
  input: z.object({ apiKey: z.string(), other: z.string(), card: z.string() }),
  output: z.looseObject({}),
  run: async ({ apiKey, other, card }, { adapters: { ask, upload, fail, stream }, onArtifact }) => {
    const said = await ask({ text: "use " + apiKey + " and " + other, card });
    const again = await ask({ text: "use " + other + " and " + apiKey, card });
    const raw = await upload(Buffer.from("key=" + apiKey + " then " + card));
    const failed = await fail("please").catch(({ message }) => message);
    const heard = [];
    for await (const chunk of stream(1)) heard.push(chunk);
    onArtifact?.(await captureArtifact("note", { note: "kept " + other }));
    const url = "https://example.com/?key=" + apiKey;
    return {
      output: { said, again, raw, failed, heard, own: other, note: "log in with " + said.password, url },
      events: [{ type: "seen", payload: { key: apiKey, card } }],
      commands: [emit("send", { card, token: other }), emit("send", { card: apiKey })],
    };
  },
});
const value = {
  list: [Y, X, Y],
  text: "pay " + CARD + " with " + X,
  login: { password: PASSWORD },
  note: "log in with " + PASSWORD,
};
test("case", async () => {
  await expect(carrier).toMatchBaseline({ input: { apiKey: X, other: Y, card: CARD }, adapters });
});
test("value", async () => { await expect(value).toMatchBaseline({ name: "value" }); });
test("recompute", async () => { await expect(carrier).toRecomputeClean(); });
test("replay", async () => { await expect(carrier).toReplay(); });
`);

function textsOf(project: Project): Readonly<Record<string, string>> {
  return Object.fromEntries(project.baselines().map((path) => [path, project.read(path)]));
}

/** Baselines without the parsed input: format 1 repeats the input there, and a capture only stores its hash. */
function withoutParsedInput(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const artifact = /\{\s+(?:"content": \{[^}]*\},\s+)?"hash": "[^"]*",\s+"kind": "parsed-input"\s+\},/;
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, text.replace(artifact, "")]));
}

const PATHS = Object.keys(FORMAT_1);
const CLEAN = { exitCode: 0, failures: {} };

describe.each(anyRunner)("$name", (runner) => {
  test("baselines of format 1 with secrets are clean and stay as they are", async () => {
    const project = createProject(runner);
    project.write({ "steps.test.js": STEPS_TEST });
    project.write(FORMAT_1, { asIs: true });
    for (const VERITEST_MODE of ["live", "replay"])
      expect(await project.run([], { env: { VERITEST_MODE } })).toMatchObject(CLEAN);
    expect(textsOf(project)).toEqual(FORMAT_1);
  });

  test("migrated baselines have the bytes of a capture, replay, and are clean", async () => {
    const project = createProject(runner);
    project.write({ "steps.test.js": STEPS_TEST });
    // toReplay and toRecomputeClean have no baseline in the run that captures it.
    await project.run(["-t", "case|value"]);
    const captured = textsOf(project);
    expect(Object.keys(captured)).toEqual(PATHS);
    project.write(FORMAT_1, { asIs: true });
    expect(await project.cli(["check", "--migrate"])).toMatchObject({ exitCode: 0, stderr: "" });
    const migrated = textsOf(project);
    expect(withoutParsedInput(migrated)).toEqual(withoutParsedInput(captured));
    for (const VERITEST_MODE of ["live", "replay"])
      expect(await project.run([], { env: { VERITEST_MODE } })).toMatchObject(CLEAN);
    expect(textsOf(project)).toEqual(migrated);
  });

  test("a baseline of a newer format is refused with the command that updates veritest, and -u keeps it", async () => {
    const project = createProject(runner);
    project.write({ "steps.test.js": STEPS_TEST });
    const newer = Object.fromEntries(
      PATHS.map((path) => [path, FORMAT_1[path]?.replace('"version": 1', '"version": 3') ?? ""]),
    );
    project.write(newer, { asIs: true });
    const { exitCode, failures } = await project.run(["-u"]);
    expect(exitCode).toBe(1);
    expect(Object.keys(failures).toSorted()).toEqual(["case", "recompute", "replay", "value"]);
    for (const message of Object.values(failures))
      expect(message).toContain(
        "it has format 3, and this version of veritest only reads formats up to 2. " +
          "Update veritest: npm install --save-dev veritest@latest",
      );
    expect(textsOf(project)).toEqual(newer);
  });
});
