import { readVariable } from "../../../kernel/environment.ts";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { displayPath } from "../../../baseline/library.ts";
import { hashText } from "../../../kernel/json/hash.ts";
import { quote } from "../../../kernel/text.ts";
import { type Result, ok } from "../../../kernel/result.ts";
import type { RunFilter, RunStore } from "../store/contract.ts";
import { openStore, sqlitePath } from "../store/open-store.ts";
import { StoreFailure, type StoredRunFilter } from "../store/stored-steps.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import type { OptionSpec } from "../../../cli/command.ts";
import type { ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { sinceOf } from "../../../cli/parse-since.ts";
import { refuse } from "../../../cli/terminal/say.ts";
import { sampleOf } from "../../../cli/sweep/sweep-request.ts";

/** How every command says which store it is about. */
export const STORE_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--url <url>",
    description: "the store: postgres://… or sqlite:<path> (VERITEST_STORE where it is left out)",
  },
  { flags: "--schema <name>", description: "the schema of PostgreSQL its tables are in (veritest)" },
];

/** Opens the store that is asked for, does something with it and closes it; where it cannot, says why. */
export async function askStore(
  input: CommandInput,
  io: CliIo,
  ask: (store: RunStore) => Promise<ExitCode>,
): Promise<ExitCode> {
  const url = input.text("url") ?? readVariable(io.environment, "VERITEST_STORE");
  if (url === undefined || url === "")
    return refuse(
      io,
      "Which store? Name it: --url postgres://user@host:5432/database, or sqlite:<path>, or VERITEST_STORE.",
    );
  return withStore(url, { schema: input.text("schema"), init: input.operands[0] === "init" }, { io, ask });
}

async function withStore(
  url: string,
  options: NonNullable<Parameters<typeof openStore>[1]>,
  { io, ask }: { readonly io: CliIo; readonly ask: (store: RunStore) => Promise<ExitCode> },
): Promise<ExitCode> {
  const path = sqlitePath(url);
  const file = path === undefined || path === "" || path === ":memory:" ? undefined : resolve(io.cwd, path);
  // Who only reads, and mistypes the name, is not to find an empty store of that name.
  if (file !== undefined && options.init !== true && !existsSync(file))
    return refuse(
      io,
      `There is no store ${quote(displayPath(file))}. Make one: veritest store init --url ${quote(url)}`,
    );
  const store = await openStore(file === undefined ? url : `sqlite:${file}`, options);
  if (!store.ok) return refuse(io, store.error.message);
  try {
    return await ask(store.value);
  } catch (thrown) {
    // What was read page by page was not there to the end.
    if (thrown instanceof StoreFailure) return refuse(io, thrown.message);
    throw thrown;
  } finally {
    await store.value.close();
  }
}

/** Stored runs that a command is about. */
export interface StoredRuns {
  readonly store: RunStore;
  readonly filter: StoredRunFilter;
}

/** How commands that read stored runs say which. */
export const FROM_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--from <url>",
    description: "runs of a store, instead of files: postgres://… or sqlite:<path>",
  },
  { flags: "--schema <name>", description: "with --from: the schema of PostgreSQL its tables are in (veritest)" },
  { flags: "--workflow <name>", description: "with --from: only runs of this workflow" },
  { flags: "--since <when>", description: "with --from: only runs begun since a date, or a span such as 2d" },
];

const ONLY_FROM = ["schema", "workflow", "since"] as const;

/** One sentence on an option that is of no use without `--from`. */
export function withoutFrom(input: CommandInput): string | undefined {
  const given = ONLY_FROM.find((name) => input.text(name) !== undefined);
  return given === undefined ? undefined : `--${given} is about stored runs: say of which store, --from <url>.`;
}

/** Which runs `--workflow` and `--since` leave. */
export function askedRuns(input: CommandInput): Result<Pick<RunFilter, "workflowId" | "since">, string> {
  const since = sinceOf(input);
  if (!since.ok) return since;
  const workflowId = input.text("workflow");
  return ok({
    ...(workflowId === undefined ? {} : { workflowId }),
    ...(since.value === undefined ? {} : { since: since.value }),
  });
}

/** Opens the store that `--from` names, for what `ask` does with the runs that the other options leave. */
export async function askStoredRuns(
  input: CommandInput,
  io: CliIo,
  ask: (runs: StoredRuns) => Promise<ExitCode>,
): Promise<ExitCode> {
  const runs = askedRuns(input);
  if (!runs.ok) return refuse(io, runs.error);
  const drawn = sampleOf(input);
  if (!drawn.ok) return refuse(io, drawn.error);
  const { sample, seed } = drawn.value;
  const filter = {
    ...runs.value,
    ...(sample === undefined ? {} : { sample, seed: Number.parseInt(hashText(seed).slice(7, 15), 16) }),
  };
  return withStore(
    input.text("from") ?? "",
    { schema: input.text("schema") },
    { io, ask: async (store) => ask({ store, filter }) },
  );
}
