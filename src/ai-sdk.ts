export { type AiSdkIntegration, aiSdkIntegration, installAiSdk } from "./record/tape/ai-sdk-tape.ts";
export { type ModelMiddleware, tapeModel } from "./record/tape/model-tape.ts";
