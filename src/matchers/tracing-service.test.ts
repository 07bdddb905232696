import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { recordGlobalFetch } from "../record/interceptors/fetch-recorder.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
let uninstall = (): void => undefined;

beforeEach(() => {
  stage.begin();
  vi.stubGlobal("fetch", async () => new Response("{}"));
  uninstall = recordGlobalFetch();
});
afterEach(() => {
  uninstall();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

function sending(trace: () => Promise<unknown>): AnyStep {
  return defineStep({
    name: "ask",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: async () => {
      await trace();
      return { output: { text: await (await fetch("https://shop.test/rates")).text() } };
    },
  });
}

const live = { input: {}, adapters: {} };
const SERVICES = [
  ["https://api.smith.langchain.com/info", "LangSmith", ": LANGSMITH_TRACING=false"],
  ["https://eu.api.smith.langchain.com/runs/batch", "LangSmith", ": LANGSMITH_TRACING=false"],
  ["https://cloud.langfuse.com/api/public/ingestion", "Langfuse", "."],
  ["https://o1.ingest.sentry.io/api/1/envelope/", "Sentry", "."],
  ["http://collector.test:4318/v1/traces", "OpenTelemetry", "."],
] as const;

test.each(SERVICES)("a request to %s names the service that is to be turned off", async (url, name, how) => {
  const advice = `The request goes to ${name}, a service for traces and analytics. Turn it off in tests${how}`;
  let kept: Promise<Response> | undefined;
  const refused = await stage.message(() => expect(sending(async () => (kept ??= fetch(url)))).toMatchBaseline(live));
  expect(refused).toContain(
    `isn't reproducible: a second run of the step doesn't call fetch GET ${url} again. ${advice}`,
  );
  await expect(sending(async () => undefined)).toMatchBaseline(live);
  stage.settle("none");
  const changed = await stage.message(() => expect(sending(async () => fetch(url))).toMatchBaseline({ input: {} }));
  expect(changed).toContain("request_changed");
  expect(changed.endsWith(`\n\n${advice}`), changed).toBe(true);
});

test.each([
  ["LANGSMITH_ENDPOINT", "https://traces.acme.test", "https://traces.acme.test/runs/batch", true],
  ["LANGSMITH_ENDPOINT", "https://acme.test/langsmith/api/v1/", "https://acme.test/langsmith/api/v1/info", true],
  ["LANGCHAIN_ENDPOINT", "http://127.0.0.1:1984", "http://127.0.0.1:1984/api/v1/runs/multipart", true],
  ["LANGSMITH_ENDPOINT", "http://127.0.0.1:1984", "http://127.0.0.1:1985/runs/batch", false],
  ["LANGSMITH_ENDPOINT", "https://acme.test/langsmith", "https://acme.test/langsmiths/runs", false],
  ["LANGSMITH_ENDPOINT", "https://acme.test/langsmith", "https://acme.test/langsmith/commits/acme", false],
  ["LANGSMITH_ENDPOINT", "traces.acme.test", "https://traces.acme.test/runs/batch", false],
] as const)("with %s=%s, a request to %s is one of LangSmith: %j", async (name, endpoint, url, isTracing) => {
  vi.stubEnv(name, endpoint);
  await expect(sending(async () => undefined)).toMatchBaseline(live);
  stage.settle("none");
  const message = await stage.message(() => expect(sending(async () => fetch(url))).toMatchBaseline({ input: {} }));
  expect(message.includes("The request goes to LangSmith"), message).toBe(isTracing);
  expect(message.endsWith("Turn it off in tests: LANGSMITH_TRACING=false")).toBe(isTracing);
});

test.each([
  ["on a host that only contains a service's name", "https://notsentry.io/api/1/envelope/"],
  ["for a stored prompt", "https://cloud.langfuse.com/api/public/v2/prompts/greeting"],
  ["for a prompt of a hub", "https://api.smith.langchain.com/commits/acme/greeting/latest"],
  ["to an own service with a similar path", "https://api.acme.test/billing/v1/traces"],
])("a request %s is not one of tracing", async (_what, url) => {
  await expect(sending(async () => undefined)).toMatchBaseline(live);
  stage.settle("none");
  const step = sending(async () => fetch(url));
  const message = await stage.message(() => expect(step).toMatchBaseline({ input: {} }));
  expect(message).not.toContain("traces and analytics");
  expect(message).toContain("Is the new request intended?");
});
