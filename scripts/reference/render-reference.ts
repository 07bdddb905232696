import type { MatcherOptions, Option } from "./list-options.ts";

/** Between these lines a page is written from the types. */
const BEGIN = "<!-- From the types: npm run reference -->";
const END = "<!-- Here the types end. -->";

/** A page with its generated part replaced. Throws for a page without markers for one. */
export function withGenerated(page: string, generated: string, mark: string = BEGIN): string {
  const begin = page.indexOf(mark);
  const end = page.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error(`The page needs the lines ${mark} and ${END}.`);
  return `${page.slice(0, begin)}${mark}\n\n${generated}\n${page.slice(end)}`;
}

/** Line that begins the tables of environment variables. */
export const BEGIN_VARIABLES = "<!-- From the declared variables: npm run reference -->";

/** Renders the tables of environment variables: yours, those of other tools, and the lists that detect CI and agents. */
export function renderVariables({ user, tools, lists }: Variables): string {
  const rows = tools.map(({ name, comment }) => row([`\`${name}\``, comment]));
  const all = Object.entries(lists).map(([use, names]) => row([names.map((name) => `\`${name}\``).join(", "), use]));
  const head = [row(["variable of another tool", "description"]), row(["---", "---"])];
  return `${table(
    "variable",
    user.map((variable) => ({ ...variable, required: false })),
  )}\n${[...head, ...rows, ...all, ""].join("\n")}`;
}

/** Environment variables to render. */
export interface Variables {
  readonly user: readonly Option[];
  readonly tools: readonly Option[];
  /** Names of variables that have one use, by that use. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** The keys of a configuration as one table. */
export function renderConfiguration(keys: readonly Option[]): string {
  return table("key", keys);
}

/** Renders the options of matchers, a table for each. Options that several take follow, a table for each set of matchers. */
export function renderMatchers(matchers: readonly MatcherOptions[]): string {
  const shared = sharedBy(matchers);
  const parts = matchers.map(({ matcher, of, options }) => {
    const own = options.filter((option) => !shared.has(keyOf(option)));
    const sharedNames = options.filter((option) => shared.has(keyOf(option))).map(({ name }) => `\`${name}\``);
    const title = `## ${matcher}${of === undefined ? "" : ` with ${of}`}\n`;
    const also =
      sharedNames.length === 0 ? "" : `${own.length === 0 ? "" : "\n"}Shared options: ${sharedNames.join(", ")}.\n`;
    return `${title}\n${own.length === 0 ? "" : table("option", own)}${also}`;
  });
  const groups = Map.groupBy(shared.values(), (option) => takersOf(option, matchers));
  const tables = [...groups].map(([takers, options]) => `**${takers}:**\n\n${table("option", options)}`);
  return `${parts.join("\n")}\n## Shared options\n\n${tables.join("\n")}`;
}

/** Returns the matchers that take an option: a name alone if all its forms take it, otherwise the forms. */
function takersOf(option: Option, matchers: readonly MatcherOptions[]): string {
  const key = keyOf(option);
  const doesTake = ({ options }: MatcherOptions): boolean => options.some((other) => keyOf(other) === key);
  const names = [...new Set(matchers.filter(doesTake).map(({ matcher }) => matcher))];
  return names
    .map((name) => {
      const forms = matchers.filter(({ matcher }) => matcher === name);
      const taking = forms.filter(doesTake).flatMap(({ of }) => of ?? []);
      return `\`${name}\`${taking.length === 0 || taking.length === forms.length ? "" : ` with ${taking.join(", ")}`}`;
    })
    .join(", ");
}

/** So many matchers must take an option alike for it to be listed among the shared ones. */
const SEVERAL = 2;

function sharedBy(matchers: readonly MatcherOptions[]): ReadonlyMap<string, Option> {
  const every = matchers.flatMap(({ options }) => options);
  const isShared = (option: Option): boolean =>
    every.filter((other) => keyOf(other) === keyOf(option)).length >= SEVERAL;
  return new Map(every.filter(isShared).map((option) => [keyOf(option), option]));
}

function keyOf({ name, type, comment }: Option): string {
  return JSON.stringify([name, type, comment]);
}

function table(head: string, options: readonly Option[]): string {
  const rows = options.map(({ name, type, required, comment }) =>
    row([`\`${name}\`${required ? " (required)" : ""}`, `\`${type}\``, comment]),
  );
  return [row([head, "type", "description"]), row(["---", "---", "---"]), ...rows, ""].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
