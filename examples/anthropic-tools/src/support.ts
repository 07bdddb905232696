import Anthropic from "@anthropic-ai/sdk";
import { tools } from "./tools.ts";

const SYSTEM =
  "You answer customers of a lamp shop. Look an order up before you refund it. Never refund more than was paid.";

const order = { type: "number", description: "The order's number" };
const TOOLS: Anthropic.Tool[] = [
  {
    name: "findOrder",
    description: "Finds an order and what was paid for it.",
    input_schema: { type: "object", properties: { order }, required: ["order"] },
  },
  {
    name: "refund",
    description: "Pays money back to the customer.",
    input_schema: { type: "object", properties: { order, amount: { type: "number" } }, required: ["order", "amount"] },
  },
];

const anthropic = new Anthropic();

/** Answers a customer's letter, with as many tool calls as it takes. */
export async function support(letter: string): Promise<string> {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: letter }];
  for (let turn = 0; turn < 6; turn += 1) {
    const { content } = await anthropic.messages.create({
      model: process.env["MODEL"] ?? "claude-sonnet-5",
      max_tokens: 500,
      system: SYSTEM,
      tools: TOOLS,
      messages,
    });
    const uses = content.filter((block) => block.type === "tool_use");
    if (uses.length === 0) return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    messages.push({ role: "assistant", content }, { role: "user", content: await Promise.all(uses.map(runTool)) });
  }
  throw new Error("The letter took more than 6 turns.");
}

async function runTool({ id, name, input }: Anthropic.ToolUseBlock): Promise<Anthropic.ToolResultBlockParam> {
  const tool = Object.entries(tools).find(([known]) => known === name)?.[1];
  const result = tool === undefined ? { error: "no such tool" } : await tool(input);
  return { type: "tool_result", tool_use_id: id, content: JSON.stringify(result) };
}
