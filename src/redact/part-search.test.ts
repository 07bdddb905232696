import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PartSearch } from "./part-search.ts";

const PARTS = ["-p", "ogin", "by '", "Private-Lines", "uth", "xx", ":5432:", "crypt(", "crypt"];
/** Texts of pieces of the parts, in both cases, with characters beyond ASCII between them. */
const text = fc
  .array(fc.oneof(fc.constantFrom(...PARTS, ...PARTS.map((part) => part.slice(1)), "é", "语", " "), fc.string()))
  .map((pieces) => pieces.join(""));
const upper = fc.boolean().map((isUpper) => (part: string) => (isUpper ? part.toUpperCase() : part));

test("property: finds exactly the parts that a text has, in their case", () => {
  const search = new PartSearch(PARTS);
  fc.assert(
    fc.property(text, upper, (content, change) => {
      const searched = change(content);
      expect([...search.partsIn(searched)].toSorted()).toStrictEqual(
        PARTS.filter((part) => searched.includes(part)).toSorted(),
      );
    }),
  );
});

test("property: passes over no start of a part, in any case, from any index", () => {
  const search = new PartSearch(PARTS);
  fc.assert(
    fc.property(text, upper, fc.nat(20), (content, change, from) => {
      const searched = change(content);
      const found: number[] = [];
      for (let index = search.next(searched, from); index < searched.length; index = search.next(searched, index + 1))
        found.push(index);
      const lower = searched.toLowerCase();
      // The length of `İ` changes.
      fc.pre(lower.length === searched.length);
      for (const part of PARTS.map((name) => name.toLowerCase()))
        for (let at = lower.indexOf(part); at !== -1; at = lower.indexOf(part, at + 1)) {
          const end = at + Math.min(2, part.length - 1);
          if (end >= from) expect(found).toContain(end);
        }
    }),
  );
});
