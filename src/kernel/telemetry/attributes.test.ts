import { describe, expect, test } from "vitest";
import { GEN_AI, GEN_AI_EVENT, GEN_AI_OLD, GEN_AI_OPERATION, VERA, VERITEST } from "./attributes.ts";

describe("names for OpenTelemetry", () => {
  test("each name has one meaning", () => {
    const all = [GEN_AI, GEN_AI_EVENT, GEN_AI_OLD, VERITEST, VERA].flatMap((names) => Object.values<string>(names));
    expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  });

  test("own names have the project's prefix, so that no later convention conflicts with them", () => {
    expect(Object.values(VERITEST).filter((name) => !name.startsWith("veritest."))).toEqual([]);
    expect(Object.values(VERA).filter((name) => !name.startsWith("vera."))).toEqual([]);
    expect(Object.values(GEN_AI).filter((name) => !name.startsWith("gen_ai."))).toEqual(["error.type"]);
  });

  test("has the operations that are read", () => {
    expect(Object.values(GEN_AI_OPERATION)).toEqual(["chat", "execute_tool", "generate_content", "text_completion"]);
  });
});
