import type { Command } from "./command.ts";

/** A command as the overview lists it; what else it is made of is loaded when it is asked for. */
export interface RegisteredCommand {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}

/** Every command, in the order of the overview. A new one is a file in `commands/` and a line here. */
export const COMMANDS: readonly RegisteredCommand[] = [
  { name: "log", summary: "list receipts, the newest first", load: async () => (await import("./commands/log.ts")).log },
  { name: "show", summary: "show one receipt in full", load: async () => (await import("./commands/show.ts")).show },
  { name: "verify-log", summary: "recompute the chain of receipts", load: async () => (await import("./commands/verify-log.ts")).verifyLog },
  { name: "notes", summary: "read notes", load: async () => (await import("./commands/notes.ts")).notes },
  { name: "note", summary: "write a note", load: async () => (await import("./commands/note.ts")).note },
];
