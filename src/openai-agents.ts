export { recordAgentModel, recordModelProvider } from "./record/interceptors/openai-agents-recorder.ts";
