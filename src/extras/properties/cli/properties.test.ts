// @module-tag deep
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeProject, veritest } from "../../../../test-support/pending-project.ts";

test.each([
  ["an ES module project", { type: "module" }, "--no-warnings --experimental-vm-modules"],
  [
    "a project whose script sets the flag",
    { scripts: { test: "NODE_OPTIONS=--experimental-vm-modules jest" } },
    "--no-warnings --experimental-vm-modules",
  ],
  ["a CommonJS project", {}, "--no-warnings"],
])("starts Jest of %s with the flags of Node that it needs", async (_what, manifest, expected) => {
  const project = makeProject();
  const jest = join(project.root, "node_modules", "jest");
  mkdirSync(jest, { recursive: true });
  writeFileSync(
    join(project.root, "package.json"),
    JSON.stringify({ name: "a", ...manifest, devDependencies: { jest: "30" } }),
  );
  writeFileSync(join(project.root, "a.test.js"), "// toSatisfyProperties");
  writeFileSync(join(jest, "package.json"), '{ "name": "jest", "version": "30.0.0", "bin": "jest.js" }');
  const options = join(project.root, "options");
  writeFileSync(
    join(jest, "jest.js"),
    `require("node:fs").writeFileSync(${JSON.stringify(options)}, process.env.NODE_OPTIONS);`,
  );
  const { code, out } = await veritest(project, ["properties", "--minutes", "0.0001"], {
    NODE_OPTIONS: "--no-warnings",
  });
  expect({ code, out }).toStrictEqual({ code: 0, out: "All properties passed in 1 round.\n" });
  expect(readFileSync(options, "utf8")).toBe(expected);
});
