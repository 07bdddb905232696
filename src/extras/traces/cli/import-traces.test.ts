import { gzipSync } from "node:zlib";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { PLANTED_SECRETS } from "../../../../test-support/planted-secrets.ts";
import type { CheckProject } from "../../../../test-support/check-project.ts";
import { type ExportedRun, otlpStyle, recordsOf, exportedRun } from "../../../../test-support/trace-exports.ts";
import { tracedProject } from "../../../../test-support/traced-agent.ts";

/** Line for parts of requests that the traces of these tests leave out. */
const notCompared = (runs: string): string =>
  `veritest: Not compared, because the trace doesn't have them: tools (${runs})\n`;

let project: CheckProject;

const DESK = "__baselines__/desk";
const textOf = (...runs: readonly ExportedRun[]): string =>
  otlpStyle.file(runs.flatMap((run) => recordsOf(run, otlpStyle)).map(({ record }) => record));

beforeEach(() => {
  project = tracedProject();
  project.write("traces.jsonl", textOf(exportedRun("aa01", 1), exportedRun("aa02", 2), exportedRun("aa03", 1)));
});

describe("veritest import", () => {
  test("makes traced runs pending updates; accepted, they replay, and the receipt names the trace", {
    tags: "deep",
  }, async () => {
    expect(await project.veritest(["import", "otlp", "traces.jsonl"])).toEqual({
      code: 0,
      out:
        "3 runs: 2 pending, 1 of the same input\n" +
        "2 changes are pending: npx veritest review, or accept --all, reject --all\n",
      err: notCompared("2 runs"),
    });
    expect(project.list(".")).not.toContain("__baselines__");
    const pending = await project.veritest(["pending"]);
    expect(pending.out).toContain("veritest import otlp otlp/aa01 (veritest.config.ts): imported from a trace");
    expect(await project.veritest(["accept", "--all", "--reason", "last night"])).toMatchObject({ code: 0, err: "" });
    const stored = project.list(DESK).map((file): unknown => JSON.parse(project.read(`${DESK}/${file}`)));
    expect(stored).toContainEqual(
      expect.objectContaining({
        input: { text: "Refund customer 1." },
        output: { text: "Ada (1) has her 12 back." },
        meta: { grade: "replayable", notCompared: "tools", seen: 2, trace: "otlp/aa01" },
        calls: [
          "model.generate",
          "tools.lookup",
          "model.generate",
          "tools.refund",
          "tools.refund",
          "model.generate",
        ].map((adapter) => expect.objectContaining({ adapter })),
      }),
    );
    expect(await project.veritest(["replay"])).toMatchObject({ code: 0 });
    expect((await project.veritest(["log", "--json"])).out).toMatch(/"from": ?"otlp\/aa0[12]"/);
  });

  test("notes in an accepted case that its requests differ from the traced ones", { tags: "deep" }, async () => {
    project.write("steps/mood.json", '{ "system": "You are a good desk." }');
    await project.veritest(["import", "otlp", "traces.jsonl", "--limit", "1"]);
    expect(await project.veritest(["accept", "--all", "--reason", "the new prompt"])).toMatchObject({ code: 0 });
    const [file = ""] = project.list(DESK);
    expect(JSON.parse(project.read(`${DESK}/${file}`))).toMatchObject({
      meta: {
        grade: "request-differs",
        trace: "otlp/aa01",
        differences: 'request 1 (and 2 more), message 1, system: "You are a desk." → "You are a good desk."',
      },
    });
    expect(await project.veritest(["replay"])).toMatchObject({ code: 0 });
  });

  test("a second import adds no update, whether the first ones are pending or accepted", { tags: "deep" }, async () => {
    await project.veritest(["import", "otlp", "traces.jsonl"]);
    const waiting = (await project.veritest(["pending", "--json"])).out;
    expect((await project.veritest(["import", "otlp", "traces.jsonl"])).out).toBe(
      "3 runs: 0 pending, 2 already pending, 1 of the same input\n",
    );
    expect((await project.veritest(["pending", "--json"])).out).toBe(waiting);
    await project.veritest(["accept", "--all"]);
    expect((await project.veritest(["import", "otlp", "traces.jsonl"])).out).toBe(
      "3 runs: 0 pending, 3 with a baseline\n",
    );
  });

  test("two concurrent imports lose no update", { tags: "deep" }, async () => {
    project.write("more.jsonl", textOf(exportedRun("bb01", 1), exportedRun("bb02", 5), exportedRun("bb03", 6)));
    const both = await Promise.all([
      project.spawned(["import", "otlp", "traces.jsonl"]),
      project.spawned(["import", "otlp", "more.jsonl"]),
    ]);
    // The later one doesn't compare the run that both have, if the other one has staged it by then.
    const [two, three] = both.map(({ code, err }) => ({ code, err }));
    expect([
      { code: 0, err: notCompared("1 run") },
      { code: 0, err: notCompared("2 runs") },
    ]).toContainEqual(two);
    expect([
      { code: 0, err: notCompared("2 runs") },
      { code: 0, err: notCompared("3 runs") },
    ]).toContainEqual(three);
    await project.veritest(["accept", "--all"]);
    const asked = project.list(DESK).map((file) => /Refund customer \d/.exec(project.read(`${DESK}/${file}`))?.[0]);
    expect(new Set(asked)).toEqual(new Set([1, 2, 5, 6].map((customer) => `Refund customer ${customer}`)));
  });

  test("keeps input and output if calls are missing, reports those, and doesn't call it a replay", async () => {
    const records = recordsOf(exportedRun("aa01"), otlpStyle).filter(({ of }, at) => of !== "model" || at > 1);
    project.write("traces.jsonl", otlpStyle.file(records.map(({ record }) => record)));
    const { code, out } = await project.veritest(["import", "otlp", "traces.jsonl"]);
    expect(code).toBe(0);
    expect(out).toBe(
      "compare-only  otlp/aa01 desk: the model's responses before the first request in the trace\n" +
        "1 run: 1 pending (1 without calls)\n" +
        "1 change is pending: npx veritest review, or accept --all, reject --all\n",
    );
    await project.veritest(["accept", "--all"]);
    const [file = ""] = project.list(DESK);
    expect(JSON.parse(project.read(`${DESK}/${file}`))).toMatchObject({
      input: { text: "Refund customer 7." },
      output: { text: "Ada (7) has her 12 back." },
      calls: [],
      meta: { grade: "compare-only", missing: "the model's responses before the first request in the trace" },
    });
  });

  test("finds steps by their configured names or --step, and lists the traced names if none matches", async () => {
    const renamed = textOf(exportedRun("aa01")).replaceAll('"desk"', '"bureau"');
    project.write("traces.jsonl", renamed);
    const none = await project.veritest(["import", "otlp", "traces.jsonl"]);
    expect(none).toEqual({
      code: 2,
      out: "",
      err: 'veritest: No selected trace belongs to a step. The traces contain the names "bureau", "chat gpt-5", "execute_tool lookup", "execute_tool refund". Set the step: traces: { steps: { "bureau": "desk" } }, or --step desk.\n',
    });
    expect((await project.veritest(["import", "otlp", "traces.jsonl", "--step", "desk", "--dry-run"])).out).toContain(
      "1 run: 1 would be pending\n",
    );
    const mapped = tracedProject('traces: { steps: { bureau: "desk" } }');
    mapped.write("traces.jsonl", renamed);
    expect((await mapped.veritest(["import", "otlp", "traces.jsonl"])).out).toContain("1 run: 1 pending\n");
    const wrong = tracedProject('traces: { steps: { bureau: "dask" } }');
    wrong.write("traces.jsonl", renamed);
    expect((await wrong.veritest(["import", "otlp", "traces.jsonl"])).err).toBe(
      'veritest: The configuration doesn\'t have a step named "dask". Similar: "desk", "sort".\n',
    );
  });

  test("selects runs by time, number and sample", async () => {
    const runs = async (...more: readonly string[]): Promise<string> =>
      (await project.veritest(["import", "otlp", "traces.jsonl", "--dry-run", ...more])).out.split("\n").at(-2) ?? "";
    expect(await runs("--limit", "2")).toBe("2 runs: 2 would be pending");
    expect(await runs("--sample", "1")).toBe("1 run: 1 would be pending");
    expect(await runs("--since", "2025-01-01")).toBe("3 runs: 2 would be pending, 1 of the same input");
    expect(await project.veritest(["import", "otlp", "traces.jsonl", "--limit", "0"])).toEqual({
      code: 2,
      out: "",
      err: 'veritest: --limit must be an integer of at least 1, got "0".\n',
    });
    expect((await project.veritest(["import", "otlp", "traces.jsonl", "--since", "2026-01-01"])).err).toContain(
      "No selected trace belongs to a step.",
    );
  });

  test("reads a pipe once, as it arrives", async () => {
    const text = textOf(exportedRun("aa01", 1), exportedRun("aa02", 2));
    expect(await project.veritest(["import", "otlp", "-", "--dry-run"], {}, text)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\n2 runs: 2 would be pending\n$/),
      err: notCompared("2 runs"),
    });
    expect(await project.veritest(["import", "otlp", "-", "--dry-run"], {}, text.slice(0, -50))).toMatchObject({
      code: 2,
      out: expect.stringMatching(/\n2 runs: 2 would be pending .*\n$/),
      err: `veritest: The piped input ends in the middle of a record, so it is incomplete.\n${notCompared("1 run")}`,
    });
    expect(await project.veritest(["import", "otlp", "-", "--sample", "1"], {}, text)).toEqual({
      code: 2,
      out: "",
      err: "veritest: --sample reads the traces twice, which isn't possible for piped input. Pass a file.\n",
    });
  });

  test("redacts secrets before it writes", { tags: "deep" }, async () => {
    const secrets = PLANTED_SECRETS.map(({ secret }) => secret);
    const texts = PLANTED_SECRETS.map(({ text }) => text).join("\n");
    const run = exportedRun("aa01");
    project.write("traces.jsonl", textOf({ ...run, question: `Refund.\n${texts}`, answer: `Done.\n${texts}` }));
    expect((await project.veritest(["import", "otlp", "traces.jsonl"])).out).toContain("1 run: 1 pending");
    const { out } = await project.veritest(["pending", "--json"]);
    await project.veritest(["accept", "--all"]);
    const [file = ""] = project.list(DESK);
    const written = out + project.read(`${DESK}/${file}`);
    expect(secrets.filter((secret) => written.includes(secret))).toEqual([]);
  });

  test.each<[what: string, bytes: Buffer, says: string]>([
    [
      "packed by gzip, whatever it unpacks to",
      gzipSync(Buffer.alloc(50_000_000)),
      "traces.jsonl is compressed with gzip. Unpack it first: gunzip -c <file> | npx veritest import <source> -.",
    ],
    [
      "packed by zip",
      Buffer.from("504b0304140000000800", "hex"),
      "traces.jsonl is compressed with zip. Unpack it first: unzip -p <file> | npx veritest import <source> -.",
    ],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), "traces.jsonl is not UTF-8."],
    ["deep", Buffer.from("[".repeat(1_000_000)), "traces.jsonl is nested more than 128 levels deep."],
    [
      "full of prototype keys",
      Buffer.from('{"traceId":"a","spanId":"b","__proto__":{"x":1}}'),
      "traces.jsonl has a key named __proto__.",
    ],
    [
      "one line without an end",
      Buffer.from(`{"a":"${"x".repeat(20_000_000)}`),
      "traces.jsonl contains a record of more than 16 MiB, or one without an end.",
    ],
    [
      "no protobuf after all",
      Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      "traces.jsonl isn't OTLP in protobuf.",
    ],
  ])("reports a file that is %s in one line", { tags: "deep" }, async (_what, bytes, says) => {
    writeFileSync(join(project.root, "traces.jsonl"), bytes);
    const { code, out, err } = await project.veritest(["import", "otlp", "traces.jsonl"]);
    expect({ code, out, err }).toEqual({ code: 2, out: "0 runs: 0 pending\n", err: `veritest: ${says}\n` });
  });

  test("makes no pending updates in CI", async () => {
    const { code, err } = await project.veritest(["import", "otlp", "traces.jsonl"], { CI: "1", VERITEST_ACTOR: "" });
    expect(code).toBe(1);
    expect(err).toContain("CI never writes baselines");
  });

  test("runs a model client on stored responses of any provider, without its own adapters", async () => {
    const completion = {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_764_000_000,
      model: "gpt-5",
      metadata: { step: "sort" },
      choices: [{ index: 0, message: { role: "assistant", content: '{"topic":"billing"}' }, finish_reason: "stop" }],
      messages: [
        { role: "system", content: "Sort." },
        { role: "user", content: "My bill is wrong." },
      ],
    };
    project.write("stored.json", JSON.stringify({ data: [completion] }));
    expect((await project.veritest(["import", "openai", "stored.json"])).out).toMatch(
      /^refused {7}openai\/chatcmpl-1 sort: step "sort" doesn't accept its input/,
    );
    const line = {
      trace: "t1",
      step: "sort",
      input: { letter: "My bill is wrong." },
      output: { topic: "billing" },
      calls: [{ model: "gpt-5", messages: completion.messages, answer: completion }],
    };
    project.write("runs.jsonl", JSON.stringify(line));
    expect((await project.veritest(["import", "jsonl", "runs.jsonl"])).out).toContain("1 run: 1 pending\n");
    await project.veritest(["accept", "--all"]);
    expect(await project.veritest(["replay"])).toMatchObject({ code: 0 });
  });
});
