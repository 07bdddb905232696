/** Package managers, in any folder, and other scripts of Windows: Node starts them only with a shell. */
const SCRIPTS = /(?:^|[\\/])(?:npm|npx|pnpm|pnpx|yarn|bunx?)$|\.(?:cmd|bat)$/i;

/** A program and its arguments, as Node starts it. */
interface StartedCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly shell: boolean;
}

/** Returns how to start a command. On Windows, a script is one line for its shell; all else needs no shell. */
export function startedCommand(
  [program = "", ...args]: readonly string[],
  platform: NodeJS.Platform = process.platform,
): StartedCommand {
  if (platform !== "win32" || !SCRIPTS.test(program)) return { program, args, shell: false };
  // The shell reads what follows a slash as an option of the program.
  const path = program.replaceAll("/", "\\");
  return { program: [path, ...args].map(quoteForCmd).join(" "), args: [], shell: true };
}

/** Quotes a word. Programs read backslashes before a quote as escapes, and as themselves elsewhere. */
function quoteForCmd(word: string): string {
  if (/^[\w./\\:=@+,-]+$/.test(word)) return word;
  return `"${word.replaceAll(/(\\*)"/g, '$1$1""').replace(/\\+$/, "$&$&")}"`;
}
