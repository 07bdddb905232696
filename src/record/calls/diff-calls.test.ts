import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallRole } from "../../kernel/call-role.ts";
import { anything, within } from "../../kernel/diff/tolerances.ts";
import type { AdapterCall } from "../adapter-call.ts";
import { type CallComparison, diffCalls } from "./diff-calls.ts";
import { callPath, createRoleResolver } from "./infer-role.ts";
import { runCount } from "../../../test-support/run-count.ts";

const roleOf = createRoleResolver({
  "tools.save*": "write",
  "tools.delete": "write",
  "tools.charge": "write",
  gpt: "model",
});

function call(adapter: string, ...request: readonly unknown[]): AdapterCall & { readonly request: readonly unknown[] } {
  return { adapter, occurrence: 0, returns: "promise", request, response: null };
}

function failed(adapter: string, ...request: readonly unknown[]): AdapterCall {
  return { adapter, occurrence: 0, returns: "promise", request, error: { $t: "error", v: { message: "429" } } };
}

const changes = (before: readonly AdapterCall[], after: readonly AdapterCall[], how: Partial<CallComparison> = {}) =>
  diffCalls(before, after, { roleOf, ...how });

describe("diffCalls", () => {
  test("reports a write that is new, with its argument", () => {
    const before = [call("llm.complete", "?"), call("tools.lookup", { city: "Oslo" })];
    const found = changes(before, [...before, call("tools.delete", { id: 7 })]);
    expect(found.changes).toStrictEqual([
      { kind: "added", adapter: "tools.delete", role: "write", request: { id: 7 }, times: 1 },
    ]);
    expect(found.entries).toStrictEqual([{ path: ["tools.delete"], before: undefined, after: { id: 7 } }]);
    expect(found.equal).toBe(false);
  });

  test("reports a changed argument as one line at its path, of any call of the adapter", () => {
    const before = [
      call("tools.lookup", { city: "Oslo", units: "c" }),
      call("tools.lookup", { city: "Rome", units: "c" }),
    ];
    const after = [
      call("tools.lookup", { city: "Rome", units: "c" }),
      call("tools.lookup", { city: "Bergen", units: "c" }),
    ];
    expect(changes(before, after).changes).toStrictEqual([
      {
        kind: "changed",
        adapter: "tools.lookup",
        role: "read",
        entries: [{ path: ["city"], before: "Oslo", after: "Bergen" }],
      },
    ]);
  });

  test("more than one argument is reported by its index", () => {
    const found = changes([call("crm.find", "ann", 1)], [call("crm.find", "ann", 2)]);
    expect(found.entries).toStrictEqual([{ path: ["crm.find", 1], before: 1, after: 2 }]);
  });

  test("ignores the order of reads, but not of writes", () => {
    const [a, b] = [call("tools.lookup", 1), call("tools.lookup", 2)];
    expect(changes([a, b], [b, a]).equal).toBe(true);
    const [save, charge] = [call("tools.save", 1), call("tools.charge", 2)];
    expect(changes([save, charge], [charge, save]).changes).toStrictEqual([
      {
        kind: "moved",
        adapter: "tools.save",
        role: "write",
        request: 1,
        movedTo: { side: "after", adapter: "tools.charge" },
      },
    ]);
  });

  describe("writes in another order whose arguments differ", () => {
    const charge = (at: number, order: number = 1): AdapterCall => call("tools.charge", { order, at });
    const save = (at: number): AdapterCall => call("tools.save", { order: 1, at });
    const remove = call("tools.delete", 1);
    const compare = { "calls.tools.charge.at": anything(), "calls.tools.save.at": anything() };
    const movedTo = (side: string, adapter: string): object => ({ side, adapter });
    const moved = (side: string, adapter: string): object => ({
      kind: "moved",
      adapter: "tools.charge",
      movedTo: movedTo(side, adapter),
    });

    test.each<[string, readonly AdapterCall[], readonly AdapterCall[], readonly object[]]>([
      ["in both", [charge(1), save(2)], [save(3), charge(4)], [moved("after", "tools.save")]],
      ["in one", [charge(1), save(2)], [save(2), charge(4)], [moved("after", "tools.save")]],
      [
        "next to an equal write",
        [charge(1), save(2), remove],
        [save(3), charge(4), remove],
        [moved("after", "tools.save")],
      ],
      [
        "across an equal write",
        [charge(1), remove, save(2)],
        [remove, charge(4), save(3)],
        [moved("after", "tools.delete")],
      ],
      [
        "of one tool",
        [charge(1, 1), charge(2, 2)],
        [charge(3, 2), charge(4, 1)],
        [{ ...moved("after", "tools.charge"), request: { order: 1, at: 4 } }],
      ],
      ["in the same order", [charge(1), save(2), charge(3, 2)], [charge(4), save(5), charge(6, 2)], []],
      [
        "of one tool, in parallel",
        [charge(1, 1), { ...charge(2, 2), parallel: 1 }],
        [charge(3, 2), { ...charge(4, 1), parallel: 1 }],
        [],
      ],
    ])("are moved if a rule tolerates the differences %s", (_of, before, after, expected) => {
      expect(changes(before, after, { compare }).changes).toMatchObject(expected);
    });

    test("are changed and moved without a rule", () => {
      expect(changes([charge(1), save(2)], [save(3), charge(4)]).changes).toMatchObject([
        { kind: "changed", adapter: "tools.save" },
        { kind: "changed", adapter: "tools.charge" },
        moved("after", "tools.save"),
      ]);
    });
  });

  describe("writes that were sent in parallel", () => {
    const writes = ["a", "b", "c", "d"].map((name) => call(`tools.save.${name}`, name));
    const [a, b, c, d] = writes;
    if (!a || !b || !c || !d) throw new Error("four writes");
    const beside = (made: AdapterCall, parallel: number): AdapterCall => ({ ...made, parallel });
    // Two by two: c was sent after the responses to a and b.
    const pairs = [a, beside(b, 1), c, beside(d, 1)];
    const moved = (name: string): object => ({ kind: "moved", adapter: `tools.save.${name}`, role: "write" });

    test.each<[string, readonly AdapterCall[], readonly AdapterCall[], readonly object[]]>([
      ["in another order", [a, beside(b, 1), beside(c, 2)], [c, a, b], []],
      ["one after the other now", [a, beside(b, 1)], [b, a], []],
      ["in another order within each group", pairs, [b, a, d, c], []],
      ["from one group to the other", pairs, [a, c, b, d], [moved("b")]],
      ["with a group before the other", pairs, [c, d, a, b], [moved("a"), moved("b")]],
      ["with one that isn't sent now", pairs, [b, d, c], [{ kind: "removed", adapter: "tools.save.a" }]],
      ["with one that is new", [a, beside(b, 1)], [b, d, a], [{ kind: "added", adapter: "tools.save.d" }]],
      [
        "with another argument, in another order",
        [a, beside(b, 1), beside(c, 2)],
        [c, call("tools.save.b", "other"), a],
        [{ kind: "changed", adapter: "tools.save.b", entries: [{ path: [], before: "b", after: "other" }] }],
      ],
      ["now, but one after the other when they were recorded", [a, b], [b, beside(a, 1)], [moved("a")]],
      ["next to a read of a property", [a, { ...b, returns: "property" }, beside(b, 1)], [b, a], []],
      [
        "next to a read that ended before",
        [a, call("tools.lookup", 1), b],
        [b, call("tools.lookup", 1), a],
        [moved("a")],
      ],
      [
        "next to an open read",
        [a, beside(call("tools.lookup", 1), 1), beside(b, 2)],
        [b, a, call("tools.lookup", 1)],
        [],
      ],
    ])("%s", (_how, before, after, expected) => {
      expect(changes(before, after).changes).toMatchObject(expected);
    });

    test("property: any order of the calls of a group is equal, and any swap between groups isn't", () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 4 });
      fc.assert(
        fc.property(sizes, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (groups, numbers) => {
          const sent = groups.map((size, group) =>
            Array.from({ length: size }, (_unused, at) => {
              const made = call("tools.save", `${group}.${at}`);
              return at === 0 ? made : { ...made, parallel: at };
            }),
          );
          const ranks = new Map(sent.flat().map((made) => [made, numbers.next().value]));
          const shuffled = sent.map((group) => group.toSorted((x, y) => (ranks.get(x) ?? 0) - (ranks.get(y) ?? 0)));
          expect(changes(sent.flat(), shuffled.flat()).changes).toStrictEqual([]);
          const swapped = [...(shuffled[1] ?? []), ...(shuffled[0] ?? []), ...shuffled.slice(2).flat()];
          expect(changes(sent.flat(), swapped).equal).toBe(false);
        }),
        { numRuns: runCount(200) },
      );
    });
  });

  test("reports one write that moved to the front as one change", () => {
    const writes = [1, 2, 3, 4].map((n) => call(`tools.save${n}`, n));
    const [one, two, three, four] = writes;
    if (!one || !two || !three || !four) throw new Error("four writes");
    expect(changes([one, two, three, four], [four, one, two, three]).changes).toMatchObject([
      { kind: "moved", adapter: "tools.save4", movedTo: { side: "before", adapter: "tools.save1" } },
    ]);
  });

  test("ignores calls of models and reads of properties", () => {
    const property: AdapterCall = {
      adapter: "tools.version",
      occurrence: 0,
      returns: "property",
      request: [],
      response: 1,
    };
    expect(changes([call("llm.complete", "a")], [call("gpt.ask", "b"), property]).equal).toBe(true);
  });

  test("counts a failed call repeated after another call, and a call after a success, separately", () => {
    const [test, edit] = [call("tools.run", "tests"), call("tools.save", "fix")];
    const failing = failed("tools.run", "tests");
    const verified = [failing, edit, test];
    expect(changes(verified, [failing, edit]).changes).toStrictEqual([
      { kind: "removed", adapter: "tools.run", role: "read", request: "tests", times: 1 },
    ]);
    // A question to a model is another call too: the agent decided to try again.
    expect(changes([failing, call("gpt", "what now?"), test], [failing, call("gpt", "what now?")]).equal).toBe(false);
    expect(changes([test, failing], [failing]).equal).toBe(false);
    expect(changes([failing, failed("tools.lookup", 1), test], [failing, failed("tools.lookup", 1)]).equal).toBe(false);
    // Reads of properties are no calls.
    const read = { ...call("tools.limit"), returns: "property" as const };
    expect(changes([failing, read, test], [test]).equal).toBe(true);
    // Another scope counts other calls, with the same retries.
    expect(
      changes([failed("tools.charge", 5), test, call("tools.charge", 5)], [call("tools.charge", 5)], {
        scope: "writes",
      }).equal,
    ).toBe(false);
  });

  test("property: two runs are equal exactly if they are without all attempts but the last", () => {
    const made = fc.constantFrom(
      call("tools.read", 1),
      call("tools.read", 2),
      call("tools.save", 1),
      failed("tools.read", 1),
      failed("tools.read", 2),
      failed("tools.save", 1),
      call("gpt", "?"),
    );
    const withoutRetries = (calls: readonly AdapterCall[]): readonly string[] => {
      const names = calls.map(({ adapter, request }) => JSON.stringify([adapter, request]));
      const kept = names.filter((name, index) => !("error" in (calls[index] ?? {}) && names[index + 1] === name));
      const compared = kept.filter((name) => !name.includes("gpt"));
      const [writes, reads] = [
        compared.filter((name) => name.includes("save")),
        compared.filter((name) => !name.includes("save")),
      ];
      return [...writes, ...reads.toSorted()];
    };
    fc.assert(
      fc.property(
        fc.array(made, { maxLength: 8 }),
        fc.array(made, { maxLength: 8 }),
        fc.boolean(),
        (one, other, same) => {
          const after = same ? one.flatMap((item) => ("error" in item ? [item, item] : [item])) : other;
          expect(changes(one, after).equal).toBe(
            JSON.stringify(withoutRetries(one)) === JSON.stringify(withoutRetries(after)),
          );
        },
      ),
    );
  });

  test("counts a failed call and its retry as one call", () => {
    const once = [call("tools.charge", 5)];
    expect(changes(once, [failed("tools.charge", 5), failed("tools.charge", 5), ...once]).equal).toBe(true);
    expect(changes(once, [failed("tools.charge", 5)]).equal).toBe(true);
    expect(changes(once, [...once, ...once]).changes).toMatchObject([{ kind: "added", times: 1 }]);
  });

  test("equal calls that came are reported together, and tolerated by their number", () => {
    const polls = (n: number): readonly AdapterCall[] => Array.from({ length: n }, () => call("tools.poll", { id: 1 }));
    expect(changes(polls(3), polls(5)).changes).toStrictEqual([
      { kind: "added", adapter: "tools.poll", role: "read", request: { id: 1 }, times: 2 },
    ]);
    const tolerant = changes(polls(3), polls(5), { compare: { "calls.tools.poll": within(2) } });
    expect(tolerant).toMatchObject({ equal: true, changes: [] });
    expect(tolerant.tolerated).toStrictEqual([
      { entry: { path: ["calls", "tools", "poll"], before: 3, after: 5 }, rule: "calls.tools.poll", label: "within 2" },
    ]);
    expect(changes(polls(3), polls(6), { compare: { "calls.tools.poll": within(2) } }).equal).toBe(false);
  });

  test("a rule that ends in ** tolerates arguments, but no other number of calls", () => {
    const [five, six] = [[call("tools.charge", { euros: 5 })], [call("tools.charge", { euros: 6 })]];
    for (const path of ["calls.**", "calls.tools.**"]) {
      const compare = { [path]: within(5) };
      expect(changes(five, six, { compare }).equal, path).toBe(true);
      expect(changes(five, [...five, ...five], { compare }).changes, path).toMatchObject([{ kind: "added", times: 1 }]);
      expect(changes(five, [], { compare: { [path]: anything() } }).changes).toMatchObject([{ kind: "removed" }]);
    }
  });

  test("applies a rule to arguments, and can ignore a complete call", () => {
    const [before, after] = [
      [call("tools.lookup", { city: "Oslo", at: 1 })],
      [call("tools.lookup", { city: "Bergen", at: 2 })],
    ];
    const found = changes(before, after, { compare: { "calls.tools.lookup.at": anything(), city: anything() } });
    expect(found.entries).toStrictEqual([{ path: ["tools.lookup", "city"], before: "Oslo", after: "Bergen" }]);
    expect(changes(before, after, { compare: { "calls.tools.lookup": anything() } }).equal).toBe(true);
    expect(changes(before, [], { compare: { "calls.tools.lookup": anything() } }).equal).toBe(true);
  });

  test("compares writes only, or no calls", () => {
    const after = [call("tools.lookup", 1), call("tools.delete", 2)];
    expect(changes([], after, { scope: "writes" }).changes).toMatchObject([{ adapter: "tools.delete" }]);
    expect(changes([], after, { scope: "none" }).equal).toBe(true);
  });

  test("a call through another call's answer is reported without the hash of that call", () => {
    const query = call("db.connect(9f31c2d8#0).query", "delete from users");
    expect(callPath(query.adapter)).toBe("db.connect().query");
    expect(changes([], [query]).changes).toMatchObject([{ kind: "added", adapter: "db.connect().query" }]);
    expect(changes([query], [{ ...query, adapter: "db.connect(00000000#0).query" }]).equal).toBe(true);
  });

  test("applies a tool's current role to recordings without a role", () => {
    const old = [call("mail.send", 1), call("mail.archive", 2)];
    const today = old.toReversed().map((made) => ({ ...made, role: "write" as const }));
    expect(changes(old, today).changes).toMatchObject([{ kind: "moved", role: "write" }]);
  });

  test("shows the calls of both runs side by side, in the current order", () => {
    const [oslo, save, charge, gone] = [
      call("tools.lookup", "Oslo"),
      call("tools.save", 1),
      call("tools.charge", 2),
      call("tools.delete", 3),
    ];
    const before = [oslo, call("tools.lookup", "Rome"), gone, save, charge];
    const after = [oslo, call("tools.lookup", "Bergen"), charge, save, call("crm.find", 4)];
    const at = (request: unknown) => ({ request });
    expect(changes(before, after).rows).toStrictEqual([
      { kind: "same", adapter: "tools.lookup", role: "read", before: at("Oslo"), after: at("Oslo") },
      { kind: "changed", adapter: "tools.lookup", role: "read", before: at("Rome"), after: at("Bergen") },
      { kind: "removed", adapter: "tools.delete", role: "write", before: at(3), after: null },
      { kind: "same", adapter: "tools.charge", role: "write", before: at(2), after: at(2) },
      { kind: "moved", adapter: "tools.save", role: "write", before: at(1), after: at(1) },
      { kind: "added", adapter: "crm.find", role: "read", before: null, after: at(4) },
    ]);
    expect(changes(before, before).rows).toStrictEqual([]);
  });
});

