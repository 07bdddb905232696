import { expect, test } from "vitest";
import { fileErrorMessage, withCauses } from "./error-message.ts";

test.each(["EACCES", "EPERM"])("%s suggests another owner of the files, and what to do", (code) => {
  const thrown = Object.assign(new Error(`${code}: not permitted, mkdir '/p/.veritest/stage'`), { code });
  expect(fileErrorMessage(thrown)).toBe(
    `${code}: not permitted, mkdir '/p/.veritest/stage'. It might belong to another user, for example after a run as root. ` +
      "Change its owner (chown -R), or set VERITEST_STATE_DIR and VERITEST_NOTES_DIR to directories of your own",
  );
});

test("keeps the message of another error", () => {
  expect(fileErrorMessage(Object.assign(new Error("ENOSPC: full"), { code: "ENOSPC" }))).toBe(
    "ENOSPC: full. The disk is full. Free some space (df -h shows what is left), and run the same command again",
  );
});

test.each<[string, Error, string]>([
  ["no cause", new Error("no"), "no"],
  [
    "a client's error around that of a socket",
    new Error("Connection error.", {
      cause: new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") }),
    }),
    "Connection error. (caused by: fetch failed; connect ECONNREFUSED 127.0.0.1:9)",
  ],
  [
    "a connection to several addresses",
    new Error("fetch failed", { cause: Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }) }),
    "fetch failed (caused by: ECONNREFUSED)",
  ],
  [
    "a cause that the message contains",
    new Error("Cannot read: gone", { cause: new Error("gone") }),
    "Cannot read: gone",
  ],
  ["a text as the cause", new Error("no", { cause: "quota" }), "no (caused by: quota)"],
  [
    "data with a code as the cause",
    new Error("no", { cause: { code: "E_QUOTA", left: 0 } }),
    "no (caused by: E_QUOTA)",
  ],
  ["data without a text as the cause", new Error("no", { cause: { status: 500 } }), "no"],
  ["no value as the cause", new Error("no", { cause: null }), "no"],
  [
    "a getter that throws",
    Object.defineProperty(new Error("no"), "cause", {
      get() {
        throw new Error("not yet");
      },
    }),
    "no",
  ],
])("a message names the causes of an error: %s", (_what, error, expected) => {
  expect(withCauses(error.message, error)).toBe(expected);
});

test("a message names at most three causes, also of an error that is its own cause", () => {
  const loop = new Error("loop");
  loop.cause = loop;
  expect(withCauses("loop", loop)).toBe("loop");
  const chain = ["4", "c", "b", "a"].reduce<Error | undefined>((cause, text) => new Error(text, { cause }), undefined);
  expect(withCauses("!: no", { cause: chain })).toBe("!: no (caused by: a; b; c)");
});
