import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ProjectPaths, projectPaths } from "../../kernel/files/project-paths.ts";
import { type PendingChange, pendingChange } from "./pending-change.ts";
import {
  removePending,
  expired,
  writePending,
  parseAll,
  pendingDirectory,
  pendingOf,
  readPending,
} from "./pending-store.ts";

function makePlaces(): ProjectPaths {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-pending-")));
  return projectPaths(root, { XDG_STATE_HOME: join(root, ".home") });
}

function change(
  { root }: ProjectPaths,
  file: string,
  { after = "new", by = "a test", at = "2026-01-01T00:00:00.000Z" } = {},
): PendingChange {
  const baselines = join(root, "__baselines__");
  const update = {
    kind: "add",
    root: baselines,
    path: join(baselines, "step", file),
    group: "step",
    before: undefined,
    after,
  } as const;
  return pendingChange(
    { update, intent: "review", verdict: "missing", shown: [] },
    { projectRoot: root, testPath: join(root, "a.test.ts"), test: by, passed: false, run: "run", at },
  );
}

test("reads written updates back, in the order of their targets", () => {
  const paths = makePlaces();
  const [b, a] = [change(paths, "b.json"), change(paths, "a.json")];
  writePending(paths, [b, a]);
  expect(readPending(paths.state)).toStrictEqual({ changes: [a, b], unreadable: [] });
});

test("orders two updates of one target by key", () => {
  const paths = makePlaces();
  const both = [change(paths, "a.json", { by: "one" }), change(paths, "a.json", { by: "two" })];
  const keys = both.map(({ key }) => key).toSorted();
  expect(
    parseAll(both.map((each) => ({ name: "", text: JSON.stringify(each) }))).changes.map(({ key }) => key),
  ).toStrictEqual(keys);
});

test("creates no file without pending updates", () => {
  const paths = makePlaces();
  writePending(paths, []);
  expect(readPending(paths.state)).toStrictEqual({ changes: [], unreadable: [] });
  expect(existsSync(paths.state)).toBe(false);
});

test("a newer update replaces every older one of the same target", () => {
  const paths = makePlaces();
  writePending(paths, [change(paths, "a.json", { by: "one" }), change(paths, "b.json")]);
  const newer = change(paths, "a.json", { by: "two", after: "newer" });
  writePending(paths, [newer]);
  expect(readPending(paths.state).changes).toStrictEqual([newer, change(paths, "b.json")]);
});

test("a new case replaces an older one under another label, as after a test was renamed", () => {
  const paths = makePlaces();
  const [other, hidden] = [change(paths, "first-name-2bfd14f5.json"), change(paths, "a-hidden-2bfd14f4.json")];
  writePending(paths, [change(paths, "first-name-2bfd14f4.json"), other, hidden]);
  const newer = change(paths, "second-name-2bfd14f4.json", { by: "second name", after: "newer" });
  writePending(paths, [newer]);
  expect(readPending(paths.state).changes).toStrictEqual([hidden, other, newer]);
});

test("writes the same update again", () => {
  const paths = makePlaces();
  writePending(paths, [change(paths, "a.json")]);
  writePending(paths, [change(paths, "a.json", { after: "newer" })]);
  expect(readPending(paths.state).changes.map(({ text }) => text)).toStrictEqual(["newer"]);
});

test("a file that cannot be read is reported, and hides none of the others", () => {
  const paths = makePlaces();
  writePending(paths, [change(paths, "a.json")]);
  writeFileSync(join(pendingDirectory(paths.state), "0123456789ab.json"), "{");
  writeFileSync(join(pendingDirectory(paths.state), "notes.txt"), "");
  expect(readPending(paths.state)).toStrictEqual({
    changes: [change(paths, "a.json")],
    unreadable: ["0123456789ab.json: this version of veritest can't read its format"],
  });
});

