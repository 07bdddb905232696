import { StructuredOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

const parser = StructuredOutputParser.fromZodSchema(
  z.object({
    topic: z.enum(["billing", "delivery", "other"]),
    urgent: z.boolean(),
    summary: z.string().describe("one sentence"),
  }),
);

const prompt = ChatPromptTemplate.fromMessages([
  ["system", "You sort letters of customers. Be brief.\n{format}"],
  ["human", "{letter}"],
]);

const model = new ChatOpenAI({ model: process.env.MODEL ?? "gpt-4.1-mini", temperature: 0 });

const chain = prompt.pipe(model).pipe(parser);

/** Sorts a customer's letter. */
export async function triage(letter) {
  return chain.invoke({ letter, format: parser.getFormatInstructions() });
}
