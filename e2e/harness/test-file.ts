/** The source of a test file with this body: it may use the runner, veritest and the shared steps. */
export function testFile(body: string, { steps = "./steps.js" }: { readonly steps?: string } = {}): string {
  return [
    'import { afterAll, afterEach, describe, expect, test } from "runner";',
    'import { fail, withReplay } from "veritest";',
    'import { diff, run } from "veritest/kernel";',
    `import { countWords, extractClaims, llm } from "${steps}";`,
    body,
    "",
  ].join("\n");
}
