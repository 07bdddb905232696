/** Package managers: on Windows they are scripts, which Node starts only with a shell. */
const SCRIPTS = /^(?:npm|npx|pnpm|pnpx|yarn|bunx?)(?:\.cmd)?$/i;

/** A program and its arguments, as Node starts it. */
interface StartedCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly shell: boolean;
}

/** Returns how to start a command. On Windows, a package manager is one line for its shell; all else needs no shell. */
export function startedCommand(
  [program = "", ...args]: readonly string[],
  platform: NodeJS.Platform = process.platform,
): StartedCommand {
  if (platform !== "win32" || !SCRIPTS.test(program)) return { program, args, shell: false };
  return { program: [program, ...args.map(quoteForCmd)].join(" "), args: [], shell: true };
}

function quoteForCmd(word: string): string {
  return /^[\w./\\:=@+,-]+$/.test(word) ? word : `"${word.replaceAll('"', '""')}"`;
}
