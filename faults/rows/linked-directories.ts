import { cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "../../src/kernel/error-message.ts";
import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import { recover } from "../../src/updates/commit/recover.ts";
import type { Row } from "../row.ts";
import { attemptCommit, callsOfCommit, freshWorld } from "../world/attempt-commit.ts";
import { aftermath } from "../world/aftermath.ts";
import { bury } from "../world/bury.ts";
import { textOf, walk } from "../world/examine.ts";
import { discard, scratch } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { killAt } from "../world/under-fault.ts";
import { type World, contextOf } from "../world/world.ts";

/** Directories of a project that may be links, by a description. */
const DIRECTORIES: Readonly<Record<string, (context: World) => string>> = {
  "the group's directory": ({ proposals }) => dirname(proposals[0]?.path ?? ""),
  "the baselines' directory": ({ proposals }) => proposals[0]?.root ?? "",
  "a new baselines' directory": ({ proposals }) => proposals[3]?.root ?? "",
  "the directory above it": ({ project }) => join(project, "sub"),
  "the state directory": ({ places: paths }) => paths.state,
  "the transactions' directory": ({ places: paths }) => join(paths.state, "tx"),
  "the lock's directory": ({ places: paths }) => join(paths.state, "lock"),
  "the receipts' directory": ({ places: paths }) => paths.notes,
};

/** Content of the link's target. */
const TARGETS = ["nothing", "the same files"] as const;

/** A directory is a link when a commit starts: the commit is refused, and the link's target stays as it was. */
export const linkedBeforeCommit: Row = {
  name: "a directory is a link before a commit",
  run(tally) {
    for (const [name, directoryOf] of Object.entries(DIRECTORIES))
      for (const target of TARGETS) {
        const context = freshWorld();
        const link = plant(directoryOf(context), target);
        const end = commitUpdates(context.proposals, contextOf(context));
        // Files that the link took away are refused before the link is.
        const reason = target === "nothing" ? /is a (?:symbolic )?link|points to|changed while the test ran/ : LINK;
        const said = end.kind === "refused" && reason.test(end.problem) ? [] : [JSON.stringify(end)];
        judge(tally, `${name}, ${target} in its target`, { world: context, link, wrong: said, answer: end.kind });
      }
  },
};

/** The same if a commit died before: recovery changes nothing in the link's target. */
export const linkedBeforeRecovery: Row = {
  name: "a directory is a link before recovery",
  run(tally, { full }) {
    const crashes = callsOfCommit().length;
    for (let crash = 2; crash <= crashes; crash += full ? 1 : 5)
      for (const [name, directoryOf] of Object.entries(DIRECTORIES))
        for (const target of TARGETS) {
          const context = freshWorld();
          attemptCommit(context, killAt(crash));
          bury(context.places);
          const link = plant(directoryOf(context), target);
          judge(tally, `killed at ${crash}, ${name}, ${target} in its target`, {
            world: context,
            link,
            wrong: recovered(context),
          });
        }
  },
};

const LINK = /is a (?:symbolic )?link|it points to/;

/** Returns the problems of a recovery that meets a link: it may finish, or refuse the link, and nothing else. */
function recovered({ places: paths }: World): string[] {
  try {
    const recovery = recover(paths);
    const problems = typeof recovery === "string" ? [recovery] : recovery.stuck;
    return problems.filter((problem) => !LINK.test(problem) && !problem.includes("so it isn't from this project"));
  } catch (thrown) {
    return LINK.test(messageOf(thrown)) ? [] : [messageOf(thrown)];
  }
}

interface Link {
  readonly path: string;
  /** Directory that the link leads to. */
  readonly target: string;
  /** Texts of the files in the target before the fault, by path. */
  readonly before: ReadonlyMap<string, string | undefined>;
}

const AWAY = ".away";

function plant(path: string, content: (typeof TARGETS)[number]): Link {
  const target = scratch();
  mkdirSync(dirname(path), { recursive: true });
  if (content === "the same files" && existsSync(path)) cpSync(path, target, { recursive: true });
  if (existsSync(path)) renameSync(path, `${path}${AWAY}`);
  symlinkSync(target, path);
  return { path, target, before: textsIn(target) };
}

interface Judged {
  readonly world: World;
  readonly link: Link;
  readonly wrong: readonly string[];
  readonly answer?: Parameters<typeof aftermath>[2];
}

/** Puts the directory back and adds what the next run finds, and what changed in the link's target. */
function judge(tally: Tally, name: string, { world: context, link, wrong, answer }: Judged): void {
  const changed = changedNames(link.before, textsIn(link.target));
  putBack(link.path);
  const trial = aftermath(name, context, answer);
  const outside = changed.length > 0 ? [`changed in the link's target: ${changed.join(", ")}`] : [];
  tally.add({ ...trial, wrong: [...wrong, ...outside, ...trial.wrong] });
  discard(context.project);
  discard(link.target);
}

function putBack(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(path);
  if (existsSync(`${path}${AWAY}`)) renameSync(`${path}${AWAY}`, path);
}

function textsIn(directory: string): ReadonlyMap<string, string | undefined> {
  return new Map(walk(directory).map((path) => [path, textOf(path)]));
}

function changedNames(
  before: ReadonlyMap<string, string | undefined>,
  after: ReadonlyMap<string, string | undefined>,
): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.has(name) !== after.has(name) || before.get(name) !== after.get(name));
}
