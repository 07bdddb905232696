import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { walkJson } from "../../../kernel/json/canonical-json.ts";
import { escapeInvisible, quote } from "../../../kernel/text.ts";
import { anyText, jsonLike, jsonValue, similarJson, type Json } from "../../../../test-support/arbitraries.ts";
import { runCount } from "../../../../test-support/run-count.ts";

const RUNS = { numRuns: runCount(2000) };

/** JSON's rules and sorted names, as plainly as they can be written. */
function reference(value: unknown, key: string): string | undefined {
  const asked: unknown = typeof Object(value).toJSON === "function" ? Object(value).toJSON(key) : value;
  if (typeof asked !== "object" || asked === null) return JSON.stringify(asked);
  if (Array.isArray(asked)) {
    return `[${Array.from(asked, (item, index) => reference(item, String(index)) ?? "null").join(",")}]`;
  }
  const fields = Object.entries(asked).sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = fields.flatMap(([name, field]) => {
    const text = reference(field, name);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${texts.join(",")}}`;
}

/** The same data, built anew with names in the opposite order and the other kind of prototype. */
function rebuilt(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Array) return value.map(rebuilt);
  const prototype = Object.getPrototypeOf(value) === null ? Object.prototype : null;
  const copy: { [name: string]: Json } = Object.create(prototype);
  for (const [name, field] of Object.entries(value).reverse()) {
    Object.defineProperty(copy, name, { value: rebuilt(field), writable: true, enumerable: true, configurable: true });
  }
  return copy;
}

/** Equality of JSON data by definition, apart from any text. */
function sameJson(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (a instanceof Array !== b instanceof Array) return false;
  const [left, right] = [new Map<string, Json>(Object.entries(a)), new Map<string, Json>(Object.entries(b))];
  return (
    left.size === right.size &&
    [...left].every(([name, field]) => {
      const other = right.get(name);
      return other !== undefined && sameJson(field, other);
    })
  );
}

function nested(depth: number, core: Json): Json {
  let value = core;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { "": value };
  return value;
}

test("agrees with a plain reference implementation", { tags: "deep" }, () => {
  fc.assert(
    fc.property(jsonLike(), (value) => {
      expect(stableStringify(value)).toBe(reference(value, "") ?? "null");
    }),
    RUNS,
  );
});

test("the fast and the complete pass write the same text", () => {
  fc.assert(
    fc.property(jsonLike(), (value) => {
      expect(walkJson(value)).toBe(stableStringify(value));
    }),
    { numRuns: runCount(10_000) },
  );
});

test("parses back to the written value", () => {
  fc.assert(
    fc.property(jsonValue(), (value) => {
      const parsed: Json = JSON.parse(stableStringify(value));
      expect(sameJson(parsed, value)).toBe(true);
      expect(stableStringify(parsed)).toBe(stableStringify(value));
    }),
    RUNS,
  );
});

test("is independent of key order, prototype and construction", () => {
  fc.assert(
    fc.property(jsonValue(), (value) => {
      expect(stableStringify(rebuilt(value))).toBe(stableStringify(value));
    }),
    RUNS,
  );
});

test("writes the same text exactly for equal values", () => {
  fc.assert(
    fc.property(similarJson(), similarJson(), (a, b) => {
      expect(stableStringify(a) === stableStringify(b)).toBe(sameJson(a, b));
    }),
    RUNS,
  );
  fc.assert(
    fc.property(jsonValue(), jsonValue(), (a, b) => {
      expect(stableStringify(a) === stableStringify(b)).toBe(sameJson(a, b));
    }),
    RUNS,
  );
});

test("writes the same text at the depth where the fast pass ends", () => {
  fc.assert(
    fc.property(similarJson(), fc.integer({ min: 490, max: 510 }), (core, depth) => {
      expect(stableStringify(nested(depth, core))).toBe(reference(nested(depth, core), ""));
    }),
    { numRuns: runCount(1000) },
  );
});

test("a quoted text parses back and has no terminal control characters", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(JSON.parse(quote(text))).toBe(text);
      expect(quote(text)).not.toMatch(/[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u);
    }),
    RUNS,
  );
});

test("escaping a JSON text keeps its value", () => {
  fc.assert(
    fc.property(jsonValue(), (value) => {
      expect(stableStringify(JSON.parse(escapeInvisible(JSON.stringify(value))))).toBe(stableStringify(value));
    }),
    RUNS,
  );
});

test("writes every code unit as JSON does, in short and in long texts and in names", { tags: "deep" }, () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const unit = String.fromCharCode(code);
    for (const text of [unit, `a${unit}`, unit.padStart(64, "x"), unit.padStart(65, "x")]) {
      if (stableStringify([text]) !== JSON.stringify([text]))
        expect(stableStringify([text])).toBe(JSON.stringify([text]));
    }
    if (code % 16 === 0 || code < 256) expect(stableStringify({ [unit]: unit })).toBe(JSON.stringify({ [unit]: unit }));
  }
});
