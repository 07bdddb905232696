import OpenAI from "openai";
import { type LLMProvider, createOpenAI } from "veritest/llm";

const { OPENAI_API_KEY: key, MODEL_URL: url, MODEL: model } = process.env;

/** The model: the one that run.ts serves on this machine, or OpenAI's. */
export const llm: LLMProvider = createOpenAI({
  client: new OpenAI({ apiKey: key ?? "none", ...(url !== undefined && { baseURL: url }) }),
  ...(model === undefined ? {} : { model }),
});
