import { randomUUID } from "node:crypto";
import { type Server, type ServerResponse, createServer } from "node:http";
import * as z from "zod";

/** Models of OpenAI and Anthropic on the loopback: what they say is set, and every id and time is another each time. */
export interface ModelServer {
  readonly url: string;
  /** What is answered, by the first word of the instructions. */
  says: Readonly<Record<string, string>>;
  /** How often it was asked. */
  readonly asked: () => number;
  readonly close: () => void;
}

const QUESTION = z.looseObject({
  model: z.string(),
  system: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});
type Question = z.infer<typeof QUESTION>;

/** Starts the server; what ends in `/messages` is answered as Anthropic does, anything else as OpenAI. */
export async function startModelServer(says: ModelServer["says"]): Promise<ModelServer> {
  let asked = 0;
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked += 1;
      const question = QUESTION.parse(JSON.parse(Buffer.concat(chunks).toString()));
      (request.url?.endsWith("/messages") === true ? sayMessage : sayCompletion)(response, question, server.says);
    });
  });
  const server: ModelServer = { url: await listen(http), says, asked: () => asked, close: () => void http.close() };
  return server;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

function sayCompletion(response: ServerResponse, { model, messages }: Question, says: ModelServer["says"]): void {
  send(response, {
    id: `chatcmpl-${drawn()}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model: `${model}-2026-08-01`,
    system_fingerprint: `fp_${drawn()}`,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: says[taskOf(messages[0]?.content)] ?? "", refusal: null },
        finish_reason: "stop",
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 },
  });
}

/** Asks for the tool that finds a room, then for the one that books it, then says what it did. */
function sayMessage(response: ServerResponse, { model, system, messages }: Question, says: ModelServer["says"]): void {
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const use = [
    { name: "findRoom", input: { seats: 6 } },
    { name: "book", input: { room: "Fjord", hour: 10 } },
  ][turn];
  const content =
    use === undefined
      ? [{ type: "text", text: says[taskOf(system)] ?? "" }]
      : [{ type: "tool_use", id: `toolu_${drawn()}`, ...use }];
  send(response, {
    id: `msg_${drawn()}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: use === undefined ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 50, output_tokens: 9 },
  });
}

function taskOf(instructions: unknown): string {
  return /\w+/.exec(String(instructions))?.[0]?.toLowerCase() ?? "";
}

function drawn(): string {
  return randomUUID().replaceAll("-", "").slice(0, 20);
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json", "x-request-id": `req_${drawn()}` });
  response.end(JSON.stringify(body));
}
