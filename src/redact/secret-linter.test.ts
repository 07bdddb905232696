import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { describe, expect, test } from "vitest";
import { secretCorpus } from "../../test-support/secret-corpus.ts";
import { PLACEMENTS } from "../../test-support/secret-placements.ts";
import { createRedactor } from "./create-redactor.ts";
import { PLACEHOLDER } from "./placeholder.ts";

const { redactText } = createRedactor();
const CORPUS = secretCorpus(Number(process.env["VERITEST_SEED"] ?? 1));

/** The rules of a linter that others keep, with its own shapes. */
const RULES = "@secretlint/secretlint-rule-preset-recommend";

/** What the linter finds in some texts, each with its rule. Together: it is slow to begin. */
async function lint(texts: readonly string[]): Promise<readonly string[]> {
  const content = texts.join("\n\n");
  const { messages } = await lintSource({
    source: { content, filePath: "note.txt", ext: ".txt", contentType: "text" },
    options: { config: { rules: [{ id: RULES, rule: creator }] }, noPhysicFilePath: true },
  });
  return messages.map(({ messageId, range: [start, end] }) => `${messageId}: ${content.slice(start, end)}`);
}

/** How many secrets of the corpus the linter knows where nothing is written in another way. */
const KNOWN = 40;

/** Where secrets are written in a way that the linter does not read. */
const UNREAD = ["colours of a terminal", "zero-width characters"];

describe.each(PLACEMENTS)("in $name", ({ name, text }) => {
  test("finds no more secrets after redaction", async () => {
    const texts = CORPUS.map((planted) => text(planted).text);
    // Without placeholders: a URL with one in the place of its password is as good as a URL with a password.
    const hidden = texts.map((one) => redactText(one).replaceAll(new RegExp(PLACEHOLDER, "g"), ""));
    expect(await lint(hidden)).toStrictEqual([]);
    expect((await lint(texts)).length).toBeGreaterThanOrEqual(UNREAD.includes(name) ? 1 : KNOWN);
  });
});
