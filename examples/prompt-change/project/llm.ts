import OpenAI from "openai";
import { type LLMProvider, createOpenAI } from "veritest/llm";

const { OPENAI_API_KEY: key, MODEL_URL: url, MODEL: model } = process.env;

/** The model: OpenAI's where there is a key, else the one that run.ts serves on this machine. */
export const llm: LLMProvider = createOpenAI({
  client: new OpenAI(key === undefined ? { apiKey: "none", baseURL: url ?? "http://127.0.0.1:9" } : { apiKey: key }),
  ...(model === undefined ? {} : { model }),
});
