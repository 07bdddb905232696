import { recordAiSdk } from "./record/interceptors/ai-sdk-recorder.ts";

recordAiSdk();
