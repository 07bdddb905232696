import { expect, test } from "vitest";
import { recordAdapters } from "./record-adapters.ts";

test("a promise with methods of its own keeps them, and a lazy one starts when it is awaited", async () => {
  const started: string[] = [];
  class Query extends Promise<string> {
    text = "";
    explain(): string {
      return `plan of ${this.text}`;
    }
    // Query builders are such thenables.
    override then: Promise<string>["then"] = (resolve, reject) => {
      started.push(this.text);
      return Promise.resolve(`rows of ${this.text}`).then(resolve, reject);
    };
  }
  const query = (text: string): Query => Object.assign(new Query(() => undefined), { text });
  const { adapters, calls } = recordAdapters({ query });
  const pending = adapters.query("q");
  expect([pending.explain(), started]).toStrictEqual(["plan of q", []]);
  expect([await pending, await pending, started]).toStrictEqual(["rows of q", "rows of q", ["q"]]);
  expect(calls()).toStrictEqual([
    { adapter: "query", occurrence: 0, returns: "promise", request: ["q"], response: "rows of q" },
  ]);
});
