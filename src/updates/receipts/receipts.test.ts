import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { appendToLog, logLine } from "./log-file.ts";
import {
  appendReceipt,
  findReceipt,
  knownHash,
  lastKnownHashes,
  readReceipts,
  receiptsSize,
  shortId,
} from "./receipts.ts";
import { type Receipt, type ReceiptDraft, versions } from "./receipt.ts";

const HASH = (digit: string): string => `sha256:${digit.repeat(64)}`;

function makeDirectory(): string {
  return join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-receipts-"))), "notes");
}

function draft(txId: string, more: Partial<ReceiptDraft> = {}): ReceiptDraft {
  return {
    txId,
    kind: "commit",
    at: "2026-01-02T03:04:05.000Z",
    run: "r1",
    actor: { kind: "human", because: "a terminal" },
    gates: [
      { name: "replay", ok: true, ms: 12.5 },
      { name: "secrets", ok: false, detail: "a key \u001b[2J \ufffd 😀", ms: 3 },
    ],
    changes: [
      { target: `a/${txId}.json`, before: null, after: HASH("a") },
      { target: "gone.json", before: HASH("b"), after: null },
    ],
    versions: { veritest: "0.1.0", node: "24.0.0", platform: "linux-x64" },
    ...more,
  };
}

function written(count: number, directory: string = makeDirectory()): string {
  for (let index = 1; index <= count; index += 1) appendReceipt(directory, draft(`tx-${index}`));
  return directory;
}

function fileIn(directory: string): string {
  return join(directory, "receipts.ndjson");
}

