import { expect, onTestFinished, test, vi } from "vitest";
import { anything, matches, oneOf, similar, within } from "../../kernel/diff/tolerances.ts";
import { caseRulesText, parseCaseRules } from "./case-rules.ts";

test("tolerances, keys, calls and roles are the same after they are read", () => {
  const compare = {
    any: anything(),
    near: within(0.5),
    one: oneOf("a", { b: [1] }),
    text: matches(/^x "y"$/iu),
    prose: similar({ atLeast: 0.5 }),
  };
  const keyBy = { lines: "sku", hits: { by: "id", ordered: true } };
  const text = caseRulesText({ keyBy, compare, calls: "writes", roles: { "crm.*": "write" } });
  const rules = parseCaseRules(text);
  expect(rules).toMatchObject({ keyBy, calls: "writes", roles: { "crm.*": "write" } });
  const labels = Object.entries(rules.compare).map(([path, rule]) => [path, "label" in rule && rule.label]);
  expect(labels).toStrictEqual(Object.entries(compare).map(([path, { label }]) => [path, label]));
  expect(caseRulesText(rules)).toBe(text);
  // The head of a pending change ends before its text.
  expect(JSON.stringify({ rules: caseRulesText({ keyBy: { a: "id", text: "id" }, compare: {} }) })).not.toContain(
    ',"text":"',
  );
});

test("replaces the functions of `compare` with rules that tolerate nothing", () => {
  const own = { label: "own", tolerates: () => true };
  const text = '{"compare":{"**":["within",0],"a":["within",0]}}';
  expect(caseRulesText({ keyBy: {}, compare: { "**": () => true, a: own } })).toBe(text);
});

test("contains the project's rules, after those of the check", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const roles = { "crm.*": "read", "crm.save": "write" };
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ tolerance: 0.3, calls: "writes", roles }));
  expect(caseRulesText({ keyBy: {}, compare: {} })).toBe(
    '{"compare":{"**":["within",0.3]},"calls":"writes","roles":{"crm.*":"read","crm.save":"write"}}',
  );
  const own = { compare: { "**": () => true }, calls: "none", roles: { "crm.save": "read" } } as const;
  expect(caseRulesText({ keyBy: {}, ...own })).toBe(
    '{"compare":{"**":["within",0]},"calls":"none","roles":{"crm.save":"read","crm.*":"read"}}',
  );
});

test.each([
  [["within", -1]],
  [["similar", 5]],
  [["oneOf"]],
  [["matches", "(", ""]],
  [["matches", "a", "no flags"]],
])("ignores %j, which isn't a rule", (spec) => {
  const text = JSON.stringify({ compare: { a: spec, b: ["within", 1] } });
  expect(Object.keys(parseCaseRules(text).compare)).toStrictEqual(["b"]);
});

test("leaves out the functions of `keyBy` and whatever isn't a rule", () => {
  expect(caseRulesText({ keyBy: { a: () => 1, b: { by: () => 1 } }, compare: {} })).toBeUndefined();
  const none = { keyBy: {}, compare: {}, calls: undefined, roles: undefined };
  expect(parseCaseRules()).toStrictEqual(none);
  const odd = {
    keyBy: { a: 1, b: { by: 2 } },
    compare: { c: ["within", null], d: ["run"], e: "x" },
    calls: 1,
    roles: [],
  };
  for (const text of ["[]", "no JSON", JSON.stringify(odd)]) expect(parseCaseRules(text)).toStrictEqual(none);
});
