import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Row } from "../row.ts";
import { freshWorld } from "../world/attempt-commit.ts";
import { OLD_VALUE, updatesOf } from "../world/commit-order.ts";
import { type Expectation, commitAndJudge } from "../world/commit-and-judge.ts";
import { litterIn, outcomeOf, textOf, walk } from "../world/examine.ts";
import { runCommit } from "../world/run-commit.ts";
import { DISK, discard, scratch } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { type World, build, proposalOf, worldAt, worldOf } from "../world/world.ts";

/**
 * A link or a wrong kind of file stands where a baseline or its directory should be: nothing behind a link is touched.
 */
export const linksAndKinds: Row = {
  name: "links, directories and files in the way",
  run(tally) {
    for (const [name, plant] of Object.entries(PLANTS)) {
      const context = freshWorld();
      const outside = scratch();
      const expect = plant(context, outside);
      const untouched = treeOf(outside);
      commitAndJudge(tally, name, {
        world: context,
        expect: {
          ...expect,
          also: () => (treeOf(outside) === untouched ? undefined : "something outside was touched"),
        },
      });
      discard(context.project);
      discard(outside);
    }
  },
};

/** Names that file systems, shells and people stumble over, as steps, cases and directories. */
export const hardNames: Row = {
  name: "hard names",
  run(tally) {
    for (const [name, directory] of Object.entries(DIRECTORIES))
      commitNamed(tally, `directory: ${name}`, (project) => [
        proposalOf(join(project, directory), "one", { before: OLD_VALUE, after: "new" }),
      ]);
    for (const [name, cases] of Object.entries(CASES)) {
      commitNamed(tally, `update: ${name}`, (project) =>
        cases.map((each, index) => proposalOf(project, each, { before: OLD_VALUE, after: `new ${index}` })),
      );
      commitNamed(tally, `add: ${name}`, (project) =>
        cases.map((each, index) => proposalOf(project, each, { before: undefined, after: `new ${index}` })),
      );
    }
  },
};

/** A user without the right to write: a clear refusal, and nothing changed. */
export const otherUser: Row = {
  name: "read-only for a user who is not root",
  async run(tally) {
    if (process.getuid?.() !== 0) return tally.notice("not tried: only root may become another user.");
    for (const [name, close] of Object.entries(CLOSINGS)) await asNobody(tally, name, close);
  },
};

const NOBODY = 65_534;

/** What is shut, and what is opened to look at it afterwards. */
const CLOSINGS: Readonly<Record<string, (context: World) => { readonly says: string }>> = {
  "baseline directory": ({ proposals }) => {
    chmodSync(dirname(proposals[0]?.path ?? ""), 0o555);
    return { says: "Make it writable" };
  },
  "baseline file": ({ proposals }) => {
    chmodSync(proposals[1]?.path ?? "", 0o444);
    return { says: "Make it writable" };
  },
  "unreadable file": ({ proposals }) => {
    chmodSync(proposals[1]?.path ?? "", 0o000);
    return { says: "EACCES" };
  },
  "unreadable directory": ({ proposals }) => {
    chmodSync(dirname(proposals[0]?.path ?? ""), 0o000);
    return { says: "EACCES" };
  },
  "project, so no state directory": ({ project }) => {
    chmodSync(project, 0o555);
    return { says: "EACCES" };
  },
};

async function asNobody(
  tally: Tally,
  name: string,
  close: (context: World) => { readonly says: string },
): Promise<void> {
  const project = scratch(DISK);
  const names = ["one", "two"];
  const world = build(worldOf(project, worldAt(project).places, updatesOf({ project, names, value: "new" })));
  openTo(project);
  const { says } = close(world);
  const { kind, problem, signal } = await runCommit({ project, names, value: "new", at: 0 }, { uid: NOBODY });
  const wrong = kind === "refused" && problem.includes(says) ? [] : [`${kind ?? signal}: ${problem}`];
  tally.add({ name, outcome: outcomeOf(world), litter: litterIn(world), wrong });
  discard(project);
}

function openTo(project: string): void {
  for (const path of ["", "sub", "__baselines__", "__baselines__/a.test.ts"]) chmodSync(join(project, path), 0o777);
}

