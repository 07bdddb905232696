import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isPlainObject } from "../../base/plain-data.ts";
import { editOf } from "../../diff/edit.ts";
import type { CliIo } from "../io.ts";
import { CONFIG_FILES } from "../../files/places.ts";
import type { DetectedProject } from "./detect-project.ts";
import type { HandWork, PlannedFile } from "./plan-init.ts";

/** A configuration with more changed lines than this is shown by its name alone. */
const MAX_EDITS = 200;

/**
 * A file that is to be written, as a diff: all of a new one, of another the lines that change with one around them.
 * Not safe to print.
 */
export function fileLines({ path, before, after }: PlannedFile): string[] {
  if (before === undefined) return [`${path} (new)`, ...textLines(after).map((line) => `  + ${line}`.trimEnd())];
  const edit = editOf(textLines(before), textLines(after));
  const steps = edit.filter(({ kind }) => kind !== "same").length > MAX_EDITS ? [] : edit;
  const near = (index: number): boolean =>
    [-1, 0, 1].some((offset) => (steps[index + offset]?.kind ?? "same") !== "same");
  const shown = steps.flatMap(({ kind, item }, index) => {
    if (near(index)) return [`  ${SIGNS[kind]} ${item}`.trimEnd()];
    return near(index - 1) && index < steps.length - 1 ? ["  …"] : [];
  });
  return [path, ...shown];
}

function textLines(text: string): string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

/** What somebody has to write by hand. Not safe to print. */
export function handLines({ path, because, lines }: HandWork): string[] {
  return [`${path} is left as it is: ${because}. Write into it by hand:`, ...lines.map((line) => `  ${line}`)];
}

/** What to type next: what is missing first, then the commands of every day that the project is set up for. */
export function nextLines(project: DetectedProject, missing: readonly string[]): string[] {
  const { manager, runner, root } = project;
  const configured = CONFIG_FILES.some((name) => existsSync(join(root, name)));
  const run = runner === "vitest" ? `${manager.exec} vitest run` : `${moduleFlag(project)}${manager.exec} jest`;
  const commands: readonly (readonly [string, string])[] = [
    ...(missing.length === 0
      ? []
      : ([[[...manager.add, ...missing].join(" "), "what is not in package.json yet"]] as const)),
    [run, "captures what has no baseline yet: read it and commit it. With CI=1 it only compares"],
    ...(configured
      ? ([[`${manager.exec} veritest diff`, "after a change: what it does to each baseline, and why"]] as const)
      : []),
    [`${manager.exec} veritest review`, "shows each change that waits, to accept or to reject"],
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  return ["Next:", ...commands.map(([command, what]) => `  ${command.padEnd(width)}   ${what}`)];
}

/** Jest loads ES modules as such only with a flag of Node, unless something transforms them. */
function moduleFlag(project: DetectedProject): string {
  const { root, esm, typescript, manifest } = project;
  const scripts = isPlainObject(manifest["scripts"]) ? Object.values(manifest["scripts"]).join(" ") : "";
  const transformed =
    typescript ||
    readdirSync(root).some((name) => /^(?:babel\.config\.|\.babelrc)/.test(name)) ||
    Object.hasOwn(manifest, "babel") ||
    mentionsTransform(project);
  return esm && !transformed && !scripts.includes("--experimental-vm-modules")
    ? "NODE_OPTIONS=--experimental-vm-modules "
    : "";
}

function mentionsTransform({ root, configFile }: DetectedProject): boolean {
  return (
    configFile !== undefined &&
    existsSync(join(root, configFile)) &&
    /\btransform\b/.test(readFileSync(join(root, configFile), "utf8"))
  );
}

/** Asks in a terminal, and waits for a line. Anything but yes is no: an empty line, the end of the input. */
export async function askYes(question: string, { stdin, stdout }: Pick<CliIo, "stdin" | "stdout">): Promise<boolean> {
  stdout.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(undefined));
  });
  lines.close();
  // Who types a line ends it; what ends the input does not.
  if (answer === undefined) stdout.write("\n");
  return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
}
