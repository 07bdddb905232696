/** Answers each request with 1 MB of server-sent events, as a chat completion streams them; prints its port. */
import { createServer } from "node:http";

const SIZE = 1_000_000;

/** Events of one packet. A model's server sends one or a few. */
const PACKET = 20;

function packets(): string[] {
  const events: string[] = [];
  for (let size = 0; size < SIZE; size += events.at(-1)?.length ?? SIZE) {
    const choices = [{ index: 0, delta: { content: ` word ${events.length}` }, logprobs: null, finish_reason: null }];
    const event = { id: "c-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "small-1", choices };
    events.push(`data: ${JSON.stringify(event)}\n\n`);
  }
  return Array.from({ length: Math.ceil(events.length / PACKET) }, (_, at) =>
    events.slice(at * PACKET, (at + 1) * PACKET).join(""),
  );
}

const PACKETS = packets();

const server = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "text/event-stream");
  let next = 0;
  const send = (): void => {
    const packet = PACKETS[next];
    next += 1;
    if (packet === undefined) return void response.end();
    // The next turn of the event loop flushes each packet.
    response.write(packet, () => setImmediate(send));
  };
  send();
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : address);
});
