export { type AiSdkIntegration, aiSdkIntegration, installAiSdk } from "./record/tape/ai-sdk-tape.ts";
export { type ModelMiddleware, type ModelSpecification, tapeModel } from "./record/tape/model-tape.ts";