test("appends receipts and reads them back", () => {
  const directory = makeDirectory();
  const full: Partial<ReceiptDraft> = {
    reason: "why",
    scope: "run",
    gitHead: "abc",
    dirty: true,
    runner: { name: "vitest", version: "5.1.1" },
  };
  const first = appendReceipt(directory, draft("tx-1", full));
  const second = appendReceipt(directory, draft("tx-2", { kind: "hold" }));
  expect(first).toStrictEqual({ ...draft("tx-1", full), v: 1, id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  expect(statSync(fileIn(directory)).mode & 0o777).toBe(0o600);
  expect(readReceipts(directory)).toStrictEqual({ values: [first, second], problems: [], torn: 0 });
  expect(readReceipts(directory, { limit: 1 })).toStrictEqual({ values: [second], problems: [], torn: 0 });
});

test("reads a missing file as no receipts", () => {
  const directory = makeDirectory();
  expect(readReceipts(directory)).toStrictEqual({ values: [], problems: [], torn: 0 });
  expect([[...lastKnownHashes(directory)], receiptsSize(directory)]).toStrictEqual([[], 0]);
});

test("keeps the first receipt of a transaction if it is appended again, and one for each kind", () => {
  const directory = makeDirectory();
  const held = appendReceipt(directory, draft("tx-1", { kind: "hold" }));
  written(2, directory);
  expect(appendReceipt(directory, draft("tx-1", { kind: "hold", at: "2030-01-01T00:00:00.000Z" }))).toStrictEqual(held);
  expect(readReceipts(directory).values.map(({ kind, txId }) => `${kind} ${txId}`)).toStrictEqual([
    "hold tx-1",
    "commit tx-1",
    "commit tx-2",
  ]);
});

test("refuses an invalid draft before it writes", () => {
  const directory = makeDirectory();
  expect(() =>
    appendReceipt(directory, draft("tx-1", { gates: [{ name: "slow", ok: true, ms: Number.NaN }] })),
  ).toThrow(new TypeError("appendReceipt: the draft isn't a valid receipt (check its kind and required fields)"));
  expect(readReceipts(directory).values).toStrictEqual([]);
});

test("reports a damaged line and one that isn't a receipt, and reads the others", () => {
  const directory = written(3);
  const path = fileIn(directory);
  writeFileSync(path, readFileSync(path, "utf8").replace("tx-2.json", "tx-x.json"));
  appendToLog(path, logLine({ txId: "tx-4", kind: "commit" }).text, false);
  const next = appendReceipt(directory, draft("tx-5"));
  const { values, problems, torn } = readReceipts(directory);
  expect(values.map(({ txId }) => txId)).toStrictEqual(["tx-1", "tx-3", "tx-5"]);
  expect(values.at(-1)).toStrictEqual(next);
  expect([problems, torn]).toStrictEqual([
    [
      "receipts.ndjson, line 2: its checksum doesn't match",
      "receipts.ndjson, line 4: it doesn't have the fields of a receipt",
    ],
    0,
  ]);
});

test("reports receipts of an older format", () => {
  const directory = written(1);
  const old = join(dirname(directory), "receipts");
  mkdirSync(old);
  expect(readReceipts(directory)).toMatchObject({
    values: [{ txId: "tx-1" }],
    problems: [`${old}: its format is too old to read. Delete it`],
  });
});

test("appends a receipt that was cut off again, but not one without its line feed", () => {
  const directory = written(2);
  const path = fileIn(directory);
  const text = readFileSync(path, "utf8");
  const second = readReceipts(directory).values[1];
  for (const end of [text.length, text.length - 1, text.length - 2, text.indexOf("\n") + 1]) {
    writeFileSync(path, text.slice(0, end));
    expect(appendReceipt(directory, draft("tx-2"))).toStrictEqual(second);
    expect(appendReceipt(directory, draft("tx-3")).txId).toBe("tx-3");
    expect(readReceipts(directory)).toMatchObject({
      values: [{ txId: "tx-1" }, { txId: "tx-2" }, { txId: "tx-3" }],
      problems: [],
      torn: end === text.length - 2 ? 1 : 0,
    });
  }
});

test("reads the first of two receipts that two processes wrote at once for a transaction", () => {
  const directory = written(1);
  const [first, second] = ["human", "ci"].map((because) => logLine(draft("tx-2", { actor: { kind: "ci", because } })));
  appendToLog(fileIn(directory), `${first?.text}${second?.text}`, false);
  expect(readReceipts(directory).values.slice(1)).toStrictEqual([first?.value]);
  expect(appendReceipt(directory, draft("tx-2"))).toStrictEqual(first?.value);
});

test("reads only what was appended since the given size", () => {
  const directory = written(3);
  const from = receiptsSize(directory);
  const [first] = readReceipts(directory).values;
  const theirs = appendReceipt(directory, draft("tx-4"));
  appendReceipt(directory, draft("tx-5"));
  expect(appendReceipt(directory, draft("tx-4"), from)).toStrictEqual(theirs);
  const again = appendReceipt(directory, draft("tx-1", { reason: "again" }), from);
  expect(again).not.toStrictEqual(first);
  // After the file was removed its size tells nothing.
  writeFileSync(fileIn(directory), "");
  const alone = appendReceipt(directory, draft("tx-4"), from);
  expect(readReceipts(directory).values).toStrictEqual([alone]);
});

test("finds a receipt by the first characters of its id", () => {
  const directory = written(20);
  const { values: receipts } = readReceipts(directory);
  const [first] = receipts;
  if (first === undefined) throw new Error("expected receipts");
  for (const prefix of [first.id, first.id.slice(7), shortId(first), first.id.slice(0, 19)]) {
    expect(findReceipt(directory, prefix)).toStrictEqual({ ok: true, value: first });
  }
  expect(findReceipt(directory, "zz\u001b")).toStrictEqual({
    ok: false,
    error: 'There is no receipt "zz\\u001b". To list them, run: npx veritest log',
  });
  expect(findReceipt(directory, "")).toStrictEqual({
    ok: false,
    error: 'There is no receipt "". To list them, run: npx veritest log',
  });
  const [digit = "", same] = twoAlike(receipts);
  expect(findReceipt(directory, digit)).toStrictEqual({
    ok: false,
    error: `${same?.length} receipts begin with "${digit}": ${same?.slice(0, 5).map(shortId).join(", ")}. Pass more characters of the ID.`,
  });
});

/** Of more than 16 receipts two begin alike. */
function twoAlike(receipts: readonly Receipt[]): [string, Receipt[]] | [] {
  for (const digit of "0123456789abcdef") {
    const same = receipts.filter(({ id }) => id.startsWith(`sha256:${digit}`));
    if (same.length > 1) return [digit, same];
  }
  return [];
}

test("knows the hashes of content that veritest wrote, and no others", () => {
  const directory = makeDirectory();
  const change = (target: string, after: string | null): Partial<ReceiptDraft> => ({
    changes: [{ target, before: null, after }],
  });
  appendReceipt(directory, draft("1", change("committed.json", HASH("1"))));
  appendReceipt(directory, draft("2", { ...change("accepted.json", HASH("2")), kind: "accept" }));
  appendReceipt(directory, draft("3", { ...change("held.json", HASH("3")), kind: "hold" }));
  appendReceipt(directory, draft("4", change("removed.json", null)));
  expect([...lastKnownHashes(directory)]).toStrictEqual([
    knownHash("committed.json", HASH("1")),
    knownHash("accepted.json", HASH("2")),
  ]);
});

test("names the versions that are in use", () => {
  expect(versions()).toStrictEqual({
    veritest: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  });
});

test("concurrent processes lose and mix no receipts, and write one for each transaction", {
  tags: "deep",
}, async () => {
  const directory = makeDirectory();
  const at = Date.now() + 1500;
  const shared = Array.from({ length: 10 }, (_, index) => draft(`shared-${index}`));
  const codes = await Promise.all(
    [1, 2, 3, 4].map(async (process) => {
      const drafts = Array.from({ length: 20 }, (_, index) => draft(`tx-${process}-${index}`));
      return appendInProcess(directory, [...shared, ...drafts], at);
    }),
  );
  expect(codes).toStrictEqual([0, 0, 0, 0]);
  const { values, problems, torn } = readReceipts(directory);
  expect([problems, torn]).toStrictEqual([[], 0]);
  expect(values).toHaveLength(90);
  expect(new Set(values.map(({ txId }) => txId)).size).toBe(90);
});

/** Appends drafts in a process of its own as soon as the clock shows `at`, so that several do so at once. */
async function appendInProcess(directory: string, drafts: readonly ReceiptDraft[], at: number): Promise<number | null> {
  const script = `
    const { appendReceipt } = await import(${JSON.stringify(join(import.meta.dirname, "receipts.ts"))});
    while (Date.now() < ${at});
    for (const draft of ${JSON.stringify(drafts)}) appendReceipt(${JSON.stringify(directory)}, draft);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve) => {
    child.on("exit", resolve);
  });
}
