import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, win32 } from "node:path";
import { expect, test } from "vitest";
import { isLedOut, isWithin, requireInside, requireNoLink } from "./real-directory.ts";

/** A directory with a link in it that leads to another directory. */
function linked(): { readonly area: string; readonly link: string; readonly outside: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "veritest-real-")));
  const [area, outside] = [join(base, "area"), join(base, "outside")];
  for (const directory of [join(area, "inside"), outside]) mkdirSync(directory, { recursive: true });
  const link = join(area, "link");
  symlinkSync(outside, link);
  return { area, link, outside };
}

test("detects a path that leads out of its directory by a link, but not one that is outside by name", () => {
  const [inside = "", outside = ""] = [1, 2].map(() => realpathSync(mkdtempSync(join(tmpdir(), "veritest-real-"))));
  symlinkSync(outside, join(inside, "out"));
  mkdirSync(join(inside, "dir"));
  symlinkSync("dir", join(inside, "in"));
  symlinkSync(`../${basename(outside)}/missing`, join(inside, "dangling"));
  symlinkSync("out/../missing", join(inside, "above"));
  const led = ["out", "out/a/b.json", "dangling", "dangling/a", "above"].map((name) => join(inside, name));
  const paths = [...led, join(inside, "in/b.json"), join(outside, "b.json")];
  expect(paths.filter((path) => isLedOut(path, inside))).toStrictEqual(led);
});

test("refuses a directory that links lead out of its area, even a missing one", () => {
  const { area, link, outside } = linked();
  expect(() => requireInside(link, area)).toThrow(
    new Error(`Refused to change ${link}: it points to ${outside}, outside of ${area}.`),
  );
  expect(() => requireInside(join(link, "missing"), area)).toThrow(
    new Error(`Refused to change ${link}/missing: it points to ${outside}/missing, outside of ${area}.`),
  );
});

test("accepts a directory that stays in its area, or isn't below it by its path", () => {
  const { area, link, outside } = linked();
  symlinkSync(join(area, "inside"), join(area, "short"));
  for (const directory of [area, join(area, "inside"), join(area, "short"), join(area, "missing"), outside])
    expect(() => requireInside(directory, area)).not.toThrow();
  expect(() => requireInside(join(link, "deep"), link)).not.toThrow();
});

test("refuses a link instead of a directory, even a dangling one", () => {
  const { area, link } = linked();
  symlinkSync(join(area, "nowhere"), join(area, "dangling"));
  for (const path of [link, join(area, "dangling")])
    expect(() => requireNoLink(path)).toThrow(
      new Error(`${path} is a symbolic link, so veritest doesn't use it. Replace it with a real directory.`),
    );
  for (const path of [area, join(area, "missing"), join(link, "missing")])
    expect(() => requireNoLink(path)).not.toThrow();
});

test.each([
  ["C:\\a", "C:\\a", true],
  ["C:\\a", "C:\\a\\b", true],
  ["C:\\a", "C:\\a\\..b", true],
  ["C:\\a", "C:\\b", false],
  ["C:\\a", "D:\\a\\b", false],
  ["C:\\a", "\\\\server\\share\\b", false],
])("on Windows, %s contains %s: %s", (directory, path, holds) => {
  expect(isWithin(directory, path, win32)).toBe(holds);
});
