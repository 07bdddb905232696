import { expect, test } from "vitest";
import type { AdapterCall } from "../adapter-call.ts";
import { nearestCall } from "./nearest-call.ts";

const call = (request: unknown): AdapterCall => ({
  adapter: "llm.ask",
  occurrence: 0,
  request: [request],
  returns: "value",
  response: "",
});

test.each([
  { what: "in front", tools: ["cite", "lookup", "search"] },
  { what: "in the middle", tools: ["lookup", "cite", "search"] },
  { what: "at the end", tools: ["lookup", "search", "cite"] },
  { what: "at the end, and one less in front", tools: ["search", "cite"] },
])("an element more $what of a list is one difference", ({ tools }) => {
  const named = (names: readonly string[]): readonly object[] =>
    names.map((name) => ({ name, description: `does ${name}`, kind: "tool" }));
  const first = call({ prompt: "Read the receipt.", tools: named(["lookup", "search"]) });
  const second = call({ prompt: "Is it a receipt?", tools: [] });
  const request = [{ prompt: "Read the receipt.", tools: named(tools) }];
  expect(nearestCall([first, second], request)).toBe(first);
  expect(nearestCall([second, first], request)).toBe(first);
});

test("the nearest request is one with the same address and method, then one with the same address", () => {
  const http = (method: string, path: string, body: string): AdapterCall =>
    call({ method, origin: "https://model.test", path, body });
  const body = "Read the receipt of the new chair.";
  const [files, listing, asking] = [
    http("POST", "/files", body),
    http("GET", "/ask", body),
    http("POST", "/ask", "Hi."),
  ];
  const request = http("POST", "/ask", body).request;
  expect(nearestCall([files, listing, asking], request)).toBe(asking);
  expect(nearestCall([files, listing], request)).toBe(listing);
  expect(nearestCall([files], request)).toBe(files);
});
