// The table of trace sources, a line each: the command line takes them by their `name`.
export { otlpSource, aiSdkSource } from "./otlp.ts";
export { jaegerSource } from "./jaeger.ts";
export { langfuseSource } from "./langfuse.ts";
export { langsmithSource } from "./langsmith.ts";
// Its files contain completions, too. A module has its exports by name, so this one is before `openai`.
export { openaiBatchSource } from "./openai-batch.ts";
export { openaiSource } from "./openai.ts";
export { openaiEvalsSource } from "./openai-evals.ts";
export { codexSource } from "./codex.ts";
export { claudeCodeSource } from "./claude-code.ts";
export { adkSource } from "./adk.ts";
export { harSource } from "./har.ts";
export { jsonlSource } from "./jsonl.ts";
