export { tapeAgentModel, tapeModelProvider } from "./record/tape/openai-agents-tape.ts";
