import { err } from "../../../kernel/result.ts";
import type { RunStore, StoreResult } from "./contract.ts";
import { storeError } from "./store-error.ts";

/** Path that a URL of a SQLite store names; undefined for other URLs. */
export function sqlitePath(url: string): string | undefined {
  return url.startsWith("sqlite:") ? url.slice("sqlite:".length).replace(/^\/\/(?=\/|$)/, "") : undefined;
}

/**
 * Opens the store that a URL names: `postgres://…`, or `sqlite:` and a path. With `init` it creates the tables first;
 * a SQLite store always does. The database's package is loaded when its store is opened.
 */
export async function openStore(
  url: string,
  { schema, init = false }: { readonly schema?: string | undefined; readonly init?: boolean } = {},
): StoreResult<RunStore> {
  const path = sqlitePath(url);
  if (path !== undefined) {
    const { openSqliteStore } = await import("./sqlite.ts");
    return openSqliteStore({ path });
  }
  if (/^postgres(?:ql)?:/.test(url)) {
    const { initPostgresStore, openPostgresStore } = await import("./postgres.ts");
    const location = { url, ...(schema === undefined ? {} : { schema }) };
    const made = init ? await initPostgresStore(location) : undefined;
    return made?.ok === false ? made : openPostgresStore({ ...location, connections: 2 });
  }
  return err(
    storeError("bad_url", "The URL isn't the URL of a store. Use postgres://user@host:5432/database or sqlite:<path>."),
  );
}
