import { join, relative } from "node:path";
import type { ReceiptGate } from "../notes/receipt.ts";
import type { GitCall } from "./git.ts";
import { gitEnvironment } from "../settle/git-environment.ts";
import type { Links } from "./links.ts";
import type { Repository } from "./repository.ts";
import type { RunOptions } from "./run-options.ts";
import { RUN_VARIABLE } from "./stop-processes.ts";

/** A run under way. */
export interface RunContext {
  readonly options: RunOptions;
  readonly repository: Repository;
  readonly links: Links;
  /** The folder that holds the run's work trees. */
  readonly folder: string;
  /** When the budget is used up, in milliseconds since 1970. */
  readonly deadline: number;
  /** What was asked so far and how it was answered, in order. */
  readonly gates: ReceiptGate[];
}

/** The run's two work trees: the one the command works in, and the one that its commit is checked in. */
export function treePath(
  { folder, options }: Pick<RunContext, "folder"> & { readonly options: Pick<RunOptions, "runId"> },
  tree: "run" | "check",
): string {
  return join(folder, `veritest-${options.runId}-${tree}`);
}

/** The project's folder inside a work tree of the run. */
export function projectIn({ options, repository }: RunContext, tree: string): string {
  return join(tree, relative(repository.top, options.places.root));
}

/** How git is called for a run: what it starts carries the run's mark, as everything else of the run does. */
export function gitCall(context: RunContext, cwd: string = context.repository.top): GitCall {
  return { cwd, environment: markedEnvironment(context.options) };
}

/** The environment of a run's programs: no variable leads their git to the user's checkout, and one tells the run. */
export function markedEnvironment({
  environment,
  runId,
}: Pick<RunOptions, "environment" | "runId">): NodeJS.ProcessEnv {
  return { ...gitEnvironment(environment), [RUN_VARIABLE]: runId };
}
