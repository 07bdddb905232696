export { type AiSdkIntegration, aiSdkIntegration, recordAiSdk } from "./record/interceptors/ai-sdk-recorder.ts";
export { type ModelMiddleware, type ModelSpecification, recordModel } from "./record/interceptors/model-recorder.ts";
