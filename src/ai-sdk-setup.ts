import { installAiSdk } from "./record/tape/ai-sdk-tape.ts";

installAiSdk();
