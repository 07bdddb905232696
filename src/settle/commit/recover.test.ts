import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { hashText } from "../../base/hash.ts";
import { readReceipts } from "../../notes/receipt-chain.ts";
import { type Places, placesOf, receiptsDirectory } from "../../files/places.ts";
import { recover } from "./recover.ts";
import { type Prepared, filesIn } from "./journal.ts";

const NAMES = ["a", "b"] as const;

/** What a commit of two updates left that died between its COMMIT and the first rename. */
class Crash {
  readonly places: Places;
  readonly directory: string;
  readonly files: ReturnType<typeof filesIn>;

  constructor() {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-recover-")));
    this.places = placesOf(root, { XDG_STATE_HOME: join(root, ".home") });
    this.directory = join(root, "__baselines__", "group");
    this.files = filesIn(join(this.places.state, "tx", "t"));
    for (const directory of [this.directory, this.files.directory]) mkdirSync(directory, { recursive: true });
    for (const name of NAMES) this.put(name, "old");
    for (const [index] of NAMES.entries()) writeFileSync(join(this.files.directory, `old-${index}`), "old");
    for (const [index] of NAMES.entries()) writeFileSync(this.temporary(index), "new");
    const text = `${JSON.stringify(this.#prepared())}\n`;
    writeFileSync(this.files.prepared, text);
    writeFileSync(this.files.commit, hashText(text));
  }

  path(name: string): string {
    return join(this.directory, `${name}.json`);
  }

  temporary(index: number): string {
    return join(this.directory, `.tx-t-${index}`);
  }

  put(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  /** Does the first rename. */
  applyFirst(): this {
    renameSync(this.temporary(0), this.path("a"));
    return this;
  }

  texts(): Record<string, string> {
    return Object.fromEntries(
      readdirSync(this.directory).map((name) => [name, readFileSync(join(this.directory, name), "utf8")]),
    );
  }

  receipts(): number {
    return readReceipts(receiptsDirectory(this.places)).receipts.length;
  }

  #prepared(): Prepared {
    const operations = NAMES.map((name, index) => ({
      root: dirname(this.directory),
      path: this.path(name),
      before: hashText("old"),
      after: hashText("new"),
      temporary: this.temporary(index),
      image: join(this.files.directory, `old-${index}`),
    }));
    const receipt = {
      kind: "commit",
      at: "2026-01-01T00:00:00.000Z",
      run: "run",
      actor: { kind: "human", because: "a test" },
      gates: [],
      versions: { veritest: "0.0.0", node: "24.0.0", platform: "linux-x64" },
      txId: "t",
      changes: [],
    } as const;
    return { version: 1, id: "t", generation: 1, operations, directories: [], receipt };
  }
}

const FINISHED = { finished: ["t"], undone: [], stuck: [] };
const UNDONE = { finished: [], undone: ["t"], stuck: [] };

test("a commit that was cut off after its point of no return is finished, with its receipt", () => {
  const crash = new Crash().applyFirst();
  expect(recover(crash.places)).toStrictEqual(FINISHED);
  expect(crash.texts()).toStrictEqual({ "a.json": "new", "b.json": "new" });
  expect(crash.receipts()).toBe(1);
  expect(readdirSync(join(crash.places.state, "tx"))).toStrictEqual([]);
});

test("one before it is undone", () => {
  const crash = new Crash();
  rmSync(crash.files.commit);
  expect(recover(crash.places)).toStrictEqual(UNDONE);
  expect(crash.texts()).toStrictEqual({ "a.json": "old", "b.json": "old" });
  expect(crash.receipts()).toBe(0);
});

test("a file that git put back after its new text was in place takes the others back with it", () => {
  const crash = new Crash().applyFirst();
  crash.put("a", "old");
  expect(recover(crash.places)).toStrictEqual(UNDONE);
  expect(crash.texts()).toStrictEqual({ "a.json": "old", "b.json": "old" });
});

test("where the new texts that waited are gone, as git clean removes them, the old ones come back", () => {
  const crash = new Crash().applyFirst();
  rmSync(crash.temporary(1));
  expect(recover(crash.places)).toStrictEqual(UNDONE);
  expect(crash.texts()).toStrictEqual({ "a.json": "old", "b.json": "old" });
});

test("a file that somebody edited since stops it before anything is touched; restored, all is finished or undone", () => {
  const crash = new Crash().applyFirst();
  crash.put("b", "edited");
  const before = crash.texts();
  expect(recover(crash.places)).toStrictEqual({
    finished: [],
    undone: [],
    stuck: [
      `A run was cut off while it wrote baselines, and since then somebody changed ${crash.path("b")}. Restore it from git, then run: npx veritest recover`,
    ],
  });
  expect(crash.texts()).toStrictEqual(before);
  crash.put("b", "old");
  expect(recover(crash.places)).toStrictEqual(FINISHED);
});

test("a directory in a file's place is an edit too", () => {
  const crash = new Crash();
  rmSync(crash.path("b"));
  mkdirSync(crash.path("b"));
  expect(recover(crash.places)).toMatchObject({
    finished: [],
    undone: [],
    stuck: [
      `A run was cut off while it wrote baselines, and since then somebody changed ${crash.path("b")}. Restore it from git, then run: npx veritest recover`,
    ],
  });
});

test("a link that was put in a directory's place is not followed", () => {
  const crash = new Crash();
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "veritest-outside-")));
  renameSync(crash.directory, join(outside, "group"));
  symlinkSync(join(outside, "group"), crash.directory);
  const before = crash.texts();
  expect(recover(crash.places)).toStrictEqual({
    finished: [],
    undone: [],
    stuck: [
      `A run was cut off while it wrote baselines, and they cannot be written now. Refused to touch ${crash.path("a")}: ${crash.directory} is a symbolic link. Replace it by a real directory or file. Then run: npx veritest recover`,
    ],
  });
  expect(crash.texts()).toStrictEqual(before);
});

test("who edits a baseline after all were applied is not in the way of the receipt", () => {
  const crash = new Crash().applyFirst();
  renameSync(crash.temporary(1), crash.path("b"));
  writeFileSync(crash.files.applied, "");
  crash.put("a", "edited");
  expect(recover(crash.places)).toStrictEqual(FINISHED);
  expect(crash.texts()).toStrictEqual({ "a.json": "edited", "b.json": "new" });
  expect(crash.receipts()).toBe(1);
});

test("where nothing is left nothing is made", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-recover-")));
  const places = placesOf(root, { XDG_STATE_HOME: join(root, ".home") });
  expect(recover(places)).toStrictEqual({ finished: [], undone: [], stuck: [] });
  expect(existsSync(places.state)).toBe(false);
});
