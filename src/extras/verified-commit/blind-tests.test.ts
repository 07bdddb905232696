import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isBlindTo } from "./blind-tests.ts";

const IMPORT = 'import { price, total } from "../src/price.ts";\n';

function isBlind(text: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "blind-tests-"));
  for (const name of ["src", "tests"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "src/price.ts"), "export const price = () => 1;\nexport const total = 2;\n");
  writeFileSync(join(folder, "tests/price.test.ts"), text);
  return isBlindTo("tests/price.test.ts", "src/price.ts", folder);
}

test.each([
  'vi.mock("../src/price.ts");',
  'vi.mock("../src/price");',
  'vi.mock(import("../src/price.ts"), () => ({ price: () => 1 }));',
  'jest.mock<typeof import("../src/price")>("../src/price", () => ({}));',
  'jest.doMock("../src/price");',
  'jest.unstable_mockModule("../src/price.js", () => ({}));',
  'mock.module("../src/price.ts", { namedExports: {} });',
  'const { price } = jest.createMockFromModule("../src/price");',
  'const path = "../src/price.ts"; vi.doMock(path, () => ({}));',
  'import * as prices from "../src/price.ts";\nvi.spyOn(prices, "price").mockReturnValue(1);',
  'expect(readFileSync(new URL("../src/price.ts", import.meta.url), "utf8")).toContain("1");',
  'expect(readFileSync("src/price.ts", "utf8")).toContain("1");',
  `${IMPORT}const all = readdirSync("src").map((name) => readFileSync(\`src/\${name}\`, "utf8"));`,
  `${IMPORT}vi.spyOn(Math, "min").mockReturnValue(3);`,
  'const text = execSync("cat src/price.ts");',
  'import text from "../src/price.ts?raw";',
  `${IMPORT}expect(\`\${price}\`).toContain("1");`,
  `${IMPORT}expect(String(price)).toContain("1");`,
  `${IMPORT}expect(price.toString()).toContain("1");`,
  `${IMPORT}expect("" + price).toContain("1");`,
])("finds a test that is blind: %s", (text) => {
  expect(isBlind(text)).toBe(true);
});

test.each([
  `${IMPORT}expect(price()).toBe(1);`,
  `${IMPORT}vi.mock("../src/rates.ts");`,
  `${IMPORT}vi.spyOn(Math, "random").mockReturnValue(0.5);`,
  `${IMPORT}const price2 = vi.fn().mockReturnValue(3);`,
  `${IMPORT}expect(readFileSync("tests/fixtures/price.json", "utf8")).toBe(String(price()));`,
  `${IMPORT}expect(price).toMatchBaseline();`,
  `${IMPORT}expect(\`\${price()} \${total}\`.length).toBe(3);`.replace("total}", "total()}"),
  `${IMPORT}expect(String(total)).toMatch(/2/); expect(total).toMatch(/2/);`,
  `${IMPORT}const { price: original } = await import("../src/price.ts");`,
])("finds no blind test: %s", (text) => {
  expect(isBlind(text)).toBe(false);
});
