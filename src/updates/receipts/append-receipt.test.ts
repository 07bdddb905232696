import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { appendReceipt, newestReceipt } from "./append-receipt.ts";
import { type ReceiptDraft, versions } from "./receipt.ts";
import { receiptFileName } from "./receipt-chain.ts";

function makeDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-append-")));
}

function draft(txId: string): ReceiptDraft {
  return {
    txId,
    kind: "commit",
    at: "2026-01-02T03:04:05.000Z",
    run: "r",
    actor: { kind: "human", because: "a test" },
    gates: [],
    changes: [],
    versions: versions(),
  };
}

function filesOf(directory: string): string[] {
  return readdirSync(directory)
    .toSorted()
    .map((name) => `${name}: ${readFileSync(join(directory, name), "utf8")}`);
}

test("the newest number is that of the names, whatever else is there", () => {
  const directory = makeDirectory();
  expect([newestReceipt(directory), newestReceipt(join(directory, "none"))]).toStrictEqual([0, 0]);
  for (const name of ["000000009.json", "000000010.json", ".000000011.json.0-a.tmp", "12.json", "000000013.json.old"])
    writeFileSync(join(directory, name), "");
  expect(newestReceipt(directory)).toBe(10);
});

test("a directory of receipts that is a link is refused, and its target stays as it was", () => {
  const [directory, outside] = [join(makeDirectory(), "receipts"), makeDirectory()];
  symlinkSync(outside, directory);
  expect(() => appendReceipt(directory, draft("tx-1"))).toThrow(
    new Error(`Refused to touch ${directory}: it is a symbolic link. Replace it by a real directory.`),
  );
  expect(readdirSync(outside)).toStrictEqual([]);
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("append" as const),
      tx: fc.integer({ min: 1, max: 6 }),
      back: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("remove newest" as const, "damage newest" as const, "remove all" as const),
    }),
  },
);

test("told what is older, it writes what it would write after reading everything", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
      const [plain, told] = [makeDirectory(), makeDirectory()];
      let before = 0;
      for (const each of steps) {
        const newest = newestReceipt(plain);
        if (each.kind === "append") {
          // What may be told: a number taken before the transaction's own receipt, also one that is gone since.
          const own = readdirSync(plain)
            .filter((name) => readFileSync(join(plain, name), "utf8").includes(`"tx-${each.tx}"`))
            .map((name) => Number(name.slice(0, 9)));
          const since = Math.max(
            0,
            own.length === 0 ? Math.max(before, newest) - each.back : Math.min(...own) - 1 - each.back,
          );
          expect(appendReceipt(told, draft(`tx-${each.tx}`), since)).toStrictEqual(
            appendReceipt(plain, draft(`tx-${each.tx}`)),
          );
        } else for (const directory of [plain, told]) disturb(directory, each.kind, newest);
        before = Math.max(before, newest);
        expect(filesOf(told)).toStrictEqual(filesOf(plain));
      }
      for (const directory of [plain, told]) rmSync(directory, { recursive: true });
    }),
    { numRuns: 60 },
  );
});

function disturb(directory: string, how: "remove newest" | "damage newest" | "remove all", newest: number): void {
  if (newest === 0) return;
  if (how === "remove newest") rmSync(join(directory, receiptFileName(newest)));
  else if (how === "remove all") for (const name of readdirSync(directory)) rmSync(join(directory, name));
  else {
    writeFileSync(join(directory, receiptFileName(newest)), "damaged");
    // Long ago: a fresh one could be a receipt that is just being written, which is waited for.
    utimesSync(join(directory, receiptFileName(newest)), 0, 0);
  }
}

test("reads nothing that is older than what it is told", () => {
  const directory = makeDirectory();
  for (let index = 1; index <= 5; index += 1) appendReceipt(directory, draft(`tx-${index}`));
  const fifth = readFileSync(join(directory, "000000005.json"));
  for (let index = 1; index <= 4; index += 1) {
    // A directory of that name makes every read of it fail.
    renameSync(join(directory, receiptFileName(index)), join(makeDirectory(), "kept"));
    mkdirSync(join(directory, receiptFileName(index)));
  }
  expect(() => appendReceipt(directory, draft("tx-6"))).toThrow(/EISDIR/);
  expect(appendReceipt(directory, draft("tx-6"), newestReceipt(directory)).seq).toBe(6);
  expect(readFileSync(join(directory, "000000005.json"))).toStrictEqual(fifth);
});

test("finds the receipt that another process appended for the same transaction meanwhile", () => {
  const directory = makeDirectory();
  appendReceipt(directory, draft("tx-1"));
  const since = newestReceipt(directory);
  const theirs = appendReceipt(directory, draft("tx-2"));
  appendReceipt(directory, draft("tx-3"));
  expect(appendReceipt(directory, draft("tx-2"), since)).toStrictEqual(theirs);
});
