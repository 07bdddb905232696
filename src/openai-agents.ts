export { tapeAgentModel, tapeModelProvider } from "./record/interceptors/openai-agents-tape.ts";
