import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { Crash } from "../../../test-support/crash.ts";
import { type Recovery, recover } from "./recover.ts";

/** What of a hostile record is not as a commit writes it: what it changes, and what is said of it. */
interface Hostile {
  readonly what: string;
  readonly change: (operation: Record<string, unknown>, world: { crash: Crash; outside: string }) => void;
  readonly found: string;
}

const NO_PLACE = "isn't a baseline path of this project";

/** Has an operation be about another file of the same directory, as if it had been meant. */
function aim(operation: Record<string, unknown>, root: string, path: string): void {
  Object.assign(operation, { root, path, temporary: join(dirname(path), ".tx-t-0") });
}

const HOSTILE: readonly Hostile[] = [
  {
    what: "a directory outside",
    change: (operation, { outside }) => aim(operation, outside, join(outside, "victim.json")),
    found: NO_PLACE,
  },
  {
    what: "a directory for baselines outside",
    change: (operation, { outside }) =>
      aim(operation, join(outside, "__baselines__"), join(outside, "__baselines__/victim.json")),
    found: NO_PLACE,
  },
  {
    what: "a path that climbs out of its directory",
    change: (operation, { crash, outside }) =>
      aim(operation, dirname(crash.directory), `${dirname(crash.directory)}/../..${outside}/victim.json`),
    found: NO_PLACE,
  },
  {
    what: "a file beside the directory for baselines",
    change: (operation, { crash }) => aim(operation, dirname(crash.directory), join(crash.places.root, "package.json")),
    found: NO_PLACE,
  },
  {
    what: "the project itself for a directory of baselines",
    change: (operation, { crash }) => aim(operation, crash.places.root, join(crash.places.root, "package.json")),
    found: NO_PLACE,
  },
  {
    what: "a directory of another name for that of the baselines",
    change: (operation, { crash }) => aim(operation, crash.directory, crash.path("b")),
    found: NO_PLACE,
  },
  {
    what: "a file of git's in a directory for baselines",
    change: (operation, { crash }) => {
      const root = dirname(crash.directory);
      aim(operation, root, join(root, ".git/hooks.json"));
    },
    found: NO_PLACE,
  },
  {
    what: "a file of git's",
    change: (operation, { crash }) => {
      const root = join(crash.places.root, ".GIT/__baselines__");
      aim(operation, root, join(root, "hooks.json"));
    },
    found: NO_PLACE,
  },
  {
    what: "a file that is no baseline by its name",
    change: (operation, { crash }) => aim(operation, dirname(crash.directory), join(crash.directory, "run.mjs")),
    found: NO_PLACE,
  },
  {
    what: "a relative path",
    change: (operation) => aim(operation, "__baselines__", "__baselines__/group/a.json"),
    found: NO_PLACE,
  },
  {
    what: "a linked directory above that of the baselines",
    change: (operation, { crash, outside }) => {
      symlinkSync(outside, join(crash.places.root, "linked"));
      const root = join(crash.places.root, "linked/__baselines__");
      aim(operation, root, join(root, "victim.json"));
    },
    found: NO_PLACE,
  },
  {
    what: "a new text from anywhere",
    change: (operation, { outside }) => Object.assign(operation, { temporary: join(outside, "victim.json") }),
    found: "isn't a temporary file of this transaction",
  },
  {
    what: "another file as the temporary one",
    change: (operation, { crash }) => Object.assign(operation, { temporary: crash.path("b") }),
    found: "isn't a temporary file of this transaction",
  },
  {
    what: "an old text from anywhere",
    change: (operation, { outside }) => Object.assign(operation, { image: join(outside, "victim.json") }),
    found: "isn't the backup path",
  },
  {
    what: "no old text of a file that was there",
    change: (operation) => Object.assign(operation, { image: null }),
    found: "nothing isn't the backup path",
  },
  {
    what: "an old text that is a link",
    change: (_operation, { crash, outside }) => {
      rmSync(join(crash.files.directory, "old-0"));
      symlinkSync(join(outside, "victim.json"), join(crash.files.directory, "old-0"));
    },
    found: "isn't a regular file",
  },
  {
    what: "a new text that is a link",
    change: (_operation, { crash, outside }) => {
      rmSync(crash.temporary(0));
      symlinkSync(join(outside, "victim.json"), crash.temporary(0));
    },
    found: "isn't a regular file",
  },
];

