import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parseCLI } from "vitest/node";
import { headingSlugs, proseOf } from "./site/heading-slugs.ts";
import { REPOSITORY } from "./trial/repository.ts";

/** More than this nobody reads in one go: cut, or say it where it belongs. Counted as `wc -w` counts. */
const MAX_WORDS = 2500;

const read = (page: string): string => readFileSync(join(REPOSITORY, page), "utf8");
const PAGES = ["README.md", ...globSync(["docs/*.md", "docs/!(decisions)/*.md"], { cwd: REPOSITORY }).toSorted()];
/** Pages of the repository that the package leaves out, because they link to its sources. */
const UNSHIPPED: ReadonlySet<string> = new Set(["docs/architecture.md", "CONTRIBUTING.md"]);
const SHIPPED = PAGES.filter((page) => !UNSHIPPED.has(page));
const OTHERS = ["docs/decisions/*.md", "examples/*/README.md", "{bench,faults}/README.md"];
const LINKING = ["CONTRIBUTING.md", ...PAGES, ...globSync(OTHERS, { cwd: REPOSITORY })];

/** The links of a page to files of the repository that lead nowhere. */
function brokenLinks(page: string): readonly string[] {
  const prose = proseOf(read(page)).replaceAll(/`[^`\n]*`/g, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? join(REPOSITORY, page) : resolve(REPOSITORY, dirname(page), path);
    if (!existsSync(file)) return true;
    return anchor !== undefined && file.endsWith(".md") && !headingSlugs(readFileSync(file, "utf8")).has(anchor);
  });
}

describe.each(PAGES)("%s", (page) => {
  test(`has no more than ${MAX_WORDS} words`, () => {
    expect(read(page).split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(MAX_WORDS);
  });

  test("describes its purpose in a sentence below its title", () => {
    const [title = "", first = ""] = read(page).split("\n\n");
    expect(title).toMatch(/^# .+$/);
    expect(first).toMatch(/^(?!```|[#|<-])./);
  });
});

test("README has at most 600 words", () => {
  expect(read("README.md").split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(600);
});

test.each(LINKING)("the links of %s aren't broken", (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

test("the index links every page", () => {
  const linksOf = (page: string): readonly string[] =>
    [...read(page).matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g)].map(([, path = ""]) => join(dirname(page), path));
  const linked = [...linksOf("docs/README.md"), ...linksOf("docs/integrations/README.md")];
  const others = SHIPPED.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  expect(others.filter((page) => !linked.includes(page))).toEqual([]);
});

test("shipped pages link no page that the package leaves out", () => {
  const links = SHIPPED.flatMap((page) =>
    [...read(page).matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g)].map(([, path = ""]) => join(dirname(page), path)),
  );
  expect(links.filter((path) => UNSHIPPED.has(path))).toEqual([]);
});

/** Commands of a text that run Vitest, or a script that does, with `-u`. */
function updateCommands(text: string): readonly string[] {
  const commands = text.matchAll(
    /\b(?:vitest|(?:npm|pnpm|yarn|bun) (?:run )?test)\b(?: [^\n`#|&;()]*)? (?:-u|--update)\b[^\n`#|&;()]*/g,
  );
  return [...commands].map(([command]) => command.trim().replace(/^\w+ (?:run )?test\b(?: --(?= ))?/, "vitest run"));
}

/** Commands whose `-u` takes the next word, such as a file, as its value: Vitest 4.1 and later read them so. */
function swallowingCommands(text: string): readonly string[] {
  return updateCommands(text).filter((command) => parseCLI(command).options.update !== true);
}

test.each([
  ["npx vitest run -u a.test.ts", ["vitest run -u a.test.ts"]],
  ["`VERITEST_MODE=live npx vitest --update src/a` and", ["vitest --update src/a"]],
  ["npm test -- -u a", ["vitest run -u a"]],
  ["pnpm test -u a", ["vitest run -u a"]],
  ['npx vitest run a.test.ts -t "^a -u b$" -u', []],
  ["npx vitest run -u --shard=1/3 # in each shard", []],
  ["npx vitest run -u              # run again", []],
  ["npm test -- -u", []],
])("the check of commands with -u finds a value of it: %s", (text, wrong) => {
  expect([updateCommands(text).length, swallowingCommands(text)]).toStrictEqual([1, wrong]);
});

test.each([
  ...LINKING,
  "SKILL.md",
  "action.yml",
  "scripts/messages.txt",
])("-u takes no file as its value in the commands of %s", (page) => {
  expect(swallowingCommands(read(page))).toStrictEqual([]);
});
