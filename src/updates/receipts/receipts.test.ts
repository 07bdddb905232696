import { spawn } from "node:child_process";
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { appendReceipt } from "./append-receipt.ts";
import { knownHash, lastKnownHashes, findReceipt, readReceipts, shortId } from "./receipt-chain.ts";
import { openNotes } from "./open-notes.ts";
import { type Receipt, type ReceiptDraft, versions } from "./receipt.ts";
import { receiptsDirectory } from "../../kernel/files/places.ts";
import { verifyReceipts } from "./verify-receipts.ts";

const HASH = (digit: string): string => `sha256:${digit.repeat(64)}`;

function makeDirectory(): string {
  return join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-receipts-"))), "receipts");
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

function chain(length: number, directory: string = makeDirectory()): string {
  for (let index = 1; index <= length; index += 1) appendReceipt(directory, draft(`tx-${index}`));
  return directory;
}

async function problems(directory: string, notes?: string): Promise<readonly string[]> {
  return (await verifyReceipts(directory, notes)).problems;
}

test("receipts are beside the notes", () => {
  expect(
    receiptsDirectory({
      root: "/p",
      area: "/p",
      state: "/p/.veritest",
      notes: join("/p", ".git", "veritest", "notes"),
    }),
  ).toBe(join("/p", ".git", "veritest", "receipts"));
});

test("appends whole settlements and reads them back, each linked to the one before", async () => {
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
  expect(first).toStrictEqual({
    ...draft("tx-1", full),
    version: 1,
    seq: 1,
    id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    parent: null,
  });
  expect(second).toMatchObject({ seq: 2, parent: first.id });
  expect(readdirSync(directory)).toStrictEqual(["000000001.json", "000000002.json"]);
  expect(statSync(join(directory, "000000001.json")).mode & 0o777).toBe(0o600);
  expect(readReceipts(directory)).toStrictEqual({ receipts: [first, second], problems: [] });
  expect(await verifyReceipts(directory)).toStrictEqual({ receipts: [first, second], problems: [] });
});

test("no receipts yet are none", async () => {
  const directory = makeDirectory();
  expect(readReceipts(directory)).toStrictEqual({ receipts: [], problems: [] });
  expect(await verifyReceipts(directory, join(directory, "..", "notes"))).toStrictEqual({ receipts: [], problems: [] });
  expect([...lastKnownHashes(directory)]).toStrictEqual([]);
});

test("a settlement that is appended again keeps its first receipt; another kind of the same transaction gets its own", () => {
  const directory = makeDirectory();
  const held = appendReceipt(directory, draft("tx-1", { kind: "hold" }));
  chain(2, directory);
  expect(appendReceipt(directory, draft("tx-1", { kind: "hold", at: "2030-01-01T00:00:00.000Z" }))).toStrictEqual(held);
  expect(readReceipts(directory).receipts.map(({ kind, txId }) => `${kind} ${txId}`)).toStrictEqual([
    "hold tx-1",
    "commit tx-1",
    "commit tx-2",
  ]);
});

test("a draft that is none is refused before anything is written", () => {
  const directory = makeDirectory();
  expect(() =>
    appendReceipt(directory, draft("tx-1", { gates: [{ name: "slow", ok: true, ms: Number.NaN }] })),
  ).toThrow(new TypeError("appendReceipt: the draft does not have the fields of a receipt"));
  expect(readReceipts(directory).receipts).toStrictEqual([]);
});

test("finds any one changed byte", async () => {
  const whole = chain(5);
  const names = readdirSync(whole);
  const change = fc.record({
    name: fc.constantFrom(...names),
    place: fc.nat(),
    bits: fc.integer({ min: 1, max: 255 }),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ name, place, bits }) => {
      const path = join(whole, name);
      const bytes = readFileSync(path);
      const changed = Buffer.from(bytes);
      const index = place % bytes.length;
      changed[index] = (bytes[index] ?? 0) ^ bits;
      writeFileSync(path, changed);
      const found = await problems(whole);
      writeFileSync(path, bytes);
      expect(found.length).toBeGreaterThan(0);
      expect(found[0]).toMatch(new RegExp(`^${name}: `));
    }),
    { numRuns: 1000 },
  );
  expect(await problems(whole)).toStrictEqual([]);
});

