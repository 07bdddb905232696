import { installAiSdk } from "./record/interceptors/ai-sdk-tape.ts";

installAiSdk();
