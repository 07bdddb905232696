import { readVariable } from "../../../kernel/environment.ts";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { displayPath } from "../../../baseline/baseline-library.ts";
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
import { sinceOption } from "../../../cli/parse-since.ts";
import { printRefusal } from "../../../cli/terminal/print.ts";
import { sampleOf } from "../../../cli/cases/check-request.ts";

const SCHEMA_OPTION: OptionSpec = {
  flags: "--schema <name>",
  description: "PostgreSQL schema of the store's tables (default: veritest)",
};

/** Options that name the store. */
export const STORE_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--store <url>",
    description: "URL of the store: postgres://… or sqlite:<path> (default: VERITEST_STORE)",
  },
  SCHEMA_OPTION,
];

/** Opens the requested store, passes it to `use` and closes it. Prints the reason if the store can't be opened. */
export async function runWithStore(
  input: CommandInput,
  io: CliIo,
  { init = false, use }: { readonly init?: boolean; readonly use: (store: RunStore) => Promise<ExitCode> },
): Promise<ExitCode> {
  const url = input.text("store") ?? readVariable(io.environment, "VERITEST_STORE");
  if (url === undefined || url === "")
    return printRefusal(
      io,
      "No store was passed. Add --store postgres://user@host:5432/database, or sqlite:<path>, or VERITEST_STORE.",
    );
  return withStore(url, { schema: input.text("schema"), init }, { io, use });
}

async function withStore(
  url: string,
  options: NonNullable<Parameters<typeof openStore>[1]>,
  { io, use }: { readonly io: CliIo; readonly use: (store: RunStore) => Promise<ExitCode> },
): Promise<ExitCode> {
  const path = sqlitePath(url);
  if (path !== undefined && options.schema !== undefined)
    return printRefusal(
      io,
      `--schema only applies to PostgreSQL, and ${quote(url)} is a SQLite store. Remove --schema.`,
    );
  if (path === ":memory:")
    return printRefusal(io, "A store in memory ends with the command. Pass a file: --store sqlite:<path>.");
  const file = path === undefined || path.trim() === "" ? undefined : resolve(io.cwd, path);
  // Creating the file would hide a mistyped name behind an empty store.
  if (file !== undefined && options.init !== true && !existsSync(file))
    return printRefusal(
      io,
      `There is no store ${quote(displayPath(file))}. To create it, run: npx veritest store init --store ${quote(url)}`,
    );
  const store = await openStore(file === undefined ? url : `sqlite:${file}`, options);
  if (!store.ok) return printRefusal(io, store.error.message);
  try {
    return await use(store.value);
  } catch (thrown) {
    // A store that is read page by page can fail after its first page.
    if (thrown instanceof StoreFailure) return printRefusal(io, thrown.message);
    throw thrown;
  } finally {
    await store.value.close();
  }
}

/** Stored runs that a command reads. */
export interface StoredRuns {
  readonly store: RunStore;
  readonly filter: StoredRunFilter;
}

/** Options that select stored runs. */
export const FROM_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--store <url>",
    description: "read stored runs instead of files: postgres://… or sqlite:<path>",
  },
  SCHEMA_OPTION,
  { flags: "--workflow <name>", description: "with --store: only runs of this workflow" },
  { flags: "--since <when>", description: "with --store: only runs started since a date, or a time span such as 2d" },
];

/** Options of `capture --store`. */
export const CAPTURE_FROM_OPTIONS: readonly OptionSpec[] = [
  { flags: "--whole", description: "with --store: each run as one case of its workflowStep (default: each step)" },
];

const ONLY_FROM = ["schema", "workflow", "since"] as const;

/** Returns an error message if an option that needs `--store` is given without it. */
export function withoutFrom(input: CommandInput): string | undefined {
  const optionName =
    ONLY_FROM.find((name) => input.text(name) !== undefined) ?? (input.flag("whole") ? "whole" : undefined);
  return optionName === undefined ? undefined : `--${optionName} only applies to stored runs. Add --store <url>.`;
}

/** Returns the filter that `--workflow` and `--since` set. */
export function runFilterOption(input: CommandInput): Result<Pick<RunFilter, "workflowId" | "since">, string> {
  const since = sinceOption(input);
  if (!since.ok) return since;
  const workflowId = input.text("workflow");
  return ok({
    ...(workflowId === undefined ? {} : { workflowId }),
    ...(since.value === undefined ? {} : { since: since.value }),
  });
}

/** Opens the store that `--store` names and passes it to `use`, with the filter that the other options set. */
export async function runWithStoredRuns(
  input: CommandInput,
  io: CliIo,
  use: (runs: StoredRuns) => Promise<ExitCode>,
): Promise<ExitCode> {
  const runs = runFilterOption(input);
  if (!runs.ok) return printRefusal(io, runs.error);
  const sampling = sampleOf(input);
  if (!sampling.ok) return printRefusal(io, sampling.error);
  const { sample, seed } = sampling.value;
  const filter = {
    ...runs.value,
    ...(sample === undefined ? {} : { sample, seed: Number.parseInt(hashText(seed).slice(7, 15), 16) }),
  };
  return withStore(
    input.text("store") ?? "",
    { schema: input.text("schema") },
    { io, use: async (store) => use({ store, filter }) },
  );
}
