import { type VariableName, processEnvironment, readVariable } from "../kernel/environment.ts";
import { parseUrl } from "../kernel/parse-url.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { httpRequestOf } from "../record/model-call.ts";

interface TracingService {
  readonly name: string;
  /** Host, or the end of it. Undefined for any host. */
  readonly domain?: string;
  /** Paths to which a program sends what it does. The service's other paths are data, such as stored prompts. */
  readonly path: RegExp;
  /** Variable that turns it off. */
  readonly off?: string;
  /** Variables with the address of the service on a host of one's own. */
  readonly endpoints?: readonly VariableName[];
}

const SERVICES: readonly TracingService[] = [
  {
    name: "LangSmith",
    domain: "smith.langchain.com",
    path: /^\/(?:api\/v1\/)?(?:info|otel|runs)(?:\/|$)/,
    off: "LANGSMITH_TRACING=false",
    endpoints: ["LANGSMITH_ENDPOINT", "LANGCHAIN_ENDPOINT"],
  },
  { name: "Langfuse", domain: "langfuse.com", path: /^\/api\/public\/(?:ingestion|otel)(?:\/|$)/ },
  { name: "Sentry", domain: "sentry.io", path: /^\/api\/\d+\/(?:envelope|store)\/?$/ },
  { name: "PostHog", domain: "posthog.com", path: /^\/(?:batch|capture|decide|e|flags|i\/v0\/e)\/?$/ },
  { name: "Braintrust", domain: "api.braintrust.dev", path: /^\/logs3$/ },
  { name: "OpenTelemetry", path: /^\/v1\/traces$/ },
];

/** Names the tracing service that gets a request, and how to turn it off; undefined for other requests. */
export function tracingAdvice(call: Pick<AdapterCall, "adapter" | "request">): string | undefined {
  const http = httpRequestOf(call);
  if (http === undefined) return undefined;
  const service = SERVICES.find((candidate) => isOf(candidate, http));
  if (service === undefined) return undefined;
  const how = service.off === undefined ? "." : `: ${service.off}`;
  return `The request goes to ${service.name}, a service for traces and analytics. Turn it off in tests${how}`;
}

function isOf(service: TracingService, { origin, path }: { readonly origin: string; readonly path: string }): boolean {
  const host = parseUrl(origin)?.hostname ?? "";
  const { domain = host, endpoints = [] } = service;
  if (`.${host}`.endsWith(`.${domain}`) && service.path.test(path)) return true;
  return endpoints.some((name) => {
    const endpoint = parseUrl(readVariable(processEnvironment(), name) ?? "");
    if (endpoint?.origin !== origin) return false;
    const base = endpoint.pathname.replace(/\/$/, "");
    return path.startsWith(`${base}/`) && service.path.test(path.slice(base.length));
  });
}
