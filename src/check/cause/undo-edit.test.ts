import { describe, expect, test } from "vitest";
import { diff } from "../../kernel/diff/diff.ts";
import { undoEdit } from "./undo-edit.ts";

/** Returns a request before the edit that leads from one request to another. */
function undone(before: unknown, after: unknown, request: unknown): readonly unknown[] {
  const { entries } = diff(before, after);
  return undoEdit(
    entries.map((entry) => ({ ...entry, path: ["request", ...entry.path] })),
    request,
  );
}

const prompt = (text: string, more: object = {}): unknown => [{ model: "m", prompt: text, ...more }];

describe("finds the earlier request", () => {
  test.each([
    ["a replaced line", "Rules:\nBe short.\n\nTicket 1", "Rules:\nBe kind.\n\nTicket 1"],
    ["an inserted line", "Rules:\n\nTicket 1", "Rules:\nBe kind.\n\nTicket 1"],
    ["a removed line", "Rules:\nBe kind.\n\nTicket 1", "Rules:\n\nTicket 1"],
    ["an edit at the start", "Classify Ticket 1", "Please classify Ticket 1"],
    ["an edit behind the ticket", "Ticket 1: answer", "Ticket 1: answer in one word"],
  ])("with %s", (_title, before, after) => {
    const other = (text: string): unknown => prompt(text.replace("Ticket 1", "Ticket 27"));
    expect(undone(prompt(before), prompt(after), other(after))).toContainEqual(other(before));
  });

  test("with a changed, a new and a removed field, in all of them at once", () => {
    const [before, after] = [
      prompt("Ticket 1", { temperature: 0, seed: 1 }),
      prompt("Ticket 1", { temperature: 1, store: false }),
    ];
    expect(undone(before, after, prompt("Ticket 2", { temperature: 1, store: false }))).toContainEqual(
      prompt("Ticket 2", { temperature: 0, seed: 1 }),
    );
  });
});

describe("finds none", () => {
  test("if the request doesn't have the edit", () => {
    expect(undone(prompt("a"), prompt("Rules: b"), prompt("Ticket 2"))).toStrictEqual([]);
    expect(undone(prompt("a"), prompt("a", { store: false }), prompt("a", { store: true }))).toStrictEqual([]);
    expect(undone(prompt("a"), prompt("b"), ["b"])).toStrictEqual([]);
    expect(undone(prompt("a"), prompt("b"), [])).toStrictEqual([]);
  });

  test("if the edit removed a text without a trace", () => {
    expect(undone(prompt("a"), prompt(""), prompt("b"))).toStrictEqual([]);
  });

  test("if elements of a list were inserted, because the others moved", () => {
    const list = (...texts: readonly string[]): unknown => [{ messages: texts.map((content) => ({ content })) }];
    expect(undone(list("a", "b"), list("new", "a", "b"), list("new", "c"))).toStrictEqual([]);
  });
});
