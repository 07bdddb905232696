import { spawn } from "node:child_process";
import { escapeText } from "../../base/text.ts";
import { splitCommand } from "../../worktree/command-line.ts";
import type { CliIo } from "../io.ts";

/**
 * Opens a file in `$VISUAL`, else `$EDITOR`, and waits until it is closed. No shell reads either. The caller has given
 * the terminal back. Returns one sentence where that fails.
 */
export async function openEditor(
  path: string,
  { environment, cwd }: Pick<CliIo, "environment" | "cwd">,
): Promise<string | undefined> {
  const line = [environment["VISUAL"], environment["EDITOR"]].find((name) => name !== undefined && name.trim() !== "");
  if (line === undefined) return "No editor is set: set VISUAL or EDITOR.";
  const command = splitCommand(line);
  if (!command.ok) return "VISUAL or EDITOR needs a shell to be read: give a program and its arguments.";
  const [program = "", ...args] = command.value;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, path], { stdio: "inherit", env: environment, cwd });
    child.on("error", (error) => resolve(`${escapeText(program)} cannot be started: ${escapeText(error.message)}.`));
    child.on("exit", (code) =>
      resolve(code === 0 ? undefined : `${escapeText(program)} ended with ${code ?? "a signal"}.`),
    );
  });
}
