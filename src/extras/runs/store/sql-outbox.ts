import { err, ok } from "../../../kernel/result.ts";
import type { Outbox, StoreResult } from "./contract.ts";
import { type Fields, commandOf, number, text } from "./rows.ts";
import type { SqlValue } from "./sql-schema.ts";
import type { Statements } from "./sql-statements.ts";
import { leaseMismatch } from "./store-error.ts";

/** Parts of a store that its outbox uses. */
export interface SqlAccess {
  readonly read: <T>(
    statement: string,
    values: readonly unknown[],
    read: (rows: readonly Fields[]) => T,
  ) => StoreResult<T>;
  readonly statements: () => Statements;
  readonly now: () => number | null;
  readonly list: (texts: readonly string[]) => SqlValue;
}

/** Returns the outbox of a store in any database. */
export function sqlOutbox({ read, statements, now, list }: SqlAccess): Outbox {
  return {
    get: async (key) =>
      read(statements().commandByKey, [key], ([row]) => (row === undefined ? undefined : commandOf(row))),
    lease: async ({ owner, limit, leaseMs }) =>
      read(statements().lease, [now(), limit, owner, leaseMs], (rows) =>
        rows
          .toSorted(
            (a, b) => number(a, "available_at") - number(b, "available_at") || number(a, "seq") - number(b, "seq"),
          )
          .map(commandOf),
      ),
    markDispatched: async ({ owner, keys, queued = false }) => {
      const marked = await read(statements().markDispatched, [list(keys), owner, queued ? 1 : 0], (rows) =>
        rows.map((row) => text(row, "key")),
      );
      if (!marked.ok) return marked;
      const done = new Set(marked.value);
      const unmarked = keys.filter((key) => !done.has(key));
      return unmarked.length === 0 ? ok({ marked: keys.length }) : err(leaseMismatch(owner, unmarked));
    },
    renew: async ({ owner, keys, leaseMs }) =>
      read(statements().renew, [now(), list(keys), owner, leaseMs], (rows) => ({
        renewed: rows.length,
      })),
    countDeath: async (key) =>
      read(statements().countDeath, [key], ([row]) => row && { deaths: number(row, "deaths") }),
    finish: async (key) => read(statements().finishQueued, [key], (rows) => ({ finished: rows.length === 1 })),
    markFailed: async ({ owner, key, error, retryMs, uncounted = false }) => {
      const json = JSON.stringify({ code: error.code, message: error.message });
      const marked = await (retryMs === undefined
        ? read(statements().markFailed, [key, owner, json], (rows) => rows.length)
        : read(statements().markRetry, [key, owner, json, retryMs, uncounted ? 1 : 0, now()], (rows) => rows.length));
      if (!marked.ok) return marked;
      return marked.value === 1
        ? ok({ status: retryMs === undefined ? "failed" : "pending" })
        : err(leaseMismatch(owner, [key]));
    },
    reclaim: async () => read(statements().reclaim, [now()], (rows) => ({ reclaimed: rows.length })),
  };
}
