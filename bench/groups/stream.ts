import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpuUsage } from "node:process";
import { fileURLToPath } from "node:url";
import { recordFetch, recordGlobalFetch } from "../../src/fetch.ts";
import type { BenchGroup, Row } from "../bench-group.ts";
import { ratioOf } from "../timing.ts";

const ROUNDS = 21;
const WARM_UP = 5;
const SERVER = fileURLToPath(new URL("../children/sse-server.ts", import.meta.url));

/** What recording adds to a response that is read as it arrives. The server has a process of its own. */
export const stream: BenchGroup = {
  name: "stream",
  question: "What does recording add to reading 1 MB of server-sent events with fetch?",
  run: async () => {
    const server = spawn(process.execPath, [SERVER], { stdio: ["ignore", "pipe", "inherit"] });
    const plainFetch = globalThis.fetch;
    const restore = recordGlobalFetch();
    try {
      const port = String(await once(server.stdout, "data")).trim();
      return [await measureStream(`http://127.0.0.1:${port}/`, plainFetch)];
    } finally {
      restore();
      server.kill();
    }
  },
};

type Round = Readonly<Record<"lastEvent" | "all" | "plain" | "parsed", number>>;

async function measureStream(url: string, plainFetch: typeof fetch): Promise<Row> {
  const rounds: Round[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const plain = await cpuOf(async () => read(plainFetch, url));
    const parsed = await cpuOf(async () => parse(plainFetch, url));
    rounds.push({ plain, parsed, ...(await recorded(url)) });
  }
  const timing = (name: string, of: keyof Round) => ({ name, rounds: rounds.slice(WARM_UP).map((each) => each[of]) });
  const lastEvent = timing("recorded fetch, to the last event", "lastEvent");
  const all = timing("recorded fetch, with redaction", "all");
  const plain = timing("plain fetch", "plain");
  const parsed = timing("plain fetch and JSON.parse", "parsed");
  return {
    name: "1 MB of events",
    timings: [lastEvent, all, plain, parsed],
    metrics: [
      { name: "÷ plain fetch, to the last event", value: ratioOf(lastEvent, plain), unit: "×" },
      { name: "÷ plain fetch and JSON.parse, with redaction", value: ratioOf(all, parsed), unit: "×" },
    ],
    notes: [],
  };
}

/** Returns the CPU time until a step has read a recorded response, and until the response is redacted too. */
async function recorded(url: string): Promise<Pick<Round, "lastEvent" | "all">> {
  let lastEvent = Number.NaN;
  const all = await cpuOf(async () => {
    const { calls, problems } = await recordFetch(async () => {
      lastEvent = await cpuOf(async () => read(fetch, url));
    });
    if (calls.length !== 1 || problems.length > 0) throw new Error(`stream: not recorded: ${problems.join(" ")}`);
  });
  return { lastEvent, all };
}

async function cpuOf(run: () => Promise<number> | Promise<void>): Promise<number> {
  const started = cpuUsage();
  await run();
  const { user, system } = cpuUsage(started);
  return (user + system) / 1000;
}

async function read(send: typeof fetch, url: string): Promise<number> {
  let size = 0;
  for await (const part of bodyOf(await send(url))) size += part.length;
  if (size < 1_000_000) throw new Error(`stream: only ${size} bytes arrived.`);
  return size;
}

async function parse(send: typeof fetch, url: string): Promise<number> {
  const decoder = new TextDecoder();
  let rest = "";
  let events = 0;
  for await (const part of bodyOf(await send(url))) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const event: unknown = JSON.parse(line.slice("data: ".length));
      if (event instanceof Object && "choices" in event) events += 1;
    }
  }
  if (events < 1000) throw new Error(`stream: only ${events} events arrived.`);
  return events;
}

function bodyOf({ body }: Response): AsyncIterable<Uint8Array> {
  if (body === null) throw new Error("stream: the response has no body.");
  return body;
}
