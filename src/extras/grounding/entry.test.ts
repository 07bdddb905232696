import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Names the packages that a fresh process has loaded after an import. */
function packagesLoadedBy(entry: string): string[] {
  const script = `
    import { registerHooks } from "node:module";
    const seen = new Set();
    registerHooks({ load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
      if (name !== undefined) seen.add(name);
      return next(url, context);
    } });
    await import(${JSON.stringify(entry)});
    console.log(JSON.stringify([...seen]));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--no-warnings", "--eval", script], {
    encoding: "utf8",
  });
  return JSON.parse(output);
}

test("importing veritest/grounding loads zod and no PDF, tracing, embedding or NLI code", { tags: "deep" }, () => {
  // What is published has the stemmer in its own files.
  expect(packagesLoadedBy(new URL("../../grounding.ts", import.meta.url).href)).toEqual(["zod", "stemmer"]);
});
