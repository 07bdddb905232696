import { expect, test } from "vitest";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import type { Cause, RequestChange } from "../check/cause/cause.ts";
import type { CallChange } from "../record/calls/diff-calls.ts";
import { causeLine } from "./cause-line.ts";

const long = (letter: string): string => letter.repeat(80);

function entry(path: DiffEntry["path"], before: unknown = long("a"), after: unknown = long("b")): DiffEntry {
  return { path, before, after };
}

function cuts(line: string): number {
  return line.split("… (+").length - 1;
}

test("shortens each value once, even inside a shortened text", () => {
  const one = causeLine({ kind: "code", evidence: [{ kind: "code", entries: [entry(["summary"])], unstable: true }] });
  expect(one).toBe(
    `cause: code (differs from run to run with the same responses: summary: "${"a".repeat(39)}… (+42 characters) → "${"b".repeat(39)}… (+42 characters))`,
  );
  const three = causeLine({
    kind: "code",
    evidence: [{ kind: "code", entries: [entry(["summary"]), entry(["title"]), entry(["note"])], unstable: true }],
  });
  expect(three).toBe("cause: code (differs from run to run with the same responses: summary, title and 1 more)");
});

test("names the paths if the values don't fit", () => {
  const deep = Array.from({ length: 12 }, (_unused, index) => `level${index}`);
  expect(causeLine({ kind: "code", evidence: [{ kind: "code", entries: [entry(deep)], unstable: true }] })).toBe(
    `cause: code (differs from run to run with the same responses: ${deep.join(".")})`,
  );
});

test("shortens a path longer than the line once", () => {
  const line = causeLine({
    kind: "prompt",
    evidence: [
      { kind: "prompt", requests: [{ kind: "changed", adapter: "llm", entries: [entry([long("k").repeat(4)])] }] },
    ],
  });
  expect(line).toBe("cause: prompt (llm changed)");
  const schema = causeLine({
    kind: "schema",
    evidence: [{ kind: "schema", entries: [entry([long("k").repeat(4)])], violations: [] }],
  });
  expect(cuts(schema)).toBe(1);
  expect(schema.length).toBeLessThan(300);
});

test("shortens the error that ended a run once", () => {
  const line = causeLine({
    kind: "code",
    evidence: [{ kind: "code", entries: [], ended: `it fails: execution_failed: ${long("x").repeat(9)}` }],
  });
  expect(cuts(line)).toBe(1);
  expect(line).toMatch(/^cause: code \(it fails: execution_failed: x+… \(\+\d+ characters\)\)$/);
});

test("names the failure of a call that the step handles", () => {
  const lineOf = (adapter: string, ...entries: readonly DiffEntry[]): string =>
    causeLine({
      kind: "response",
      evidence: [{ kind: "response", requests: [], responses: [{ adapter, entries }] }],
    });
  const error = { $t: "error", v: { name: "Error", message: "connect ECONNREFUSED 127.0.0.1:5432" } };
  expect(lineOf("db.get", entry(["response"], "row", undefined), entry(["error"], undefined, error))).toBe(
    "cause: response (db.get failed: connect ECONNREFUSED 127.0.0.1:5432)",
  );
  expect(lineOf("fetch", entry(["response", "status"], 200, 503))).toBe(
    "cause: response (fetch failed with status 503)",
  );
  expect(lineOf("tools.find", entry(["response", "isError"], undefined, true))).toBe(
    "cause: response (tools.find failed)",
  );
  expect(lineOf("db.get", entry(["response", "status"], 200, 503))).toBe(
    "cause: response (db.get responded differently)",
  );
});

test("names a new adapter, and the method and URL of a request of fetch, shortened if it's long", () => {
  const added = { kind: "added", adapter: "tools.mail", entries: [] } as const;
  const unrecorded = { adapter: "tools.mail", request: [], reason: "unknown_adapter", recorded: 0 } as const;
  const cause = (calls: readonly RequestChange[]): Cause => ({
    kind: "code",
    evidence: [{ kind: "code", entries: [], calls }],
  });
  const verdict = { kind: "request_changed", unrecorded, recordedCount: 0 } as const;
  const start = "cause: code (with the same responses, it sends different requests: ";
  expect(causeLine(cause([added]), verdict)).toBe(`${start}1 call to tools.mail, a new adapter)`);
  expect(causeLine(cause([added]))).toBe(`${start}1 more call to tools.mail)`);
  const sent = (path: string): RequestChange => ({
    ...added,
    adapter: "fetch",
    url: `fetch GET https://a.test/${path}`,
  });
  expect(causeLine(cause([sent("b"), sent("b"), sent("c")]))).toBe(
    `${start}2 more calls to fetch GET https://a.test/b, 1 more call to fetch GET https://a.test/c)`,
  );
  expect(causeLine(cause([sent("b".repeat(300))])).length).toBeLessThan(170);
  expect(causeLine(cause([sent("b".repeat(300))]))).toContain("1 more call to fetch GET https://a.test/bbb");
});

test("names the method and URL of a request that follows from a response", () => {
  const alert = { method: "POST", origin: "http://a.test", path: "/alerts", body: { city: "Oslo" } };
  const call = { adapter: "fetch", role: "write" as const, request: alert };
  const followed = (change: CallChange): string =>
    causeLine({
      kind: "response",
      evidence: [
        {
          kind: "response",
          requests: [],
          responses: [{ adapter: "fetch", url: "fetch GET http://a.test/weather", entries: [] }],
          follows: { changes: [change], nth: undefined },
        },
      ],
    });
  const start = "cause: response (fetch GET http://a.test/weather responded differently:";
  expect([
    followed({ ...call, kind: "removed", times: 1 }),
    followed({ ...call, kind: "added", times: 1 }),
    followed({ ...call, kind: "moved", movedTo: { side: "after", adapter: "tools.pay" } }),
    followed({ ...call, kind: "added", times: 1, adapter: "tools.pay" }),
  ]).toEqual([
    `${start} no longer calls fetch POST http://a.test/alerts)`,
    `${start} now calls fetch POST http://a.test/alerts)`,
    `${start} now calls fetch POST http://a.test/alerts after tools.pay)`,
    `${start} now calls tools.pay)`,
  ]);
});

test("says that a tool of a request moved, and not that it changed", () => {
  const tool = ["request", 0, "tools", "pay"];
  const promptLine = (...entries: readonly DiffEntry[]): string =>
    causeLine({
      kind: "prompt",
      evidence: [{ kind: "prompt", requests: [{ kind: "changed", adapter: "llm.chat", entries }] }],
    });
  const [removed, inserted] = [
    { path: tool, before: { name: "pay" }, after: undefined, edit: "removed" as const },
    { path: tool, before: undefined, after: { name: "pay" }, edit: "inserted" as const },
  ];
  expect([
    promptLine(inserted, removed),
    promptLine(inserted),
    promptLine(inserted, removed, entry(["request"])),
  ]).toEqual([
    "cause: prompt (llm.chat request[0].tools.pay moved)",
    "cause: prompt (llm.chat request[0].tools.pay changed)",
    "cause: prompt (llm.chat request[0].tools.pay, request changed)",
  ]);
});
