import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";

/** A model on this machine that speaks the protocol of OpenAI's chat completions. */
export interface ModelServer {
  readonly url: string;
  /** Requests answered so far. */
  readonly answered: () => number;
  readonly close: () => void;
}

/**
 * Starts a server with two "models" that read orders by rule: `small-1` knows a dozen, `small-2` takes it for one. Both
 * write items in the singular when the prompt asks for it. No model at all, but one that drifts on command.
 */
export async function serveModels(): Promise<ModelServer> {
  let answered = 0;
  const server = createServer((request, response) => {
    answered += 1;
    void answer(request, response, answered);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${portOf(server)}/v1`, answered: () => answered, close: () => server.close() };
}

async function answer(request: IncomingMessage, response: ServerResponse, id: number): Promise<void> {
  const body: unknown = JSON.parse(await readText(request));
  const known = isChatBody(body);
  response.writeHead(known ? 200 : 400, { "content-type": "application/json" });
  response.end(
    JSON.stringify(
      known
        ? completion(body, id)
        : { error: { message: "This server reads chat completions only.", type: "invalid_request_error" } },
    ),
  );
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** What the client sends, as far as the models read it. */
interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

function isChatBody(body: unknown): body is ChatBody {
  return (
    typeof body === "object" && body !== null && "model" in body && "messages" in body && Array.isArray(body.messages)
  );
}

function completion({ model, messages }: ChatBody, id: number): object {
  const said = (role: string): string => messages.find((message) => message.role === role)?.content ?? "";
  const content = JSON.stringify({
    lines: readOrder(said("user"), {
      singular: said("system").includes("singular"),
      dozen: model === "small-1" ? 12 : 1,
    }),
  });
  const usage = {
    prompt_tokens: wordsOf(messages.map((message) => message.content).join(" ")),
    completion_tokens: wordsOf(content),
  };
  return {
    // Like a real one's, its ids are never the same twice: veritest must not take that for drift.
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 1_700_000_000 + id,
    model,
    choices: [{ index: 0, message: { role: "assistant", content, refusal: null }, finish_reason: "stop" }],
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
}

function readOrder(
  letter: string,
  { singular, dozen }: { readonly singular: boolean; readonly dozen: number },
): object[] {
  const [ordering = ""] = letter.split(/(?<=\.)\s/).filter((sentence) => /need|send/.test(sentence));
  return [...ordering.matchAll(/(\d+|a dozen) ([a-z][a-z ]*?)(?= and |,|\.| to )/g)].map(
    ([, count = "", item = ""]) => {
      return {
        item: singular ? item.replace(/(?<=sh)es$|s$/, "").replace(/ve$/, "f") : item,
        quantity: count === "a dozen" ? dozen : Number(count),
      };
    },
  );
}

function wordsOf(text: string): number {
  return text.split(/\s+/).length;
}