const PHASES = ["committed", "prepared", "rolling back", "applied"] as const;

test.each(
  HOSTILE.flatMap((hostile) => PHASES.map((phase) => ({ ...hostile, phase }))),
)("refuses a record that names $what while it is $phase, and changes no file", ({ change, found, phase }) => {
  const crash = new Crash();
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "veritest-outside-")));
  mkdirSync(join(outside, "__baselines__"));
  mkdirSync(join(crash.places.root, ".GIT/__baselines__"), { recursive: true });
  const victims = ["victim.json", "__baselines__/victim.json"].map((name) => join(outside, name));
  victims.push(join(crash.places.root, "package.json"), join(crash.directory, "run.mjs"));
  for (const victim of victims) writeFileSync(victim, "old");
  if (phase === "prepared") rmSync(crash.files.commit);
  if (phase === "rolling back") writeFileSync(crash.files.rollback, "");
  if (phase === "applied") writeFileSync(crash.files.applied, "");
  crash.say((_prepared, operation) => change(operation, { crash, outside }));
  const before = [readdirSync(crash.places.root, { recursive: true }), readdirSync(outside, { recursive: true })];
  const { finished, undone, stuck } = told(recover(crash.places));
  expect({ finished, undone }).toStrictEqual({ finished: [], undone: [] });
  expect(stuck).toStrictEqual([
    expect.stringMatching(
      /^Refused to recover .*PREPARED: .*, so it isn't from this project\. veritest didn't change any file\. Check where it came from, then delete .*tx\/t\.$/,
    ),
  ]);
  expect(stuck[0]).toContain(found);
  expect([readdirSync(crash.places.root, { recursive: true }), readdirSync(outside, { recursive: true })]).toSatisfy(
    (after) => JSON.stringify(withoutLock(after)) === JSON.stringify(withoutLock(before)),
  );
  for (const victim of victims) expect(readFileSync(victim, "utf8")).toBe("old");
  expect(crash.receipts()).toBe(0);
});

test.each<[string, (prepared: Record<string, unknown>) => void, string]>([
  [
    "is of another transaction",
    (prepared) => Object.assign(prepared, { id: "u" }),
    "belongs to a different transaction",
  ],
  [
    "makes a directory elsewhere",
    (prepared) => Object.assign(prepared, { directories: [join(tmpdir(), "elsewhere")] }),
    ", but no baseline in it",
  ],
  [
    "makes the directory above the baselines",
    (prepared) => Object.assign(prepared, { directories: [realpathSync(tmpdir())] }),
    ", but no baseline in it",
  ],
  ["has a receipt that is none", (prepared) => Object.assign(prepared, { receipt: { txId: "t" } }), "is damaged"],
])("refuses a record that %s", (_what, change, found) => {
  const crash = new Crash().say(change);
  const before = crash.texts();
  expect(told(recover(crash.places)).stuck).toStrictEqual([expect.stringContaining(found)]);
  expect(crash.texts()).toStrictEqual(before);
});

test("takes the directories from that of the baselines to a new file, and no other below it", () => {
  const crash = new Crash();
  const root = dirname(crash.directory);
  const withDirectories = (...directories: readonly string[]): Crash =>
    crash.say((prepared) => Object.assign(prepared, { directories }));
  withDirectories(join(root, "other"));
  expect(told(recover(crash.places)).stuck).toStrictEqual([expect.stringContaining(", but no baseline in it")]);
  withDirectories(root, crash.directory);
  expect(recover(crash.places)).toStrictEqual({ finished: ["t"], undone: [], stuck: [] });
});

test("recovers a project through a symbolic link", () => {
  const crash = new Crash().applyFirst();
  const linked = join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-linked-"))), "project");
  symlinkSync(crash.places.root, linked);
  const paths = projectPaths(linked, { XDG_STATE_HOME: join(crash.places.root, ".home") });
  expect(recover(paths)).toStrictEqual({ finished: ["t"], undone: [], stuck: [] });
});

function told(recovery: Recovery | string): Recovery {
  if (typeof recovery === "string") throw new Error(recovery);
  return recovery;
}

/** The names of files, but for those of the lock, which every recovery takes. */
function withoutLock(names: readonly unknown[]): string[] {
  return names
    .flat()
    .map(String)
    .filter((name) => !name.includes("lock"));
}
