import type { Settler } from "../../settle/settler.ts";
import { type DroppedChange, tidyPending } from "../../settle/pending/tidy-pending.ts";
import type { CliIo } from "../io.ts";
import { oneLine, say } from "../say.ts";

/** Drops what has no more meaning before anybody decides on it, and says so. */
export function tidy({ places, policy, now }: Settler, io: CliIo): readonly DroppedChange[] {
  const dropped = tidyPending(places, { clean: new Set(), pendingDays: policy.pendingDays, now: now.getTime() });
  say(
    io,
    dropped.map(({ change, because }) => oneLine(`dropped  ${change.key}  ${change.target}: ${wordsOf(because)}`)),
  );
  return dropped;
}

function wordsOf(because: DroppedChange["because"]): string {
  switch (because) {
    case "clean again":
      return "it was checked since and is clean";
    case "written meanwhile":
      return "its baseline holds it already";
    case "changed meanwhile":
      return "its baseline changed since";
    case "expired":
      return "it waited longer than transaction.pendingDays";
  }
}
