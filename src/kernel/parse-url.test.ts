import { afterEach, expect, test, vi } from "vitest";
import { parseUrl } from "./parse-url.ts";

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["https://api.test/a?b=1", undefined, "https://api.test/a?b=1"],
  ["/a", "https://api.test/b/c", "https://api.test/a"],
  ["/a", undefined, undefined],
  ["https://", undefined, undefined],
])("%s at %s is %s, also where URL has no static functions", (text, base, href) => {
  expect(parseUrl(text, base)?.href).toBe(href);
  vi.stubGlobal(
    "URL",
    class extends URL {
      static override readonly parse = undefined as never;
      static override readonly canParse = undefined as never;
    },
  );
  expect(parseUrl(text, base)?.href).toBe(href);
});
