import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { parseConfig } from "../src/config/config-schema.ts";
import { referencePages } from "./reference.ts";
import { Types } from "./reference/list-options.ts";
import { renderMatchers, renderVariables, withGenerated } from "./reference/render-reference.ts";

let types: Types;
beforeAll(() => {
  types = new Types();
});

test("reference pages match the types; otherwise run npm run reference", () => {
  for (const [path, text] of referencePages(types)) expect(readFileSync(path, "utf8"), path).toBe(text);
});

test("every key and option has a comment at its declaration", () => {
  const silent = types.configuration().flatMap(({ name, comment }) => (comment === "" ? [name] : []));
  for (const { matcher, options } of types.matchers())
    silent.push(...options.flatMap(({ name, comment }) => (comment === "" ? [`${matcher}: ${name}`] : [])));
  const variables = [...types.variables("UserVariables"), ...types.variables("ToolVariables")];
  silent.push(...variables.flatMap(({ name, comment }) => (comment === "" ? [name] : [])));
  expect(silent).toEqual([]);
});

test("the configuration schema has exactly the keys of its type", () => {
  const issuesOf = (name: string): string => {
    const value = name.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), Symbol("none"));
    const parsed = parseConfig(value);
    return "issues" in parsed ? parsed.issues.map(({ message }) => message).join(" ") : "";
  };
  for (const { name } of types.configuration()) {
    expect(issuesOf(name), name).not.toContain("Unrecognized key");
    expect(issuesOf(`${name}Too`), name).toContain("Unrecognized key");
  }
});

test("lists options of several matchers once, below, with the matchers that take them", () => {
  const option = { name: "names", type: "string[]", required: false, comment: "Only these | those." };
  const own = { name: "full", type: '"a" | "b"', required: true, comment: "All." };
  const both = { ...option, name: "labels" };
  const text = renderMatchers([
    { matcher: "toReplay", options: [option] },
    { matcher: "toBePure", of: "a step", options: [option, own, both] },
    { matcher: "toBePure", of: "a value", options: [both] },
  ]);
  expect(text).toBe(`## toReplay

Shared options: \`names\`.

## toBePure with a step

| option | type | description |
| --- | --- | --- |
| \`full\` (required) | \`"a" \\| "b"\` | All. |

Shared options: \`names\`, \`labels\`.

## toBePure with a value

Shared options: \`labels\`.

## Shared options

**\`toReplay\`, \`toBePure\` with a step:**

| option | type | description |
| --- | --- | --- |
| \`names\` | \`string[]\` | Only these \\| those. |

**\`toBePure\`:**

| option | type | description |
| --- | --- | --- |
| \`labels\` | \`string[]\` | Only these \\| those. |
`);
});

test("lists variables in two tables: veritest's own with their values, and those of other tools", () => {
  const option = { required: true, comment: "Actor." };
  const text = renderVariables({
    user: [{ ...option, name: "VERITEST_ACTOR", type: '"human" | "ci"' }],
    tools: [{ ...option, name: "CI", type: "string" }],
    lists: { "Mark an agent.": ["AGENT", "AI_AGENT"] },
  });
  expect(text).toBe(`| variable | type | description |
| --- | --- | --- |
| \`VERITEST_ACTOR\` | \`"human" \\| "ci"\` | Actor. |

| variable of another tool | description |
| --- | --- |
| \`CI\` | Actor. |
| \`AGENT\`, \`AI_AGENT\` | Mark an agent. |
`);
});

test("refuses a page without markers for its types", () => {
  expect(() => withGenerated("# Page\n", "table")).toThrow(
    "The page needs the lines <!-- From the types: npm run reference --> and <!-- Here the types end. -->.",
  );
});
