import { type Server, type ServerResponse, createServer } from "node:http";
import { errorsOf } from "../src/extras/properties/faults/fault-errors.ts";
import { usesByCall } from "../src/extras/properties/faults/fault-runs.ts";
import { type FaultName, faultOf, providerOf } from "../src/extras/properties/faults/faults.ts";
import { inVirtualTime } from "../src/extras/properties/faults/virtual-time.ts";
import type { AdapterCall } from "../src/record/adapter-call.ts";
import { replayAdapters } from "../src/record/replay/replay-adapters.ts";
import { recordedStep } from "../src/record/interceptors/recorders.ts";
import type { AnyStep } from "../src/kernel/step/define-step.ts";
import { run } from "../src/kernel/step/run.ts";

/** How a service answers. */
export type ServiceAnswer =
  | { readonly kind: "body"; readonly status: number; readonly body: unknown }
  /** Events, after as many of which its connection breaks off where that is said. */
  | {
      readonly kind: "events";
      readonly events: readonly object[];
      readonly isDone: boolean;
      readonly breaksAfter?: number;
    }
  | { readonly kind: "silent" };

/** A service over HTTP that behaves, and misbehaves, as it is told. */
export class FaultService {
  answer: ServiceAnswer = { kind: "silent" };
  #server: Server | undefined;
  #port = 0;

  /** Begins to listen. */
  async open(): Promise<void> {
    const server = createServer((_, response) => this.#respond(response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    this.#port = typeof address === "object" && address !== null ? address.port : 0;
    this.#server = server;
  }

  /** Ends at once, whoever is connected. */
  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** Where it is. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  #respond(response: ServerResponse): void {
    const { answer } = this;
    switch (answer.kind) {
      case "silent":
        return;
      case "body":
        response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
        return;
      case "events": {
        const { events, isDone, breaksAfter = Infinity } = answer;
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const event of events.slice(0, breaksAfter)) response.write(textOf(event));
        if (breaksAfter < events.length) setTimeout(() => response.destroy(), 20);
        else response.end(isDone ? "data: [DONE]\n\n" : "");
      }
    }
  }
}

function textOf(event: object): string {
  return `${"type" in event ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
}

/** What a step makes of its recorded calls with a fault in the first that it makes any sense of. */
export async function seenUnder(fault: FaultName, step: AnyStep, calls: readonly AdapterCall[]): Promise<unknown> {
  const uses = usesByCall(calls);
  const groups = new Map<AdapterCall, readonly AdapterCall[]>();
  for (const [call, own] of uses) {
    const provider = providerOf(call, calls);
    const errorOf = await errorsOf(provider, process.cwd());
    const served = faultOf(fault, { call, uses: own, role: "model", provider, errorOf });
    if (served !== undefined && groups.size === 0) groups.set(call, served);
  }
  const [struck] = groups.keys();
  if (struck === undefined)
    throw new Error(`${fault} makes no sense of ${calls.map(({ adapter }) => adapter).join()}.`);
  const own = new Set(uses.get(struck));
  const served = calls.flatMap((call) => (own.has(call) ? [] : (groups.get(call) ?? [call])));
  const server = replayAdapters(served);
  const end = await inVirtualTime(async () =>
    run(recordedStep(step, server.runInScope), {}, { adapters: server.adapters }),
  );
  if (end.kind !== "ended" || !end.value.ok) throw new Error(`It ${end.kind}: ${JSON.stringify(end)}`);
  return end.value.value.output;
}
