import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { recordGlobalFetch } from "../../../record/interceptors/fetch-recorder.ts";
import {
  CLIENTS,
  type ClientCall,
  FAILURES,
  QUESTIONS,
  OUTPUTS,
  OUTPUT_FAULT_NAMES,
  TEXT,
  WAYS,
  failing,
  isAnthropic,
  isOpenAi,
  service,
  servedAndReal,
} from "../../../../test-support/fault-clients.ts";
import type { ServiceAnswer } from "../../../../test-support/fault-service.ts";
import type { Ending } from "../../../../test-support/model-services.ts";

let uninstall: () => void;

beforeAll(async () => {
  uninstall = recordGlobalFetch();
  await service.open();
});

afterAll(() => {
  uninstall();
  service.close();
});

const { chat, responses, messages } = QUESTIONS;
const Answer = z.object({ cents: z.number() });

const answering = ({ service: { body } }: ClientCall, text: string, ending?: Ending): ServiceAnswer => ({
  kind: "body",
  status: 200,
  body: body(text, ending),
});

const ANSWERS: Readonly<Record<string, ClientCall>> = {
  "chat.completions.create()": {
    ...CLIENTS.chat,
    call: async (client) => isOpenAi(client) && client.chat.completions.create(chat),
  },
  "responses.create()": {
    ...CLIENTS.responses,
    call: async (client) => isOpenAi(client) && client.responses.create(responses),
  },
  "messages.create()": {
    ...CLIENTS.messages,
    call: async (client) => isAnthropic(client) && client.messages.create(messages),
  },
  "chat.completions.create().withResponse()": {
    ...CLIENTS.chat,
    call: async (client) => isOpenAi(client) && (await client.chat.completions.create(chat).withResponse()).data,
  },
};

/** Clients that make data of the text by a schema. */
const PARSED: Readonly<Record<string, ClientCall>> = {
  "chat.completions.parse()": {
    ...CLIENTS.chat,
    call: async (client) =>
      isOpenAi(client) &&
      client.chat.completions.parse({ ...chat, response_format: zodResponseFormat(Answer, "answer") }),
  },
  "responses.parse()": {
    ...CLIENTS.responses,
    call: async (client) => {
      if (!isOpenAi(client)) return undefined;
      const answer = await client.responses.parse({ ...responses, text: { format: zodTextFormat(Answer, "answer") } });
      return { answer, parsed: answer.output_parsed };
    },
  },
  "messages.parse()": {
    ...CLIENTS.messages,
    call: async (client) =>
      isAnthropic(client) && client.messages.parse({ ...messages, output_config: { format: zodOutputFormat(Answer) } }),
  },
};

describe.each(Object.entries(ANSWERS))("a simulated fault of %s matches what its client returns", (_name, call) => {
  describe.each(WAYS)("as %s", (_how, isAdapter) => {
    const well = answering(call, TEXT);

    test.each(FAILURES)("%s", async (fault, how, name) => {
      const { served, real } = await servedAndReal(call, { isAdapter, well, fault, ill: failing(call, how) });
      expect(served).toStrictEqual(real);
      expect(real).toMatchObject({ class: name, isOfSdk: true });
    });

    test.each(OUTPUT_FAULT_NAMES)("%s", async (fault) => {
      const [text, ending] = OUTPUTS[fault];
      const { served, real } = await servedAndReal(call, {
        isAdapter,
        well,
        fault,
        ill: answering(call, text, ending),
      });
      expect(served).toStrictEqual(real);
    });
  });
});

describe.each(Object.entries(PARSED))("a simulated fault has the parsed content or the error of %s", (_name, call) => {
  test.each([
    "truncated",
    "refused",
    "empty",
    "malformed-cut",
    "malformed-fenced",
    "malformed-prose",
  ] as const)("%s", async (fault) => {
    const [text, ending] = OUTPUTS[fault];
    const well = answering(call, TEXT);
    const ill = answering(call, text, ending);
    const { served, real } = await servedAndReal(call, { isAdapter: true, well, fault, ill });
    expect(served).toStrictEqual(real);
  });
});
