import { installedVersion } from "../../kernel/files/require-package.ts";

/** Recorders that the model clients of a project need, and what its code needs besides. */
export interface DetectedClients {
  /** True if the requests of a client go through `fetch`. */
  readonly fetch: boolean;
  /** True for the AI SDK 7, whose calls are recorded by its registry. */
  readonly aiSdk: boolean;
  /** Lines for clients that only the project's own code can have recorded. */
  readonly remarks: readonly string[];
}

/** Packages whose requests go through `fetch`. */
const FETCH_CLIENTS: ReadonlySet<string> = new Set([
  "@anthropic-ai/sdk",
  "@google/genai",
  "@google/generative-ai",
  "@huggingface/inference",
  "@mistralai/mistralai",
  "cohere-ai",
  "groq-sdk",
  "ky",
  "langchain",
  "ofetch",
  "ollama",
  "openai",
  "replicate",
  "together-ai",
]);

const REMARKS: readonly (readonly [RegExp, string])[] = [
  [
    /^@modelcontextprotocol\/(?:sdk|client)$/,
    "To record an MCP server, wrap its transport: client.connect(recordTransport(transport)). Import it from " +
      '"veritest/mcp".',
  ],
  [
    /^@openai\/agents$/,
    "To record models of OpenAI Agents, call recordModelProvider(provider) in a setup file. Import it from " +
      '"veritest/openai-agents".',
  ],
];

/** Returns the recorders for a project's packages: names with the versions that package.json asks for. */
export function detectClients(packages: ReadonlyMap<string, string>, root: string): DetectedClients {
  const names = [...packages.keys()];
  const ai = packages.get("ai");
  const major = ai === undefined ? undefined : majorOf(installedVersion("ai", root) ?? ai);
  return {
    // Older AI SDKs have no registry, and their providers use `fetch`.
    fetch:
      names.some((name) => FETCH_CLIENTS.has(name) || name.startsWith("@langchain/")) ||
      (major !== undefined && major < 7),
    aiSdk: major !== undefined && major >= 7,
    remarks: REMARKS.flatMap(([pattern, line]) => (names.some((name) => pattern.test(name)) ? [line] : [])),
  };
}

/** Returns the major version of a version or a range; that of `latest`, `*` and the like is the newest. */
function majorOf(range: string): number {
  const [, major] = /(\d+)/.exec(range) ?? [];
  return major === undefined ? Infinity : Number(major);
}
