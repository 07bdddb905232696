import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import { emit, invoke, review, suspend } from "../../../kernel/step/command.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { main } from "../../../command-line.ts";

const directory = mkdtempSync(join(tmpdir(), "veritest-runs-"));
const path = join(directory, "runs.sqlite");
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
let review1 = "";
let suspend1 = "";

beforeAll(async () => {
  const store = unwrap(await openSqliteStore({ path, clock: () => NOW }));
  const commit = {
    workflowId: "claims",
    workflowVersion: "1.0.0",
    stepName: "rate",
    stepId: "rate",
    expectedVersion: 0,
  };
  const commands = [review("Risk is high.", { amount: 9 }), emit("paid", { amount: 9 })];
  const output = { risk: "high", note: "x", "red\u001b[31m": 1 };
  const events = [{ type: "rated" }];
  review1 = unwrap(await store.commit({ ...commit, runId: "run-1", output, events, commands })).blockId ?? "";
  const wait = [suspend({ reason: "A name is missing.", checkpoint: { at: 1 } })];
  suspend1 =
    unwrap(await store.commit({ ...commit, runId: "run-2", output: {}, events, commands: wait })).blockId ?? "";
  unwrap(await store.commit({ ...commit, runId: "run-3", output: {}, events, commands: [invoke("next", 1)] }));
  unwrap(
    await store.setOverlay({
      workflowId: "claims",
      runId: "run-3",
      expectedVersion: 1,
      reason: "r",
      actor: "ann",
      overlay: { risk: "low", gone: undefined },
    }),
  );
  await store.close();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function veritest(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const code = await main(argv, {
    stdout: { write: (text: string) => (said.out += text) },
    stderr: { write: (text: string) => (said.err += text) },
    stdin: Readable.from([]),
    environment: { VERITEST_STORE: `sqlite:${path}`, USER: "ben" },
    cwd: directory,
  });
  return { code, ...said };
}

test("lists runs, and filters them by status", async () => {
  expect((await veritest("runs", "list")).out).toBe(
    [
      "blocked    2026-01-02T03:04:05Z  claims 1.0.0  run-1  version 1",
      "blocked    2026-01-02T03:04:05Z  claims 1.0.0  run-2  version 1",
      "running    2026-01-02T03:04:05Z  claims 1.0.0  run-3  version 2",
      "",
    ].join("\n"),
  );
  const { out } = await veritest("runs", "list", "--status", "running", "--json");
  expect(JSON.parse(out)).toMatchObject([{ runId: "run-3", status: "running", version: 2 }]);
  expect((await veritest("runs", "list", "--status", "failed")).out).toBe("No runs.\n");
});

test("shows a run with its layers, its history and its open commands", async () => {
  const { out } = await veritest("runs", "show", "run-3");
  expect(out.replaceAll(/[0-9a-f]{8}…/g, "<key>…")).toBe(
    [
      "claims 1.0.0  run-3  running, version 2",
      "",
      "State (computed, overlay, effective)",
      "  gone: –  ← removed by a person",
      '  risk: –  ← "low" set by a person',
      "",
      "History",
      "    1  2026-01-02T03:04:05Z  step rate  [rated]  → invoke",
      "    2  2026-01-02T03:04:05Z  overlay overlay  [overlay.set]",
      "",
      "To do",
      "  pending     invoke next  0 attempts  sha256:<key>…",
      "",
    ].join("\n"),
  );
  const shown: unknown = JSON.parse((await veritest("runs", "show", "run-3", "--json")).out);
  expect(shown).toMatchObject({ run: { overlay: { risk: "low" }, removed: ["gone"], effective: { risk: "low" } } });
});

test("shows values that JSON lacks in their stored form", async () => {
  const store = unwrap(await openSqliteStore({ path, clock: () => NOW }));
  const step = { workflowId: "dates", workflowVersion: "1.0.0", stepName: "rate", stepId: "rate", events: [] };
  const commands = [suspend({ reason: "wait", checkpoint: new Map([["a", 1n]]) })];
  const output = { at: new Date(NOW), rate: Number.NaN };
  unwrap(await store.commit({ ...step, runId: "run-4", expectedVersion: 0, output, commands }));
  await store.close();
  const { out } = await veritest("runs", "show", "run-4");
  expect(out).toContain('  at: {"$t":"date","v":"2026-01-02T03:04:05.000Z"}\n  rate: {"$t":"nan"}\n');
  expect(out).toContain('{"$t":"map","v":[["a",{"$t":"bigint","v":"1"}]]}');
  const at = { $t: "date", v: "2026-01-02T03:04:05.000Z" };
  const shown: unknown = JSON.parse((await veritest("runs", "show", "run-4", "--json")).out);
  expect(shown).toMatchObject({
    run: { computed: { at, rate: { $t: "nan" } } },
    entries: [{ output: { at } }],
    blocks: [{ checkpoint: { $t: "map", v: [["a", { $t: "bigint", v: "1" }]] } }],
  });
  const [blockId = ""] = /(?<=resolve )sha256:\S+/.exec(out) ?? [];
  await veritest("runs", "resolve", blockId, "--resume", JSON.stringify({ due: at }), "--reason", "r");
  const reopened = unwrap(await openSqliteStore({ path }));
  expect(unwrap(await reopened.blocks.get(blockId))?.resolution?.decision).toEqual({
    kind: "resume",
    data: { due: new Date(NOW) },
  });
  await reopened.close();
});

test("escapes terminal control characters", async () => {
  const { out } = await veritest("runs", "show", "run-1");
  expect(out).toContain("  red\\u001b[31m: 1");
});

/** Put together at run time, so that no scanner takes this file for a leak. */
const KEY = ["gh", "p_", "a1B2c3D4e5".repeat(4)].join("");

test("lists blocked runs, and resolves each once", async () => {
  const { out } = await veritest("runs", "blocked");
  expect(out).toContain("review of claims/run-1 by rate, since 2026-01-02T03:04:05Z: Risk is high.\n");
  expect(out).toContain(`  npx veritest runs resolve ${suspend1} --reason <text> --resume <json>\n`);
  const decisions = "--approve, --reject or --override <json>";
  expect(out).toContain(`  npx veritest runs resolve ${review1} --reason <text> ${decisions}\n`);
  const resolve = ["runs", "resolve", review1, "--override", '{"risk":"low"}', "--reason", `a typo in ${KEY}`];
  expect(await veritest(...resolve)).toEqual({
    code: 0,
    out: "review of claims/run-1 resolved: override. A runner continues the run.\n",
    err: "",
  });
  expect(await veritest(...resolve)).toMatchObject({
    code: 1,
    out: "The block was already resolved. The run is unchanged.\n",
  });
  const shown: unknown = JSON.parse((await veritest("runs", "show", "run-1", "--json")).out);
  expect(shown).toMatchObject({
    run: { effective: { risk: "low", note: "x" } },
    blocks: [
      {
        resolution: {
          actor: "ben",
          reason: expect.stringMatching(/^a typo in «redacted:github-token#\d+»$/),
          decision: { kind: "override", patch: { risk: "low" } },
        },
      },
    ],
    commands: [{ target: "paid", status: "pending" }],
  });
});

describe("a run that failed", () => {
  const store = `sqlite:${join(directory, "ended.sqlite")}`;
  const at = ["--store", store];

  async function failedRun(runId: string): Promise<void> {
    const opened = unwrap(await openSqliteStore({ path: store.slice("sqlite:".length), clock: () => NOW }));
    unwrap(await opened.start({ workflowId: "claims", workflowVersion: "1.0.0", runId, step: "rate", input: 1 }));
    const [row] = unwrap(await opened.outbox.lease({ owner: "w", limit: 1, leaseMs: 1000 }));
    const error = { code: "busy", message: "Not now." };
    unwrap(await opened.outbox.markFailed({ owner: "w", key: row?.key ?? "", error }));
    await opened.close();
  }

  test("can be retried once, cancelled and deleted", async () => {
    await failedRun("run-1");
    const because = ["--reason", "the service is back", ...at];
    expect(await veritest("runs", "retry", "run-1", ...because)).toEqual({
      code: 0,
      out: "claims/run-1: 1 command is pending again. A runner executes them.\n",
      err: "",
    });
    expect(await veritest("runs", "retry", "run-1", ...because)).toMatchObject({
      code: 1,
      out: "claims/run-1 is running and has no failed command.\n",
    });
    expect(await veritest("runs", "delete", "run-1", ...at)).toMatchObject({
      code: 2,
      err:
        'veritest: Run "run-1" is running, so it can\'t be deleted. ' +
        "Cancel it first: npx veritest runs cancel <id> --reason <text>.\n",
    });
    expect((await veritest("runs", "cancel", "run-1", ...because)).out).toBe("claims/run-1 is cancelled.\n");
    const shown = (await veritest("runs", "show", "run-1", ...at)).out;
    expect(shown).toContain("retry retry  [run.retried]");
    expect(shown).toContain("cancel cancel  [run.cancelled]");
    expect((await veritest("runs", "delete", "run-1", ...at)).out).toBe("claims/run-1 is deleted.\n");
    expect((await veritest("runs", "list", ...at)).out).toBe("No runs.\n");
  });

  test("is deleted by `runs prune` once it is old", async () => {
    await failedRun("run-2");
    await failedRun("run-3");
    expect((await veritest("runs", "prune", "--older-than", "2026-01-01", ...at)).out).toBe("0 runs are deleted.\n");
    const completed = await veritest("runs", "prune", "--older-than", "1d", "--status", "completed", ...at);
    expect(completed.out).toBe("0 runs are deleted.\n");
    expect((await veritest("runs", "prune", "--older-than", "1d", "--json", ...at)).out).toBe('{\n  "pruned": 2\n}\n');
  });
});

test("a run that waits for its version is listed by its status, and shown with the reason", async () => {
  const store = join(directory, "versions.sqlite");
  const opened = unwrap(await openSqliteStore({ path: store, clock: () => NOW }));
  unwrap(await opened.start({ workflowId: "claims", workflowVersion: "0.9.0", runId: "old", step: "rate", input: 1 }));
  const [row] = unwrap(await opened.outbox.lease({ owner: "w", limit: 1, leaseMs: 1000 }));
  const error = { code: "unknown_version", message: "The run needs 0.9.0, so it waits." };
  const mark = { owner: "w", key: row?.key ?? "", error, retryMs: 1000, uncounted: true };
  unwrap(await opened.outbox.markFailed(mark));
  await opened.close();
  const at = ["--store", `sqlite:${store}`];
  expect((await veritest("runs", "list", "--status", "unknown_version", ...at)).out).toBe(
    "unknown_version  2026-01-02T03:04:05Z  claims 0.9.0  old  version 1\n",
  );
  const { out } = await veritest("runs", "show", "old", ...at);
  expect(out).toContain("claims 0.9.0  old  unknown_version, version 1\n");
  expect(out).toMatch(
    /\nTo do\n {2}pending {5}invoke rate {2}0 attempts {2}sha256:\w+… {2}unknown_version: The run needs 0\.9\.0, so it waits\.\n/,
  );
});

const BAD: readonly (readonly [readonly string[], string])[] = [
  [["runs", "show"], "veritest: missing required argument 'run'. See: veritest runs show --help\n"],
  [["runs", "retry", "run-1"], "veritest: Add a reason: --reason <text>. It is stored with the run.\n"],
  [["runs", "cancel"], "veritest: missing required argument 'run'. See: veritest runs cancel --help\n"],
  [["runs", "prune"], "veritest: runs prune deletes ended runs. Add --older-than 90d, or a date.\n"],
  [["runs", "show", "nope"], 'veritest: There is no run "nope". To list runs, run: npx veritest runs list\n'],
  [
    ["runs", "list", "--since", "soon"],
    'veritest: "soon" is neither a date nor a time span. Use a value such as 2026-05-01, 30m, 6h or 2d.\n',
  ],
  [["runs", "list", "--limit", "many"], 'veritest: --limit must be an integer of at least 1, got "many".\n'],
  [["runs", "list", "--limit", "0"], 'veritest: --limit must be an integer of at least 1, got "0".\n'],
  [
    ["runs", "list", "--store", "mysql://x"],
    "veritest: The URL isn't the URL of a store. Use postgres://user@host:5432/database or sqlite:<path>.\n",
  ],
  ...["sqlite:", "sqlite://", "sqlite: "].flatMap((url) =>
    [
      ["runs", "list"],
      ["store", "init"],
    ].map(
      (command) =>
        [
          [...command, "--store", url],
          "veritest: The path of the SQLite store is empty, so its data would end with the process. Pass the path of a file, e.g. runs.sqlite.\n",
        ] as const,
    ),
  ),
  [
    ["store", "init", "--store", "sqlite::memory:"],
    "veritest: A store in memory ends with the command. Pass a file: --store sqlite:<path>.\n",
  ],
  [
    ["store", "init", "--store", "sqlite:x.sqlite", "--schema", "app"],
    'veritest: --schema only applies to PostgreSQL, and "sqlite:x.sqlite" is a SQLite store. Remove --schema.\n',
  ],
  [
    ["runs", "resolve", "x", "--reason", "r"],
    "veritest: Pass a decision: --approve, --reject, --override <json>, --resume <json>.\n",
  ],
  [["runs", "resolve", "x", "--approve"], "veritest: Add a reason: --reason <text>. It is stored with the run.\n"],
  [["runs", "resolve", "x", "--resume", "{", "--reason", "r"], "veritest: The value isn't JSON: {\n"],
  [
    ["runs", "resolve", "x", "--approve", "--reason", "r"],
    'veritest: Block "x" doesn\'t exist. To list open blocks: npx veritest runs blocked, or blocks.list().\n',
  ],
];

test.each(BAD)("%j reports its usage error", async (argv, message) => {
  expect(await veritest(...argv)).toEqual({ code: 2, out: "", err: message });
});

test("store init creates the tables, and can run again", async () => {
  const url = `sqlite:${join(directory, "new.sqlite")}`;
  for (const round of [1, 2])
    expect([round, await veritest("store", "init", "--store", url)]).toEqual([
      round,
      { code: 0, out: "The store is ready, schema version 3.\n", err: "" },
    ]);
});
