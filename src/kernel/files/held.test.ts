import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, win32 } from "node:path";
import { expect, test } from "vitest";
import { publish } from "./durable.ts";
import { type Ground, holding, isWithin, makeDirectories, requireUnmoved, rmSync } from "./held.ts";
import { listNames, readText } from "./read.ts";

/** A directory with one below it, and another place that a link may lead to. */
function ground(): { readonly root: string; readonly inner: string; readonly outside: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "veritest-held-")));
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  const inner = join(root, "inner");
  for (const directory of [inner, outside]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(outside, "kept"), "kept");
  return { root, inner, outside };
}

/** Puts a link to somewhere else in a directory's place. */
function swap(directory: string, outside: string): void {
  renameSync(directory, `${directory}.away`);
  symlinkSync(outside, directory);
}

test("a directory that becomes a link is written to where it went, nothing at the link's end", () => {
  const { root, inner, outside } = ground();
  holding([{ path: root }], () => {
    publish(join(inner, "one"), "1");
    swap(inner, outside);
    publish(join(inner, "two"), "2");
    makeDirectories(join(inner, "three", "four"));
    rmSync(join(inner, "one"));
    rmSync(join(inner, "kept"), { recursive: true });
    expect([readText(join(inner, "two")), readText(join(inner, "kept"))]).toStrictEqual(["2", undefined]);
    expect(listNames(inner)).toStrictEqual(["three", "two"]);
    expect(requireUnmoved).toThrow(`${inner} was moved or replaced while files in it were written.`);
  });
  expect(readdirSync(outside)).toStrictEqual(["kept"]);
  expect(readdirSync(`${inner}.away`)).toStrictEqual(["three", "two"]);
});

test("a link that is there at the first use is refused", () => {
  const { root, inner, outside } = ground();
  swap(inner, outside);
  for (const work of [
    () => publish(join(inner, "one"), "1"),
    () => rmSync(join(inner, "kept")),
    () => makeDirectories(join(inner, "one")),
    () => listNames(inner),
  ])
    expect(() => holding([{ path: root }], work)).toThrow(
      `Refused to touch ${inner}: it is a symbolic link. Replace it by a real directory.`,
    );
  expect(readdirSync(outside)).toStrictEqual(["kept"]);
});

test("how a ground is reached is the user's own, unless it says otherwise or leads out of its area", () => {
  const { root, inner, outside } = ground();
  swap(inner, outside);
  const put = (given: Ground): void => holding([given], () => publish(join(inner, "one"), "1"));
  expect(() => put({ path: inner, unfollowed: true })).toThrow(`Refused to touch ${inner}: it is a symbolic link.`);
  expect(() => put({ path: inner, area: root })).toThrow(
    `Refused to touch ${inner}: it leads to ${outside}, outside of ${root}.`,
  );
  put({ path: inner });
  expect(readFileSync(join(outside, "one"), "utf8")).toBe("1");
});

test("more directories than are open at once are the same ones whenever they are come back to", () => {
  const { root, outside } = ground();
  const directories = Array.from({ length: 450 }, (_, index) => join(root, `d${index}`));
  holding([{ path: root }], () => {
    for (const round of ["a", "b"])
      for (const directory of directories) {
        makeDirectories(directory);
        writeFileSync(join(directory, round), round);
        expect(readText(join(directory, round))).toBe(round);
      }
    const [first = ""] = directories;
    renameSync(first, `${first}.away`);
    mkdirSync(first);
    expect(() => publish(join(first, "c"), "c")).toThrow(`${first} was moved or replaced`);
  });
  expect(readdirSync("/proc/self/fd").length).toBeLessThan(150);
  expect(readdirSync(outside)).toStrictEqual(["kept"]);
});

test("what the system refuses is said with the path that was asked about", () => {
  const { root, inner } = ground();
  mkdirSync(join(inner, "taken"));
  holding([{ path: root }], () => {
    expect(() => publish(join(inner, "taken"), "1")).toThrow(`-> '${join(inner, "taken")}'`);
    expect(() => publish(join(root, "gone", "one"), "1")).toThrow(
      `ENOENT: no such file or directory, open '${join(root, "gone")}'`,
    );
  });
});

test("a directory that veritest itself removes may be made again", () => {
  const { root, inner } = ground();
  holding([{ path: root }], () => {
    publish(join(inner, "one"), "1");
    rmSync(inner, { recursive: true });
    expect(makeDirectories(join(inner, "again"))).toBe(inner);
    publish(join(inner, "again", "two"), "2");
    requireUnmoved();
  });
  expect(readdirSync(join(inner, "again"))).toStrictEqual(["two"]);
});

test.each([
  ["C:\\a", "C:\\a", true],
  ["C:\\a", "C:\\a\\b", true],
  ["C:\\a", "C:\\a\\..b", true],
  ["C:\\a", "C:\\b", false],
  ["C:\\a", "D:\\a\\b", false],
  ["C:\\a", "\\\\server\\share\\b", false],
])("on Windows, %s holds %s: %s", (directory, path, holds) => {
  expect(isWithin(directory, path, win32)).toBe(holds);
});