test.each<[string, (directory: string) => void, string[]]>([
  [
    "a receipt that is gone",
    (directory) => rmSync(join(directory, "000000002.json")),
    ["000000002.json: it is missing"],
  ],
  [
    "several that are gone",
    (directory) => ["000000002.json", "000000003.json"].forEach((name) => rmSync(join(directory, name))),
    ["000000002.json to 000000003.json: they are missing"],
  ],
  [
    "the first that is gone",
    (directory) => rmSync(join(directory, "000000001.json")),
    ["000000001.json: it is missing"],
  ],
  [
    "two that are swapped",
    (directory) => {
      renameSync(join(directory, "000000002.json"), join(directory, "kept"));
      renameSync(join(directory, "000000003.json"), join(directory, "000000002.json"));
      renameSync(join(directory, "kept"), join(directory, "000000003.json"));
    },
    [
      "000000002.json: it is number 3 and belongs into 000000003.json",
      "000000003.json: it is number 2 and belongs into 000000002.json",
    ],
  ],
  [
    "a renamed one",
    (directory) => renameSync(join(directory, "000000004.json"), join(directory, "old.json")),
    ["old.json: it is no receipt and does not belong here"],
  ],
  [
    "one of another chain",
    (directory) => {
      const other = makeDirectory();
      appendReceipt(other, draft("other"));
      chain(3, other);
      renameSync(join(other, "000000003.json"), join(directory, "000000003.json"));
    },
    ["000000003.json: its parent is not 000000002.json", "000000004.json: its parent is not 000000003.json"],
  ],
  [
    "a cut",
    (directory) =>
      writeFileSync(
        join(directory, "000000003.json"),
        readFileSync(join(directory, "000000003.json")).subarray(0, 100),
      ),
    ["000000003.json: it is no JSON"],
  ],
  [
    "other JSON",
    (directory) => writeFileSync(join(directory, "000000003.json"), "{}\n"),
    ["000000003.json: it does not have the fields of a receipt"],
  ],
  [
    "a newer format",
    (directory) => writeFileSync(join(directory, "000000003.json"), '{"version":9}\n'),
    ["000000003.json: it has format 9, newest known 1; update veritest"],
  ],
])("finds %s", async (_what, damage, expected) => {
  const directory = chain(4);
  damage(directory);
  expect(await problems(directory)).toStrictEqual(expected);
});

test("finds a chain cut short at its end by the notes that name what is gone", async () => {
  const directory = chain(2);
  const notes = join(directory, "..", "notes");
  const last = appendReceipt(directory, draft("tx-3"));
  const writer = openNotes({ directory: notes, clock: () => 0 });
  const crc = writer.write({ type: "committed", run: "r1", body: "3 baselines", refs: [last.id, "diff:1"] });
  writer.write({ type: "observation", run: "r1", body: "elsewhere", refs: [HASH("c")] });
  expect(await problems(directory, notes)).toStrictEqual([]);
  rmSync(join(directory, "000000003.json"));
  expect(await problems(directory, notes)).toStrictEqual([
    `${last.id}: it is missing; the note ${crc} of 1970-01-01T00:00:00.000Z (committed) names it`,
  ]);
});

test("a damaged chain goes on, and what was added after the damage is whole", async () => {
  const directory = chain(2);
  writeFileSync(join(directory, "000000002.json"), "damaged");
  utimesSync(join(directory, "000000002.json"), 0, 0);
  symlinkSync("nowhere", join(directory, "000000003.json"));
  const next = appendReceipt(directory, draft("tx-3"));
  expect(next.seq).toBe(4);
  expect(await problems(directory)).toStrictEqual(["000000002.json: it is no JSON", "000000003.json: it is no JSON"]);
});

