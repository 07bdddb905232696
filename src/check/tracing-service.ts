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
}

const SERVICES: readonly TracingService[] = [
  {
    name: "LangSmith",
    domain: "smith.langchain.com",
    path: /^\/(?:api\/v1\/)?(?:info|otel|runs)(?:\/|$)/,
    off: "LANGSMITH_TRACING=false",
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
  const host = parseUrl(http.origin)?.hostname ?? "";
  const service = SERVICES.find(({ domain = host, path }) => `.${host}`.endsWith(`.${domain}`) && path.test(http.path));
  if (service === undefined) return undefined;
  const how = service.off === undefined ? "." : `: ${service.off}`;
  return `The request goes to ${service.name}, a service for traces and analytics. Turn it off in tests${how}`;
}
