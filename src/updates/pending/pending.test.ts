import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Places, placesOf } from "../../kernel/files/places.ts";
import { type PendingChange, pendingChange } from "./pending-change.ts";
import { removePending, expired, writePending, parseAll, pendingDirectory, pendingOf, readPending } from "./pending.ts";

function makePlaces(): Places {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-pending-")));
  return placesOf(root, { XDG_STATE_HOME: join(root, ".home") });
}

function change(
  { root }: Places,
  file: string,
  { after = "new", by = "a test", at = "2026-01-01T00:00:00.000Z" } = {},
): PendingChange {
  const baselines = join(root, "__baselines__");
  const proposal = {
    kind: "add",
    root: baselines,
    path: join(baselines, "step", file),
    group: "step",
    before: undefined,
    after,
  } as const;
  return pendingChange(
    { proposal, intent: "review", verdict: "missing", shown: [] },
    { projectRoot: root, testPath: join(root, "a.test.ts"), test: by, passed: false, run: "run", at },
  );
}

test("what is kept is read back, in the order of its targets", () => {
  const places = makePlaces();
  const [b, a] = [change(places, "b.json"), change(places, "a.json")];
  writePending(places, [b, a]);
  expect(readPending(places.state)).toStrictEqual({ changes: [a, b], unreadable: [] });
});

test("two changes of one target are in the order of their keys, whichever was kept first", () => {
  const places = makePlaces();
  const both = [change(places, "a.json", { by: "one" }), change(places, "a.json", { by: "two" })];
  const keys = both.map(({ key }) => key).toSorted();
  expect(
    parseAll(both.map((each) => ({ name: "", text: JSON.stringify(each) }))).changes.map(({ key }) => key),
  ).toStrictEqual(keys);
});

test("where nothing waits nothing is made", () => {
  const places = makePlaces();
  writePending(places, []);
  expect(readPending(places.state)).toStrictEqual({ changes: [], unreadable: [] });
  expect(existsSync(places.state)).toBe(false);
});

test("a newer change takes the place of every older one for the same target", () => {
  const places = makePlaces();
  writePending(places, [change(places, "a.json", { by: "one" }), change(places, "b.json")]);
  const newer = change(places, "a.json", { by: "two", after: "newer" });
  writePending(places, [newer]);
  expect(readPending(places.state).changes).toStrictEqual([newer, change(places, "b.json")]);
});

test("the same change can be kept again", () => {
  const places = makePlaces();
  writePending(places, [change(places, "a.json")]);
  writePending(places, [change(places, "a.json", { after: "newer" })]);
  expect(readPending(places.state).changes.map(({ text }) => text)).toStrictEqual(["newer"]);
});

test("a file that cannot be read is told of, and hides none of the others", () => {
  const places = makePlaces();
  writePending(places, [change(places, "a.json")]);
  writeFileSync(join(pendingDirectory(places.state), "0123456789ab.json"), "{");
  writeFileSync(join(pendingDirectory(places.state), "notes.txt"), "");
  expect(readPending(places.state)).toStrictEqual({
    changes: [change(places, "a.json")],
    unreadable: ["0123456789ab.json: it is no proposal of this version of veritest"],
  });
});

test("a change is kept as the text it was read from, where that is at hand", () => {
  const places = makePlaces();
  const [a, b] = [change(places, "a.json"), change(places, "b.json")];
  const text = JSON.stringify(a, undefined, 1);
  writePending(places, [a, b], new Map([[a, text]]));
  const written = (of: PendingChange): string =>
    readFileSync(join(pendingDirectory(places.state), `${of.key}.json`), "utf8");
  expect([written(a), written(b)]).toStrictEqual([`${text}\n`, `${JSON.stringify(b)}\n`]);
  expect(readPending(places.state).changes).toStrictEqual([a, b]);
});

test("of those asked for, only what holds the proposed text is told", () => {
  const places = makePlaces();
  const [a, b, damaged] = [
    change(places, "a.json"),
    change(places, "b.json"),
    { ...change(places, "c.json"), text: "another" },
  ];
  writePending(places, [b, a, damaged]);
  expect(pendingOf(places.state, () => true)).toStrictEqual(readPending(places.state).changes);
  expect(pendingOf(places.state, () => true)).toStrictEqual([a, b]);
  expect(pendingOf(places.state, ({ target }) => target === b.target)).toStrictEqual([b]);
  expect(
    pendingOf(
      places.state,
      () => true,
      (name) => name !== `${a.key}.json`,
    ),
  ).toStrictEqual([b]);
});

test("a change longer than what is read of it at first is told whole, or not at all where it was cut off", () => {
  const places = makePlaces();
  const after = "é\n".repeat(200_000);
  const [a, b] = [change(places, "a.json", { after }), change(places, "b.json", { after })];
  const [cut, wordy] = [change(places, "c.json"), { ...change(places, "d.json"), shown: ["-".repeat(200_000)] }];
  writePending(places, [a, b, cut, wordy]);
  const path = join(pendingDirectory(places.state), `${cut.key}.json`);
  writeFileSync(path, readFileSync(path, "utf8").slice(0, -3));
  expect(pendingOf(places.state, () => true)).toStrictEqual([a, b, wordy]);
  expect(pendingOf(places.state, ({ target }) => target !== a.target)).toStrictEqual([b, wordy]);
});

test("an older change that is damaged is left for somebody to see", () => {
  const places = makePlaces();
  const damaged = { ...change(places, "a.json", { by: "one" }), text: "another" };
  writePending(places, [damaged]);
  writePending(places, [change(places, "a.json", { by: "two" })]);
  expect(readPending(places.state)).toStrictEqual({
    changes: [change(places, "a.json", { by: "two" })],
    unreadable: [`${damaged.key}.json: its text is not the one that was proposed: the hashes differ`],
  });
});

test("what is dropped is gone, and may be gone already", () => {
  const places = makePlaces();
  writePending(places, [change(places, "a.json"), change(places, "b.json")]);
  removePending(places, [change(places, "a.json")]);
  removePending(places, [change(places, "a.json")]);
  expect(readPending(places.state).changes).toStrictEqual([change(places, "b.json")]);
});

test("outside of git the state hides itself from a git that comes later", () => {
  const places = makePlaces();
  writePending(places, [change(places, "a.json")]);
  expect(readdirSync(places.root)).toStrictEqual([".veritest"]);
  expect(readFileSync(join(places.state, ".gitignore"), "utf8")).toBe("*\n");
});

test.each([
  [30, 31, true],
  [30, 30, false],
  [30, 29, false],
  [0.5, 1, true],
])("with %d days to wait, one of %d days is expired: %s", (pendingDays, days, isExpired) => {
  const at = "2026-01-01T00:00:00.000Z";
  const changes = [change(makePlaces(), "a.json", { at })];
  expect(expired(changes, { pendingDays, now: Date.parse(at) + days * 86_400_000 })).toStrictEqual(
    isExpired ? changes : [],
  );
});
