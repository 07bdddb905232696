import { expect, test } from "vitest";
import { type CheckProject, checkProject } from "../../../test-support/check-project.ts";

/** A project with six baselines of `total`, whose model gets a field that a file sets. */
async function captured(config?: string): Promise<CheckProject> {
  const project = checkProject(config);
  project.write(
    "steps/index.ts",
    project
      .read("steps/index.ts")
      .replace("ctx.adapters.llm.total(text + prompt)", "ctx.adapters.llm.total({ text, ...mood().added })")
      .replace("text.length + model", "text.text.length + model"),
  );
  for (const name of ["a", "b", "c", "d", "e", "f"]) project.write(`in/${name}.json`, `{"text":"receipt ${name}"}`);
  await project.veritest(["capture", "--step", "total", "--input", "in/*.json", "--name", "{file}"]);
  project.write("steps/mood.json", '{ "added": { "store": false }, "model": 100 }');
  return project;
}

const HARMLESS = ["--harmless", "llm.total[0].store"];

test("makes current requests with recorded responses pending, and the receipt notes it", { tags: "deep" }, async () => {
  const project = await captured();
  const { code, out, err } = await project.veritest(["rebase", ...HARMLESS]);
  expect({ code, err }).toStrictEqual({ code: 0, err: "" });
  expect(out).toContain(`    cause: prompt
    adapter "llm.total" was called with a request that wasn't recorded (1 recorded for it)
    + request[0].store: false
`);
  expect(out).toContain("6 × request_changed: + request[*].store: false, new request of llm.total (prompt)");
  expect(out).toContain("6 with requests that are not recorded, 6 pending in <time>");
  const [, group = ""] = /accept --group (g-\w+)/.exec(out) ?? [];
  expect((await project.veritest(["test"])).code).toBe(1);
  expect((await project.veritest(["accept", "--group", group])).code).toBe(0);
  expect((await project.veritest(["test"])).code).toBe(0);
  const [receipt] = JSON.parse((await project.veritest(["log", "--json"])).out);
  expect(receipt).toMatchObject({ kind: "accept", changes: Array.from({ length: 6 }, () => ({ kept: "responses" })) });
  expect((await project.veritest(["log"])).out).toContain("  6 changes  6 with kept responses\n");
});

test("reads harmless parts from the configuration, as veritest test does", { tags: "deep" }, async () => {
  const project = await captured('recording: { harmless: ["**.store"] }');
  expect((await project.veritest(["rebase"])).code).toBe(0);
  const { code, out } = await project.veritest(["test", "--name", "a"]);
  expect(code).toBe(1);
  expect(out).toContain("1 pending");
});

test("ignores other changes, and fails", { tags: "deep" }, async () => {
  const project = await captured();
  project.write("steps/mood.json", '{ "reverse": true }');
  const changed = await project.veritest(["rebase", ...HARMLESS]);
  expect(changed.code).toBe(1);
  expect(changed.out).toContain("6 changed in <time>");
  project.write("steps/mood.json", '{ "added": { "seed": 1 } }');
  const other = await project.veritest(["rebase", ...HARMLESS]);
  expect(other.code).toBe(1);
  expect(other.out).toContain("6 with requests that are not recorded in <time>");
  expect((await project.veritest(["pending"])).out).not.toContain("total");
});

test("requires a part that may differ", async () => {
  const project = await captured();
  expect(await project.veritest(["rebase"])).toStrictEqual({
    code: 2,
    out: "",
    err:
      "veritest: Pass the parts of requests that can differ: --harmless 'fetch[0].body.store', or " +
      "recording.harmless in veritest.config.\n",
  });
});