test("waits for a receipt that has its name before its content, but not for ever", async () => {
  const directory = chain(1);
  const text = readFileSync(join(directory, "000000001.json"));
  const path = join(directory, "000000001.json");
  writeFileSync(path, "");
  const later = spawn(process.execPath, [
    "-e",
    `setTimeout(() => require("fs").writeFileSync(${JSON.stringify(path)}, Buffer.from("${text.toString("base64")}", "base64")), 300)`,
  ]);
  appendReceipt(directory, draft("tx-2"));
  expect(await problems(directory)).toStrictEqual([]);
  writeFileSync(join(directory, "000000003.json"), "");
  expect(appendReceipt(directory, draft("tx-3")).seq).toBe(4);
  later.kill();
});

test("removes what a writer left that died long ago, and leaves alone what may be at work", async () => {
  const directory = chain(1);
  const [old, fresh] = [".000000002.json.0-a.tmp", ".000000002.json.0-b.tmp"];
  for (const name of [old, fresh]) writeFileSync(join(directory, name), "");
  utimesSync(join(directory, old), 0, 0);
  appendReceipt(directory, draft("tx-2"));
  expect(readdirSync(directory)).toStrictEqual([fresh, "000000001.json", "000000002.json"]);
  expect(await problems(directory)).toStrictEqual([]);
});

test("finds a receipt by the beginning of its id", () => {
  const directory = chain(20);
  const { receipts } = readReceipts(directory);
  const [first] = receipts;
  if (first === undefined) throw new Error("expected receipts");
  for (const prefix of [first.id, first.id.slice(7), shortId(first), first.id.slice(0, 19)]) {
    expect(findReceipt(directory, prefix)).toStrictEqual({ ok: true, value: first });
  }
  expect(findReceipt(directory, "zz\u001b")).toStrictEqual({
    ok: false,
    error: 'There is no receipt "zz\\u001b". List them with: veritest log',
  });
  expect(findReceipt(directory, "")).toStrictEqual({
    ok: false,
    error: 'There is no receipt "". List them with: veritest log',
  });
  const [digit = "", same] = twoAlike(receipts);
  expect(findReceipt(directory, digit)).toStrictEqual({
    ok: false,
    error: `${same?.length} receipts begin with "${digit}": ${same?.slice(0, 5).map(shortId).join(", ")}. Give more of the id.`,
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

test("knows the content that veritest wrote, and no other", () => {
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

test("names the versions it runs on", () => {
  expect(versions()).toStrictEqual({
    veritest: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  });
});

/** Appends drafts in a process of its own as soon as the clock shows `at`, so that several do so at once. */
async function appendInProcess(
  directory: string,
  drafts: readonly ReceiptDraft[],
  more: { readonly at: number; readonly before?: string },
): Promise<number | null> {
  const script = `${more.before ?? ""}
    const { appendReceipt } = await import(${JSON.stringify(join(import.meta.dirname, "append-receipt.ts"))});
    while (Date.now() < ${more.at});
    for (const draft of ${JSON.stringify(drafts)}) appendReceipt(${JSON.stringify(directory)}, draft);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve) => {
    child.on("exit", resolve);
  });
}

const NO_LINKS = `
  const fs = (await import("node:fs")).default;
  fs.linkSync = () => { throw Object.assign(new Error("EPERM"), { code: "EPERM" }); };
  (await import("node:module")).syncBuiltinESMExports();`;

test.each([
  ["", "with links"],
  [NO_LINKS, "without links"],
])("processes that append at once make one chain and keep each settlement once %#", async (before) => {
  const directory = makeDirectory();
  const at = Date.now() + 1500;
  const drafts = (process: number): ReceiptDraft[] =>
    Array.from({ length: 10 }, (_, index) => [draft(`tx-${process}-${index}`), draft(`shared-${index}`)]).flat();
  const codes = await Promise.all(
    [1, 2, 3, 4].map((process) => appendInProcess(directory, drafts(process), { at, before })),
  );
  expect(codes).toStrictEqual([0, 0, 0, 0]);
  const { receipts, problems: found } = await verifyReceipts(directory);
  expect(found).toStrictEqual([]);
  expect(receipts).toHaveLength(50);
  expect(new Set(receipts.map(({ txId }) => txId)).size).toBe(50);
  expect(readdirSync(directory)).toHaveLength(50);
});
