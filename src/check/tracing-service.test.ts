import { afterEach, expect, test, vi } from "vitest";
import { tracingAdvice } from "./tracing-service.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Returns what is said about a request of fetch. */
function adviceOn(url: string): string | undefined {
  const { origin, pathname } = new URL(url);
  return tracingAdvice({ adapter: "fetch", request: [{ method: "POST", origin, path: pathname }] });
}

test.each([
  ["https://api.smith.langchain.com/info", "LangSmith", ": LANGSMITH_TRACING=false"],
  ["https://eu.api.smith.langchain.com/runs/batch", "LangSmith", ": LANGSMITH_TRACING=false"],
  ["https://cloud.langfuse.com/api/public/ingestion", "Langfuse", "."],
  ["https://o1.ingest.sentry.io/api/1/envelope/", "Sentry", "."],
  ["http://collector.test:4318/v1/traces", "OpenTelemetry", "."],
])("a request to %s names the service that is to be turned off", (url, name, how) => {
  const advice = `The request goes to ${name}, a service for traces and analytics. Turn it off in tests${how}`;
  expect(adviceOn(url)).toBe(advice);
});

test.each([
  ["LANGSMITH_ENDPOINT", "https://traces.acme.test", "https://traces.acme.test/runs/batch", true],
  ["LANGSMITH_ENDPOINT", "https://acme.test/langsmith/api/v1/", "https://acme.test/langsmith/api/v1/info", true],
  ["LANGCHAIN_ENDPOINT", "http://127.0.0.1:1984", "http://127.0.0.1:1984/api/v1/runs/multipart", true],
  ["LANGSMITH_ENDPOINT", "http://127.0.0.1:1984", "http://127.0.0.1:1985/runs/batch", false],
  ["LANGSMITH_ENDPOINT", "https://acme.test/langsmith", "https://acme.test/langsmiths/runs", false],
  ["LANGSMITH_ENDPOINT", "https://acme.test/langsmith", "https://acme.test/langsmith/commits/acme", false],
  ["LANGSMITH_ENDPOINT", "traces.acme.test", "https://traces.acme.test/runs/batch", false],
])("with %s=%s, a request to %s is one of LangSmith: %j", (name, endpoint, url, isTracing) => {
  vi.stubEnv(name, endpoint);
  expect(adviceOn(url) !== undefined).toBe(isTracing);
});

test.each([
  ["on a host that only contains a service's name", "https://notsentry.io/api/1/envelope/"],
  ["for a stored prompt", "https://cloud.langfuse.com/api/public/v2/prompts/greeting"],
  ["for a prompt of a hub", "https://api.smith.langchain.com/commits/acme/greeting/latest"],
  ["to an own service with a similar path", "https://api.acme.test/billing/v1/traces"],
])("a request %s is not one of tracing", (_what, url) => {
  expect(adviceOn(url)).toBe(undefined);
});
