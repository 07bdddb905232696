export { type AiSdkIntegration, aiSdkIntegration, installAiSdk } from "./record/interceptors/ai-sdk-tape.ts";
export { type ModelMiddleware, type ModelSpecification, tapeModel } from "./record/interceptors/model-tape.ts";
