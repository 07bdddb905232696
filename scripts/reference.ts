/**
 * Writes what the types say into docs/configuration.md and docs/matcher-options.md, `npm run reference`. A test refuses
 * pages that say something else.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Types } from "./reference/list-options.ts";
import { renderConfiguration, renderMatchers, withGenerated } from "./reference/render-reference.ts";

/** Each page with what it says from now on. */
export function referencePages(types: Types): ReadonlyMap<string, string> {
  const generated = {
    "docs/configuration.md": renderConfiguration(types.configuration()),
    "docs/matcher-options.md": renderMatchers(types.matchers()),
  };
  return new Map(
    Object.entries(generated).map(([page, part]) => {
      const path = fileURLToPath(new URL(`../${page}`, import.meta.url));
      return [path, withGenerated(readFileSync(path, "utf8"), part)];
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of referencePages(new Types())) writeFileSync(path, text);
