import { existsSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writePlan } from "./plan-init.ts";

function makeRoot(): string {
  return mkdtempSync(join(tmpdir(), "veritest-plan-"));
}

test("writes new files with their directories, and edits existing ones", () => {
  const root = makeRoot();
  writeFileSync(join(root, "config.js"), "old", { mode: 0o600 });
  expect(
    writePlan(
      [
        { path: "a/b/c.js", before: undefined, after: "new" },
        { path: "config.js", before: "old", after: "edited" },
      ],
      root,
    ),
  ).toStrictEqual({ ok: true, value: undefined });
  expect([readFileSync(join(root, "a/b/c.js"), "utf8"), readFileSync(join(root, "config.js"), "utf8")]).toStrictEqual([
    "new",
    "edited",
  ]);
  expect(statSync(join(root, "config.js")).mode & 0o777).toBe(0o600);
});

test("doesn't overwrite a file that appeared meanwhile, or the target of a link", () => {
  const root = makeRoot();
  writeFileSync(join(root, "a.js"), "mine");
  symlinkSync(join(root, "a.js"), join(root, "link.js"));
  for (const path of ["a.js", "link.js"]) {
    const written = writePlan(
      [
        { path, before: undefined, after: "new" },
        { path: "later.js", before: undefined, after: "" },
      ],
      root,
    );
    expect(written).toStrictEqual({
      ok: false,
      error: expect.stringMatching(/^Cannot write (?:a|link)\.js: EEXIST: .*\. Fix that, then run: npx veritest init$/),
    });
  }
  expect(readFileSync(join(root, "a.js"), "utf8")).toBe("mine");
  expect(existsSync(join(root, "later.js"))).toBe(false);
});

test("refuses to write through a link that leads out of the project", () => {
  const [root, outside] = [makeRoot(), makeRoot()];
  writeFileSync(join(outside, "config.js"), "old");
  symlinkSync(join(outside, "config.js"), join(root, "config.js"));
  symlinkSync(outside, join(root, "src"));
  const planned = [
    { path: "config.js", before: "old", after: "new" },
    { path: "src/step.js", before: undefined, after: "new" },
  ];
  for (const file of planned)
    expect(writePlan([file], root)).toStrictEqual({
      ok: false,
      error: `${file.path} points outside this project through a symbolic link. Replace the link.`,
    });
  expect(readFileSync(join(outside, "config.js"), "utf8")).toBe("old");
  expect(existsSync(join(outside, "step.js"))).toBe(false);
});

test("keeps a file that was edited meanwhile", () => {
  const root = makeRoot();
  writeFileSync(join(root, "config.js"), "edited by hand");
  expect(writePlan([{ path: "config.js", before: "old", after: "new" }], root)).toStrictEqual({
    ok: false,
    error: "config.js changed while veritest init was running. Run it again: npx veritest init",
  });
  expect(readFileSync(join(root, "config.js"), "utf8")).toBe("edited by hand");
});
