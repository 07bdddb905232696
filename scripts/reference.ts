/**
 * Writes what the types and the declared environment variables say into docs/configuration.md and
 * docs/matchers.md, `npm run reference`. A test refuses
 * pages that say something else.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AGENT_VARIABLES, CI_VARIABLES, SOURCE_VARIABLES } from "../src/kernel/environment.ts";
import { Types } from "./reference/list-options.ts";
import { renderMessages } from "./source/list-messages.ts";
import {
  BEGIN_VARIABLES,
  renderConfiguration,
  renderMatchers,
  renderVariables,
  withGenerated,
} from "./reference/render-reference.ts";

/** Each page with its new text. */
export function referencePages(types: Types): ReadonlyMap<string, string> {
  const generated = {
    "docs/configuration.md": renderConfiguration(types.configuration()),
    "docs/matchers.md": renderMatchers(types.matchers()),
  };
  const variables = renderVariables({
    user: types.variables("UserVariables"),
    tools: types.variables("ToolVariables"),
    lists: {
      "Mark a CI job, unless `CI` is set.": CI_VARIABLES,
      "Mark a coding agent, outside of CI.": AGENT_VARIABLES,
      "Name the commit, branch and pull request of a report.": SOURCE_VARIABLES,
    },
  });
  return new Map(
    Object.entries(generated).map(([page, part]) => {
      const path = fileURLToPath(new URL(`../${page}`, import.meta.url));
      const text = withGenerated(readFileSync(path, "utf8"), part);
      return [path, page === "docs/configuration.md" ? withGenerated(text, variables, BEGIN_VARIABLES) : text];
    }),
  );
}

/** Path of the file with every message, for reviewers who read them all in one place. */
export const MESSAGES: string = fileURLToPath(new URL("messages.txt", import.meta.url));

/** Returns every message of the product's sources, by file, without the titles of the tests of stores. */
export function messagesText(): string {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const files = globSync("src/**/*.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !/\.test(?:-d)?\.ts$|\/fixtures\/|\/store\/suite\/|\/verify\/language\.ts$/.test(path))
    .sort();
  return renderMessages(files.map((path) => ({ path, text: readFileSync(`${root}${path}`, "utf8") })));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of referencePages(new Types())) writeFileSync(path, text);
  writeFileSync(MESSAGES, messagesText());
}
