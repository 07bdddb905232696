import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../trial/repository.ts";
import { type Block, readBlocks } from "./read-blocks.ts";

/** README's text. */
export const README: string = readFileSync(join(REPOSITORY, "README.md"), "utf8");

/** The pages that go on with README's step, or show another first test. */
const PAGES = ["docs/kernel.md", "docs/projects.md"].map((page) => readFileSync(join(REPOSITORY, page), "utf8"));

const BLOCKS: readonly Block[] = [README, ...PAGES].flatMap(readBlocks);

/** The files that README and these pages show, by path; those for Jest only if requested. */
export function readmeFiles(runner: "vitest" | "jest"): ReadonlyMap<string, string> {
  const files = BLOCKS.filter(({ language, attributes }) => language !== "diff" && attributes.has("file"));
  const own = files.filter(({ attributes }) => (attributes.get("runner") ?? runner) === runner);
  return new Map(own.map(({ attributes, text }) => [attributes.get("file") ?? "", text]));
}

/** The output README shows of a run. Throws when it shows none of that name. */
export function shownOutput(run: string): string {
  return blockOf(({ attributes }) => attributes.get("run") === run).text;
}

/** The change README makes to the step: the file, and the lines before and after. */
export function shownChange(): { readonly file: string; readonly change: string } {
  const { attributes, text } = blockOf(({ language }) => language === "diff");
  return { file: attributes.get("file") ?? "", change: text };
}

function blockOf(wanted: (block: Block) => boolean): Block {
  const block = BLOCKS.find(wanted);
  if (block === undefined) throw new Error("README no longer has the block this test is about.");
  return block;
}
