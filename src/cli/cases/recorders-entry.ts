// Gathers what only projects with recorders load: one module, so that the bundler makes one file.
export { recordAiSdk } from "../../record/interceptors/ai-sdk-recorder.ts";
export { recordGlobalFetch } from "../../record/interceptors/fetch-recorder.ts";
export { useFetchInOlderSdks } from "../../record/interceptors/older-sdks.ts";