test("writes an update as the text it was read from, if known", () => {
  const paths = makePlaces();
  const [a, b] = [change(paths, "a.json"), change(paths, "b.json")];
  const text = JSON.stringify(a, undefined, 1);
  writePending(paths, [a, b], new Map([[a, text]]));
  const written = (of: PendingChange): string =>
    readFileSync(join(pendingDirectory(paths.state), `${of.key}.json`), "utf8");
  expect([written(a), written(b)]).toStrictEqual([`${text}\n`, `${JSON.stringify(b)}\n`]);
  expect(readPending(paths.state).changes).toStrictEqual([a, b]);
});

test("of those requested, only what holds the proposed text is reported", () => {
  const paths = makePlaces();
  const [a, b, damaged] = [
    change(paths, "a.json"),
    change(paths, "b.json"),
    { ...change(paths, "c.json"), text: "another" },
  ];
  writePending(paths, [b, a, damaged]);
  expect(pendingOf(paths.state, () => true)).toStrictEqual(readPending(paths.state).changes);
  expect(pendingOf(paths.state, () => true)).toStrictEqual([a, b]);
  expect(pendingOf(paths.state, ({ target }) => target === b.target)).toStrictEqual([b]);
  expect(
    pendingOf(
      paths.state,
      () => true,
      (name) => name !== `${a.key}.json`,
    ),
  ).toStrictEqual([b]);
});

test("a change longer than what is read of it at first is reported completely, or not at all where it was cut off", {
  tags: "deep",
}, () => {
  const paths = makePlaces();
  const after = "é\n".repeat(200_000);
  const [a, b] = [change(paths, "a.json", { after }), change(paths, "b.json", { after })];
  const [cut, wordy] = [change(paths, "c.json"), { ...change(paths, "d.json"), shown: ["-".repeat(200_000)] }];
  writePending(paths, [a, b, cut, wordy]);
  const path = join(pendingDirectory(paths.state), `${cut.key}.json`);
  writeFileSync(path, readFileSync(path, "utf8").slice(0, -3));
  expect(pendingOf(paths.state, () => true)).toStrictEqual([a, b, wordy]);
  expect(pendingOf(paths.state, ({ target }) => target !== a.target)).toStrictEqual([b, wordy]);
});

test("keeps and reports an older update that is damaged", () => {
  const paths = makePlaces();
  const damaged = { ...change(paths, "a.json", { by: "one" }), text: "another" };
  writePending(paths, [damaged]);
  writePending(paths, [change(paths, "a.json", { by: "two" })]);
  expect(readPending(paths.state)).toStrictEqual({
    changes: [change(paths, "a.json", { by: "two" })],
    unreadable: [`${damaged.key}.json: its text doesn't match its hash`],
  });
});

test("removes updates, and ignores those that are already removed", () => {
  const paths = makePlaces();
  writePending(paths, [change(paths, "a.json"), change(paths, "b.json")]);
  removePending(paths, [change(paths, "a.json")]);
  removePending(paths, [change(paths, "a.json")]);
  expect(readPending(paths.state).changes).toStrictEqual([change(paths, "b.json")]);
});

test("ignores the state directory in a later git repository", () => {
  const paths = makePlaces();
  writePending(paths, [change(paths, "a.json")]);
  expect(readdirSync(paths.root)).toStrictEqual([".veritest"]);
  expect(readFileSync(join(paths.state, ".gitignore"), "utf8")).toBe("*\n");
});

test.each([
  [30, 31, true],
  [30, 30, false],
  [30, 29, false],
  [0.5, 1, true],
])("with %d pending days, an update of %d days is expired: %s", (pendingDays, days, isExpired) => {
  const at = "2026-01-01T00:00:00.000Z";
  const changes = [change(makePlaces(), "a.json", { at })];
  expect(expired(changes, { pendingDays, now: Date.parse(at) + days * 86_400_000 })).toStrictEqual(
    isExpired ? changes : [],
  );
});
