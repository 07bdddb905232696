import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../../test-support/hostile-texts.ts";
import { anyText } from "../../../../test-support/arbitraries.ts";
import { shellQuote, acceptLine } from "./accept-part.ts";
import { runCount } from "../../../../test-support/run-count.ts";

/** What bash makes of words: their texts, each ended by a null. */
function readByBash(words: readonly string[]): string[] {
  const { stdout } = spawnSync("bash", ["-c", `printf '%s\\0' ${words.join(" ")}`], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  return stdout.split("\0").slice(0, -1);
}

describe("shellQuote", () => {
  test("keeps a plain path unquoted", () => {
    expect(shellQuote("steps/__baselines__/route-ticket/hello-cc00cc11.json")).toBe(
      "steps/__baselines__/route-ticket/hello-cc00cc11.json",
    );
  });

  test("quotes what a shell would interpret", () => {
    expect(shellQuote("a b; rm -rf $HOME")).toBe("'a b; rm -rf $HOME'");
    expect(shellQuote("it's")).toBe("'it'\\''s'");
  });

  test("escapes terminal control characters", () => {
    expect(shellQuote("a\u001b[201~\nb'\\")).toBe("$'a\\x1b[201~\\x0ab\\'\\\\'");
    expect(shellQuote("user\u202etxt.exe")).toBe("$'user\\u202etxt.exe'");
  });

  test("is parsed by bash as the same word, for hostile and arbitrary texts", { tags: "deep" }, () => {
    const hostile = Object.values(HOSTILE_TEXTS).filter((text) => text.length < 10_000);
    const texts = [...hostile, ...fc.sample(anyText(), 1000)].filter(
      (text) => text.isWellFormed() && !text.includes("\0"),
    );
    expect(readByBash(texts.map(shellQuote))).toEqual(texts);
  });

  test("returns no invisible characters and no line ends", () => {
    fc.assert(
      fc.property(anyText(), (text) => !/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(shellQuote(text))),
      { numRuns: runCount(1000) },
    );
  });
});

describe("acceptCommand", () => {
  test("accepts one baseline", () => {
    expect(acceptLine("steps/a b.json", "project")).toBe("npx veritest accept 'steps/a b.json'");
  });

  test("doesn't pass a name as a flag", () => {
    expect(acceptLine("--all", "project")).toBe("npx veritest accept -- --all");
  });

  test("returns null for an empty name, a very long one and a pattern", () => {
    expect(acceptLine("steps/*.json", "project")).toBeNull();
    expect(acceptLine("", "project")).toBeNull();
    expect(acceptLine("x".repeat(5000), "project")).toBeNull();
  });

  test("names the upload for a run in CI, before a name that looks like a flag", () => {
    expect(acceptLine("steps/a b.json", "upload")).toBe(
      "npx veritest accept --from veritest-state.zip 'steps/a b.json'",
    );
    expect(acceptLine("--all", "upload")).toBe("npx veritest accept --from veritest-state.zip -- --all");
  });
});
