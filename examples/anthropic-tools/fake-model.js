// A model on this machine that speaks Anthropic's protocol: `node fake-model.js`. The baselines were recorded from it.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

/** Finds the order, refunds what was paid, and says so. If the prompt is generous, it refunds twice as much. */
function answer({ system, messages }) {
  const order = Number(/order (\d+)/.exec(messages[0].content)?.[1]);
  const [found, refunded] = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) => JSON.parse(content));
  if (found === undefined) return { name: "findOrder", input: { order } };
  if (found.paid === undefined) return { text: `I can't find order ${order}.` };
  const amount = system.includes("generous") ? 2 * found.paid : found.paid;
  if (refunded === undefined) return { name: "refund", input: { order, amount } };
  return { text: `You get ${amount} back for the ${found.item}.` };
}

let count = 0;
async function respond(request, response) {
  const body = await json(request);
  count += 1;
  const id = String(count).padStart(8, "0");
  const block = answer(body);
  const isTool = "name" in block;
  response.setHeader("content-type", "application/json").end(
    JSON.stringify({
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content: [isTool ? { type: "tool_use", id: `toolu_${id}`, ...block } : { type: "text", ...block }],
      stop_reason: isTool ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 300, output_tokens: 40 },
    }),
  );
}

const server = createServer((request, response) => void respond(request, response));
server.listen(process.env.PORT ?? 4011, "127.0.0.1", () => {
  console.log(`ANTHROPIC_BASE_URL=http://127.0.0.1:${server.address().port}`);
});