const made = fc
  .record({ adapter: fc.constantFrom("tools.lookup", "tools.save", "tools.delete", "crm.find"), n: fc.nat(4) })
  .map(({ adapter, n }) => call(adapter, { n }));
const role = (adapter: string): CallRole => roleOf({ adapter, request: [] });

describe("properties of diffCalls", () => {
  test("a run equals itself in any order of its reads", () => {
    fc.assert(
      fc.property(fc.array(made, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (calls, order) => {
        const reads = calls.filter(({ adapter }) => role(adapter) === "read");
        const shuffled = reads.map((read) => ({ read, at: order.next().value })).toSorted((a, b) => a.at - b.at);
        const queue = shuffled.map(({ read }) => read);
        const mixed = calls.map((one) => (role(one.adapter) === "read" ? (queue.shift() ?? one) : one));
        expect(changes(calls, calls).equal).toBe(true);
        expect(changes(calls, mixed).equal).toBe(true);
      }),
      { numRuns: runCount(1000) },
    );
  });

  test("one more call is one change, added forwards and removed backwards", () => {
    fc.assert(
      fc.property(fc.array(made, { maxLength: 10 }), made, fc.nat(10), (calls, extra, at) => {
        const longer = calls.toSpliced(at, 0, extra);
        const found = (kind: "added" | "removed") => ({
          equal: false,
          changes: [{ kind, adapter: extra.adapter, request: extra.request[0], times: 1 }],
        });
        expect(changes(calls, longer)).toMatchObject(found("added"));
        expect(changes(longer, calls)).toMatchObject(found("removed"));
      }),
      { numRuns: runCount(1000) },
    );
  });

  test("runs are equal exactly if their reads are the same multiset and their writes the same list", () => {
    const key = ({ adapter, request }: AdapterCall): string => JSON.stringify([adapter, request]);
    const parts = (calls: readonly AdapterCall[]) => ({
      reads: calls
        .filter((one) => role(one.adapter) === "read")
        .map(key)
        .toSorted(),
      writes: calls.filter((one) => role(one.adapter) === "write").map(key),
    });
    fc.assert(
      fc.property(fc.array(made, { maxLength: 6 }), fc.array(made, { maxLength: 6 }), (before, after) => {
        const same = JSON.stringify(parts(before)) === JSON.stringify(parts(after));
        const found = changes(before, after);
        expect(found.equal).toBe(same);
        expect(found.entries.length > 0).toBe(!same);
      }),
      { numRuns: runCount(2000) },
    );
  });

  test("each call of both runs is in one row, with the current ones in order", () => {
    fc.assert(
      fc.property(fc.array(made, { maxLength: 8 }), fc.array(made, { maxLength: 8 }), (before, after) => {
        const { rows, equal } = changes(before, after);
        const texts = (calls: readonly AdapterCall[]): readonly string[] =>
          calls.map(({ adapter, request }) => JSON.stringify([adapter, request]));
        const side = (name: "before" | "after"): readonly string[] =>
          rows.flatMap((row) => (row[name] === null ? [] : JSON.stringify([row.adapter, [row[name].request]])));
        if (equal) return;
        expect(side("after")).toStrictEqual(texts(after));
        expect(side("before").toSorted()).toStrictEqual(texts(before).toSorted());
        expect(rows.some(({ kind }) => kind !== "same")).toBe(true);
      }),
      { numRuns: runCount(2000) },
    );
  });
});
