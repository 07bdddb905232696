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
  const older = class extends URL {};
  Reflect.set(older, "parse", undefined);
  Reflect.set(older, "canParse", undefined);
  vi.stubGlobal("URL", older);
  expect(parseUrl(text, base)?.href).toBe(href);
});
