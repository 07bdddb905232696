import { createParser, type EventSourceMessage } from "eventsource-parser";

// The build makes a separate file of this module, which is loaded at the first call: see BUNDLED_PACKAGES in
// scripts/build/lazy-parts.ts.

/** Parses the text of a server-sent event stream; an event that the text breaks off in counts as one. */
export function eventsIn(text: string): readonly EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  parser.feed(`${text}\n\n`);
  return events;
}
