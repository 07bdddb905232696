import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { recordGlobalFetch } from "../../../record/interceptors/fetch-recorder.ts";
import {
  CLIENTS,
  type ClientCall,
  FAILURES,
  PIECES,
  QUESTIONS,
  OUTPUTS,
  OUTPUT_FAULT_NAMES,
  WAYS,
  failing,
  isAnthropic,
  isOpenAi,
  service,
  servedAndReal,
  errorSummary,
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

const streaming = (
  { service: { events, isDone } }: ClientCall,
  pieces: readonly string[],
  { ending, breaksAfter }: { readonly ending?: Ending; readonly breaksAfter?: number } = {},
): ServiceAnswer => ({
  kind: "events",
  events: events(pieces, ending),
  isDone,
  ...(breaksAfter !== undefined && { breaksAfter }),
});

interface Read {
  /** The texts of all pieces, in how many of them they may come. */
  readonly said: string;
  /** What else was told: that it is a refusal, how it ends. */
  readonly marks: readonly unknown[];
  readonly final?: unknown;
  readonly brokenBy?: object;
}

/** Reads a stream, and tells what came of it, and of what `more` asks of it then. */
async function read(stream: AsyncIterable<object>, more: () => Promise<unknown> = async () => null): Promise<Read> {
  let said = "";
  const marks = new Set<unknown>();
  const tell = (name: string, value: unknown): void => {
    if (typeof value !== "string" || value === "") return;
    if (/^(?:content|text|delta|refusal)$/.test(name)) said += value;
    if (name === "refusal") marks.add(name);
    else if (/^(?:finish_reason|stop_reason)$/.test(name)) marks.add(value);
    else if (name === "type" && /^response\.(?:in|created|completed|refusal)/.test(value)) marks.add(value);
  };
  try {
    for await (const chunk of stream) for (const [name, value] of partsOf(chunk)) tell(name, value);
    return { said, marks: [...marks], final: await more() };
  } catch (thrown) {
    return { said, marks: [...marks], brokenBy: errorSummary(thrown) };
  }
}

function partsOf(chunk: object): readonly (readonly [string, unknown])[] {
  const { choices, delta, type }: Record<string, unknown> = { ...chunk };
  const [choice] = Array.isArray(choices) ? choices : [];
  const parts = [{ type, delta }, delta, choice, isPlainObject(choice) ? choice["delta"] : undefined];
  return parts.filter(isPlainObject).flatMap((part) => Object.entries(part));
}

const STREAMS: Readonly<Record<string, ClientCall>> = {
  "chat.completions.create({ stream })": {
    ...CLIENTS.chat,
    call: async (client) => isOpenAi(client) && read(await client.chat.completions.create({ ...chat, stream: true })),
  },
  "chat.completions.stream(), read to its end": {
    ...CLIENTS.chat,
    call: async (client) => {
      if (!isOpenAi(client)) return undefined;
      const stream = client.chat.completions.stream(chat);
      return read(stream, async () => [await stream.finalChatCompletion(), await stream.finalContent()]);
    },
  },
  "chat.completions.stream(), its last message": {
    ...CLIENTS.chat,
    call: async (client) => isOpenAi(client) && client.chat.completions.stream(chat).finalMessage(),
  },
  "responses.create({ stream })": {
    ...CLIENTS.responses,
    call: async (client) => isOpenAi(client) && read(await client.responses.create({ ...responses, stream: true })),
  },
  "responses.stream(), read to its end": {
    ...CLIENTS.responses,
    call: async (client) => {
      if (!isOpenAi(client)) return undefined;
      const stream = client.responses.stream(responses);
      return read(stream, async () => stream.finalResponse());
    },
  },
  "messages.create({ stream })": {
    ...CLIENTS.messages,
    call: async (client) => isAnthropic(client) && read(await client.messages.create({ ...messages, stream: true })),
  },
  "messages.stream(), read to its end": {
    ...CLIENTS.messages,
    call: async (client) => {
      if (!isAnthropic(client)) return undefined;
      const stream = client.messages.stream(messages);
      return read(stream, async () => stream.finalMessage());
    },
  },
  "messages.stream(), its last text": {
    ...CLIENTS.messages,
    call: async (client) => isAnthropic(client) && client.messages.stream(messages).finalText(),
  },
};

/** What becomes of a stream's pieces of text. */
const ORDERS = [
  ["duplicate", (pieces: readonly object[]) => pieces.flatMap((piece) => [piece, piece])],
  ["out-of-order", ([one, other, ...pieces]: readonly object[]) => [other, one, ...pieces]],
] as const;

describe.each(Object.entries(STREAMS))("a simulated fault of %s matches what its client returns", (_name, call) => {
  describe.each(WAYS)("as %s", (_how, isAdapter) => {
    const well = streaming(call, PIECES);

    test.each(FAILURES)("%s", async (fault, how, name) => {
      const { served, real } = await servedAndReal(call, { isAdapter, well, fault, ill: failing(call, how) });
      expect(served).toStrictEqual(real);
      expect(JSON.stringify(real)).toContain(`"class":"${name}","isOfSdk":true`);
    });

    test.each(OUTPUT_FAULT_NAMES)("%s", async (fault) => {
      const [text, ending] = OUTPUTS[fault];
      const ill = streaming(call, text === "" ? [] : [text], { ending });
      const { served, real } = await servedAndReal(call, { isAdapter, well, fault, ill });
      expect(served).toStrictEqual(real);
    });

    // Of a stream that nobody read no pieces are known.
    test.each(isAdapter && /its last/.test(_name) ? [] : ORDERS)("%s", async (fault, order) => {
      const events = call.service.events(PIECES);
      const isPiece = (event: object): boolean => PIECES.some((piece) => isPieceOf(event, piece));
      const at = events.findIndex(isPiece);
      const pieces = order(events.filter(isPiece)).filter((piece) => piece !== undefined);
      const told = events.filter((event) => !isPiece(event)).toSpliced(at, 0, ...pieces);
      const ill: ServiceAnswer = { kind: "events", events: told, isDone: call.service.isDone };
      const { served, real } = await servedAndReal(call, { isAdapter, well, fault, ill });
      expect(served).toStrictEqual(real);
    });

    test("aborted", async () => {
      const events = call.service.events(PIECES).length + (call.service.isDone && !isAdapter ? 1 : 0);
      const ill = streaming(call, PIECES, { breaksAfter: Math.ceil(events / 2) });
      const { served, real } = await servedAndReal(call, { isAdapter, well, fault: "aborted", ill });
      expect(served).toStrictEqual(real);
      expect(JSON.stringify(real)).toContain('"message":"terminated"');
    });
  });
});

function isPieceOf(event: object, piece: string): boolean {
  const text = JSON.stringify(piece);
  return [`"content":${text}}`, `"text_delta","text":${text}}`, `"delta":${text}`].some((part) =>
    JSON.stringify(event).includes(part),
  );
}
