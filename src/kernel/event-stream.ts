import { createParser, type EventSourceMessage } from "eventsource-parser";

/** Parses the text of a server-sent event stream; an event that the text breaks off in counts as one. */
export function eventsIn(text: string): readonly EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  parser.feed(`${text}\n\n`);
  return events;
}
