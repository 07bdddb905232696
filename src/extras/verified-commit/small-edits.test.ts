import { expect, test } from "vitest";
import { smallEdits } from "./small-edits.ts";

const OLD = `import { audit } from "./audit.ts";

const limit = 100;
const pattern = /^\\d{1,2}$/;

export async function price(net: number, country: string): Promise<number> {
  if (net < 0) throw new Error("net is negative");
  audit.write(net);
  const rate = country === "DE" ? 19 : 20;
  try {
    await audit.flush();
  } catch (error) {
    console.error(error);
    throw error;
  }
  return Math.round((net * rate) / limit);
}
`;

/** Lines of the new version that are edits, and the old text of the first, if a replacement is made. */
function editsAfter(...replacements: readonly (readonly [string, string])[]): readonly string[] {
  const after = replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`no ${from}`);
    return text.replace(from, () => to);
  }, OLD);
  return smallEdits([{ path: "price.ts", before: OLD, after }]).map(({ source }) => source);
}

test.each<readonly [string, string, string, readonly string[]]>([
  ["a number", "limit = 100", "limit = 10", ["const limit = 10;"]],
  ["a pattern", "{1,2}", "{1,3}", ["const pattern = /^\\d{1,3}$/;"]],
  ["an operator", "net < 0", "net <= 0", ['if (net <= 0) throw new Error("net is negative");']],
  ["a compared text", '"DE"', '"AT"', ['const rate = country === "AT" ? 19 : 20;']],
  ["another method", "Math.round", "Math.floor", ["return Math.floor((net * rate) / limit);"]],
  ["another variable", "(net * rate)", "(rate * rate)", ["return Math.round((rate * rate) / limit);"]],
  [
    "a part around another",
    "Math.round((net * rate) / limit)",
    "Math.round((net * rate) / limit) * Number(net < 5000)",
    ["return Math.round((net * rate) / limit) * Number(net < 5000);"],
  ],
  [
    "a part that is left out",
    "Math.round((net * rate) / limit)",
    "(net * rate) / limit",
    ["return (net * rate) / limit;"],
  ],
  [
    "a removed guard",
    '  if (net < 0) throw new Error("net is negative");\n',
    "",
    ['(removed) if (net < 0) throw new Error("net is negative");'],
  ],
  [
    "a guard in a comment",
    '  if (net < 0) throw new Error("net is negative");\n',
    '  // if (net < 0) throw new Error("net is negative");\n  const unused = 1;\n',
    ['(removed) if (net < 0) throw new Error("net is negative");'],
  ],
  ["a removed action", "  audit.write(net);\n", "", ["(removed) audit.write(net);"]],
  ["an added action", "  audit.write(net);\n", "  audit.write(net);\n  audit.reset();\n", ["audit.reset();"]],
  ["a removed await", "await audit.flush()", "audit.flush()", ["audit.flush();"]],
  ["a removed throw", "    throw error;\n", "", ["(removed) throw error;"]],
  [
    "a removed try",
    "  try {\n    await audit.flush();\n  } catch (error) {\n    console.error(error);\n    throw error;\n  }\n",
    "  await audit.flush();\n",
    ["await audit.flush();"],
  ],
  ["an added condition", "  audit.write(net);\n", "  if (net > 5) {\n    audit.write(net);\n  }\n", ["if (net > 5) {"]],
  ["another method with other arguments", "audit.write(net)", "audit.skip()", ["audit.skip();"]],
  ["another module", '"./audit.ts"', '"./audits.ts"', ['import { audit } from "./audits.ts";']],
  ["an argument", "audit.write(net)", "audit.write(net, rate)", ["audit.write(net, rate);"]],
])("finds %s", (_, from, to, expected) => {
  expect(editsAfter([from, to])).toStrictEqual(expected);
});

test.each<readonly [string, string, string]>([
  ["a message", "net is negative", "the net is negative"],
  ["a log", "    console.error(error);\n", ""],
  ["a cause", 'new Error("net is negative")', 'new Error("net is negative", { cause: net })'],
  ["a type", "net: number", "net: number | undefined"],
  ["a comment", "  audit.write(net);\n", "  // Before the rate.\n  audit.write(net);\n"],
  ["another spelling of a number", "limit = 100", "limit = 1_00"],
  ["brackets and white space", "(net * rate) / limit", "((net\n * rate)) / limit"],
  [
    "a moved statement",
    '  if (net < 0) throw new Error("net is negative");\n  audit.write(net);\n',
    '  audit.write(net);\n  if (net < 0) throw new Error("net is negative");\n',
  ],
  [
    "a new function",
    "const limit",
    "export function twice(net: number): number {\n  return net * 2;\n}\n\nconst limit",
  ],
  ["a new name", "const rate", "const percent"],
  ["an extracted function", '  if (net < 0) throw new Error("net is negative");\n', "  checkNet(net);\n"],
  [
    "statements that become one",
    '  audit.write(net);\n  const rate = country === "DE" ? 19 : 20;\n',
    "  const rate = audit.write(net).rateOf(country);\n",
  ],
  ["an import", 'import { audit } from "./audit.ts";', 'import { audit, type Entry } from "./audit.ts";'],
])("finds no edit in %s", (_, from, to) => {
  expect(editsAfter([from, to])).toStrictEqual([]);
});

test("returns the new file without the edit", () => {
  const after = "const a = 2;\nexport const b = a * 3;\nrun();\n";
  const before = "const a = 1;\nstop();\nexport const b = a;\nrun();\n";
  expect(smallEdits([{ path: "a.js", before, after }])).toStrictEqual([
    { path: "a.js", line: 1, source: "const a = 2;", text: "const a = 1;\nexport const b = a * 3;\nrun();\n" },
    {
      path: "a.js",
      line: 2,
      source: "(removed) stop();",
      text: "const a = 2;\nstop();\nexport const b = a * 3;\nrun();\n",
    },
    { path: "a.js", line: 2, source: "export const b = a * 3;", text: "const a = 2;\nexport const b = a;\nrun();\n" },
  ]);
});

test("finds no removed part that another changed file has", () => {
  const guard = 'if (net < 0) throw new Error("net is negative");';
  const after = OLD.replace(guard, "");
  const helper = { path: "check.ts", before: "", after: `export const check = (net: number) => {\n  ${guard}\n};\n` };
  expect(smallEdits([{ path: "price.ts", before: OLD, after }, helper])).toStrictEqual([]);
});
