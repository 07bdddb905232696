import { parseUrl } from "../kernel/parse-url.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { httpRequestOf } from "../record/model-call.ts";

/** Services that collect what code does, by their domain, with the variable that turns a service off. */
const SERVICES: readonly (readonly [domain: string, name: string, off?: string])[] = [
  ["smith.langchain.com", "LangSmith", "LANGSMITH_TRACING=false"],
  ["langfuse.com", "Langfuse"],
  ["sentry.io", "Sentry"],
  ["posthog.com", "PostHog"],
  ["api.braintrust.dev", "Braintrust"],
  ["datadoghq.com", "Datadog"],
];

/** The path of a collector of OpenTelemetry's traces, on any host. */
const COLLECTOR = /\/v1\/traces$/;

/** Names the tracing service that gets a request, and how to turn it off; undefined for other requests. */
export function tracingAdvice(call: Pick<AdapterCall, "adapter" | "request">): string | undefined {
  const http = httpRequestOf(call);
  if (http === undefined) return undefined;
  const host = parseUrl(http.origin)?.hostname ?? "";
  const service = SERVICES.find(([domain]) => `.${host}`.endsWith(`.${domain}`));
  const [, name, off] = service ?? ["", COLLECTOR.test(http.path) ? "OpenTelemetry" : undefined];
  if (name === undefined) return undefined;
  const how = off === undefined ? "." : `: ${off}`;
  return `The request is of ${name}, a service for traces and analytics. Turn it off in tests${how}`;
}
