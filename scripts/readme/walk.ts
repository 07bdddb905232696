import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../trial/repository.ts";
import { type Block, readBlocks } from "./read-blocks.ts";

/** What a page shows of a project: its files, a change of one of them, and the output of runs. */
export interface Walk {
  readonly text: string;
  /** Files by path. Without a configuration of the page's own, that of the getting started page. */
  readonly files: ReadonlyMap<string, string>;
  readonly change: { readonly file: string; readonly lines: string };
  /** Returns the output that the page shows of a run. Throws if it shows none of that name. */
  readonly outputOf: (run: string) => string;
  /** Returns true if the page shows the output of a run. */
  readonly shows: (run: string) => boolean;
}

/** The page that shows the configurations of both runners. */
const CONFIGURED = "docs/getting-started.md";

/** Reads the walk of a page, with the files of one runner. */
export function readWalk(page: string, runner: "vitest" | "jest"): Walk {
  const text = read(page);
  const blocks = readBlocks(text);
  const blockOf = (isWanted: (block: Block) => boolean): Block => {
    const block = blocks.find(isWanted);
    if (block === undefined) throw new Error(`${page} no longer has the block that this test is about.`);
    return block;
  };
  const configured = filesOf(readBlocks(read(CONFIGURED)), runner).filter(([path]) => path.includes(".config."));
  return {
    text,
    files: new Map([...configured, ...filesOf(blocks, runner)]),
    get change() {
      const { attributes, text: lines } = blockOf(({ language }) => language === "diff");
      return { file: attributes.get("file") ?? "", lines };
    },
    shows: (run) => blocks.some(({ attributes }) => attributes.get("run") === run),
    outputOf: (run) => blockOf(({ attributes }) => attributes.get("run") === run).text,
  };
}

const read = (page: string): string => readFileSync(join(REPOSITORY, page), "utf8");

/** Returns the files that blocks show for a runner; Jest gets them without an import of Vitest. */
function filesOf(blocks: readonly Block[], runner: "vitest" | "jest"): [path: string, text: string][] {
  return blocks
    .filter(({ language, attributes }) => language !== "diff" && attributes.has("file"))
    .filter(({ attributes }) => (attributes.get("runner") ?? runner) === runner)
    .map(({ attributes, text }) => [
      attributes.get("file") ?? "",
      runner === "jest" ? text.replace(/^import .* from "vitest";.*\n/m, "") : text,
    ]);
}
