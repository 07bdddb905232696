import { homedir } from "node:os";
import { basename, join, relative, resolve, sep } from "node:path";
import { hashText } from "../base/hash.ts";
import { findGit } from "./git-directory.ts";

/** Where veritest keeps what does not belong into git. Nothing is made until something is written there. */
export interface Places {
  /** The project's root, absolute. */
  readonly root: string;
  /** The top of the git work tree, or the project's root outside of git: nothing beyond it is ever written. */
  readonly area: string;
  /** Proposals, transactions and the lock of this project in this work tree. */
  readonly state: string;
  /** Notes and receipts: shared by the work trees of a repository, and kept when one is removed. */
  readonly notes: string;
}

/**
 * The places of a project. Inside git's own directory nothing shows in `git status`, no watcher re-runs, and `git
 * clean` keeps it; outside of git, `<root>/.veritest` is used, which whoever makes it gives a `.gitignore` of its
 * own. `VERITEST_STATE_DIR` and `VERITEST_NOTES_DIR` override. Reads the file system, writes nothing.
 */
export function placesOf(root: string, environment: NodeJS.ProcessEnv): Places {
  const git = findGit(root);
  const named = (variable: string): string | undefined => {
    const path = environment[variable];
    return path === undefined || path === "" ? undefined : resolve(root, path);
  };
  if (git === undefined) {
    const state = named("VERITEST_STATE_DIR") ?? join(root, ".veritest");
    return {
      root,
      area: root,
      state,
      notes: named("VERITEST_NOTES_DIR") ?? join(stateHome(environment), "veritest", idOf(root), "notes"),
    };
  }
  // A repository may hold several projects, each with transactions of its own.
  const id = hashText(relative(git.top, root).split(sep).join("/")).replace("sha256:", "").slice(0, 8);
  return {
    root,
    area: git.top,
    state: named("VERITEST_STATE_DIR") ?? join(git.gitDir, "veritest", id),
    notes: named("VERITEST_NOTES_DIR") ?? join(git.commonDir, "veritest", "notes"),
  };
}

function stateHome(environment: NodeJS.ProcessEnv): string {
  const home = environment["XDG_STATE_HOME"];
  return home === undefined || home === "" ? join(homedir(), ".local", "state") : home;
}

function idOf(root: string): string {
  return `${basename(root).replaceAll(/[^\w.-]/g, "-")}-${hashText(root).replace("sha256:", "").slice(0, 8)}`;
}