/** Each puts something in the way and says what must come of it. */
const PLANTS: Readonly<Record<string, (context: World, outside: string) => Expectation>> = {
  "symlinked baselines directory": ({ project }, outside) => {
    renameSync(join(project, "__baselines__"), join(outside, "real"));
    symlinkSync(join(outside, "real"), join(project, "__baselines__"));
    return { kind: "refused", says: "is a symbolic link", planted: ["__baselines__"], goesOn: false };
  },
  "symlinked group directory": ({ project }, outside) => {
    renameSync(join(project, "__baselines__", "a.test.ts"), join(outside, "real"));
    symlinkSync(join(outside, "real"), join(project, "__baselines__", "a.test.ts"));
    return { kind: "refused", says: "is a symbolic link", planted: ["__baselines__"], goesOn: false };
  },
  "symlinked file": ({ proposals }, outside) => {
    const path = proposals[0]?.path ?? "";
    renameSync(path, join(outside, "real.json"));
    symlinkSync(join(outside, "real.json"), path);
    return { kind: "refused", says: "is a symbolic link" };
  },
  "dangling link where a file is to be added": ({ proposals }, outside) => {
    const path = proposals[3]?.path ?? "";
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(outside, "nothing.json"), path);
    return { kind: "refused", says: "is a symbolic link", planted: ["sub"] };
  },
  "dangling link where a directory is to be made": ({ project }, outside) => {
    symlinkSync(join(outside, "nothing"), join(project, "sub", "__baselines__"));
    return { kind: "refused", says: "is a symbolic link", planted: ["sub/__baselines__"] };
  },
  "baseline path is a directory": ({ proposals }) => {
    const path = proposals[3]?.path ?? "";
    mkdirSync(path, { recursive: true });
    return { kind: "refused", planted: ["sub"] };
  },
  "directory is a file": ({ project }) => {
    writeFileSync(join(project, "sub", "__baselines__"), "a file");
    return { kind: "refused", planted: ["sub/__baselines__"] };
  },
  "group directory is a file": ({ proposals }) => {
    const directory = dirname(proposals[3]?.path ?? "");
    mkdirSync(dirname(directory), { recursive: true });
    writeFileSync(directory, "a file");
    return { kind: "refused", planted: ["sub"] };
  },
  "read-only mark on a file, as anybody": ({ proposals }) => {
    chmodSync(proposals[0]?.path ?? "", 0o444);
    // Root passes over the mark by right; others are refused, which the row of another user tries.
    return process.getuid?.() === 0 ? { kind: "committed" } : { kind: "refused", says: "Make it writable" };
  },
  "state directory is a file": ({ project }) => {
    writeFileSync(join(project, ".veritest"), "a file");
    return { kind: "refused", planted: [".veritest"], goesOn: false };
  },
  "lock directory is a file": ({ places: paths }) => {
    mkdirSync(paths.state, { recursive: true });
    writeFileSync(join(paths.state, "lock"), "a file");
    return { kind: "refused", planted: [".veritest"], goesOn: false };
  },
  "something strange in the transactions": ({ places: paths }) => {
    mkdirSync(join(paths.state, "tx", "half"), { recursive: true });
    writeFileSync(join(paths.state, "tx", "trash-old"), "a file");
    return { kind: "committed" };
  },
  "the test's directory went away": ({ project }) => {
    rmSync(join(project, "sub"), { recursive: true });
    return { kind: "committed" };
  },
};

const DIRECTORIES: Readonly<Record<string, string>> = {
  "245 characters": "d".repeat(245),
  "deep path": Array.from({ length: 12 }, () => "e".repeat(240)).join("/"),
  emoji: "🧪📁",
  newline: "line\nbreak",
  "blank and quotes": " a 'b\" $(c)",
  decomposed: "u\u0308bung",
  "looks like a transaction": ".tx-1",
  backslash: "a\\b",
};

const CASES: Readonly<Record<string, readonly string[]>> = {
  "245 characters": ["n".repeat(245), `${"n".repeat(244)}m`],
  "4,000 characters": ["x".repeat(4000), "x".repeat(4001)],
  "composed and decomposed": ["übung", "u\u0308bung"],
  emoji: ["👩‍👩‍👧", "👨‍👩‍👧", "🧪"],
  newline: ["a\nb", "a\r\nb", "a b"],
  "control characters": ["\u0000", "\u001b[31m", "\u202e"],
  reserved: ["con", "CON", "nul.json", "aux", "com1", "..", "."],
  "case-colliding": ["Case", "case", "CASE"],
  separators: ["a/b", "a\\b", "../a", "/etc/passwd"],
  empty: ["", " ", "-"],
};

function commitNamed(tally: Tally, name: string, of: (project: string) => World["proposals"]): void {
  const project = scratch();
  const context = build(worldOf(project, worldAt(project).places, of(project)));
  for (const { path } of context.proposals) mkdirSync(dirname(dirname(dirname(path))), { recursive: true });
  const paths = new Set(context.proposals.map(({ path }) => path.toLowerCase().normalize("NFC")));
  const collide = paths.size < context.proposals.length ? "two names fold into one file" : undefined;
  const planted = context.proposals
    .map(({ root }) => root.slice(project.length + 1).split("/")[0] ?? "")
    .filter((top) => top !== "__baselines__");
  commitAndJudge(tally, name, { world: context, expect: { kind: "committed", planted, also: () => collide } });
  discard(project);
}

/** Everything below a directory as one text. */
function treeOf(directory: string): string {
  return walk(directory)
    .map((path) => `${path}\n${textOf(path)}`)
    .join("\n");
}
