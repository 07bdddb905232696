import { expect, test } from "vitest";
import { eventsIn } from "./event-stream.ts";

test("parses events with any line ends, comments, several lines of data, and a cut-off end", () => {
  expect(eventsIn(': ping\n\nevent: a\r\ndata: {"x":1}\r\n\r\ndata:b\ndata: c\n\ndata: [DO')).toStrictEqual([
    { id: undefined, event: "a", data: '{"x":1}' },
    { id: undefined, event: undefined, data: "b\nc" },
    { id: undefined, event: undefined, data: "[DO" },
  ]);
});

test("finds no events in JSON lines", () => {
  expect(eventsIn('{"a":1}\n{"a":2}\n')).toStrictEqual([]);
});
