import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { namesTests } from "./foreign-tests.ts";

const folder = mkdtempSync(join(tmpdir(), "veritest-foreign-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(() => {
  const scripts = {
    test: "vitest run && pytest",
    "test:py": "cd py && uv run pytest -q",
    all: "npm run lint && npm run test:py",
    lint: "eslint src test && tsc --noEmit",
    "test-data": "node scripts/make.js test/data.json",
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
});

test.each<[line: string, isTests: boolean]>([
  ["pytest", true],
  ["python -m pytest -q", true],
  ["python3 -m unittest discover", true],
  ["cargo test --workspace", true],
  ["cargo nextest run", true],
  ["go test ./...", true],
  ["./gradlew test", true],
  ["make -j2 test", true],
  ["npm test", true],
  ["npm run test:py", true],
  ["npm run all", true],
  ["sh -c 'cd py && pytest'", true],
  ["sh -c 'node --test'", true],
  ["npm run lint", false],
  ["npm run test-data", false],
  ["npm run missing", false],
  ["cargo build", false],
  ["go vet ./test", false],
  ["npx eslint src test", false],
  ["npx tsc -p test", false],
  ["node scripts/latest.js", false],
])("%s", (line, isTests) => {
  // The words of the command line; what is in quotes is one word.
  const words = line.match(/'[^']*'|\S+/g) ?? [];
  expect(
    namesTests(
      words.map((word) => word.replaceAll("'", "")),
      folder,
    ),
  ).toBe(isTests);
});
