import { types } from "node:util";
import type { CallRole } from "../../kernel/call-role.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { type AdapterCall, adapterName } from "../adapter-call.ts";
import { beginCallSpan } from "../call-span.ts";
import { CallTape } from "./call-tape.ts";
import { encode } from "../encode/encode.ts";
import { tagged } from "../encode/tagged.ts";
import type { RecordingRules } from "../recording-rules.ts";
import { messageOf } from "../../kernel/thrown.ts";

interface Entry {
  readonly adapter: string;
  readonly call: () => AdapterCall | undefined;
  readonly problem: () => string | undefined;
}

/** How often a property was read, and what the last read gave, as text. */
interface Reads {
  count: number;
  last: string;
}

/** A property's read: the request that tells reads of one path apart, and what the read gave. */
export interface PropertyRead {
  readonly adapter: string;
  /** Empty for the value itself; `["in", key]` and `["keys"]` for questions about what there is. */
  readonly request: readonly string[];
  readonly outcome: { readonly value: unknown } | { readonly thrown: unknown };
}

/** Everything recorded of one run's adapters, in the order in which the step asked. */
export class CallLog {
  readonly #entries: Entry[] = [];
  readonly #occurrences = new Map<string, number>();
  readonly #reads = new Map<string, Reads>();
  readonly #rules: RecordingRules;
  #made = 0;

  readonly #isLive: (adapter: string) => boolean;

  /** `isLive` tells which calls reach the world, by their adapter. Default: all. */
  constructor(rules: RecordingRules, isLive: (adapter: string) => boolean = () => true) {
    this.#rules = rules;
    this.#isLive = isLive;
  }

  /** Starts the record of a call, with what its adapter says of itself; what is no data in its arguments is omitted. */
  begin(adapter: string, args: readonly unknown[], role?: CallRole): CallTape | undefined {
    this.#made += 1;
    try {
      const request = this.#rules.request(adapter, encode(args, { opaque: "omit" }));
      const occurrence = this.#count(stableStringify([adapter, request]));
      const call = { adapter, request, occurrence, ...(role !== undefined && { role }) };
      const tape = new CallTape(call, this.#rules, this.#isLive(adapter) ? beginCallSpan(call) : undefined);
      this.#entries.push(tape);
      return tape;
    } catch (error) {
      this.refuse(adapter, `was called with arguments that cannot be recorded: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Records a property's value when it is the first or differs from the one before. */
  read({ adapter, request, outcome }: PropertyRead): void {
    this.#keep({ adapter, request }, () => this.#encoded(adapter, outcome));
  }

  #keep({ adapter, request }: Omit<PropertyRead, "outcome">, encoded: () => Answer): void {
    const key = stableStringify([adapter, request]);
    const reads = this.#reads.get(key) ?? { count: 0, last: "" };
    this.#reads.set(key, reads);
    const occurrence = reads.count;
    reads.count += 1;
    const answer = answerOrProblem(encoded);
    const text = stableStringify(answer);
    if (text === reads.last) return;
    reads.last = text;
    if (typeof answer === "string") this.refuse(adapter, answer);
    else this.#add({ adapter, request, occurrence, returns: "property", ...answer });
  }

  /** Records what a property holds, or what its promise gives. */
  readProperty(adapter: string, value: unknown): void {
    if (types.isPromise(value)) this.#readPromise(adapter, value);
    else this.read({ adapter, request: [], outcome: { value } });
  }

  /** A promise that fails is no answer that could be served. */
  #readPromise(adapter: string, promise: PromiseLike<unknown>): void {
    let problem: string | undefined = "holds a promise that was still pending when the recording was taken";
    this.#entries.push({ adapter, call: () => undefined, problem: () => problem });
    const follow = async (): Promise<void> => {
      try {
        const value = await promise;
        problem = undefined;
        this.#keep({ adapter, request: [] }, () => ({
          response: this.#rules.response(adapter, tagged("promise", encode(value))),
        }));
      } catch (error) {
        problem = `holds a promise that failed: ${messageOf(error)}`;
      }
    };
    void follow();
  }

  /** Notes something that cannot be recorded, worded to follow the adapter's name. */
  refuse(adapter: string, problem: string): void {
    this.#entries.push({ adapter, call: () => undefined, problem: () => problem });
  }

  /** How many calls were begun. */
  made(): number {
    return this.#made;
  }

  /** The recorded calls so far. */
  calls(): readonly AdapterCall[] {
    return this.#entries.flatMap((entry) => entry.call() ?? []);
  }

  /** One sentence for each call that could not be recorded, or not yet. */
  problems(): readonly string[] {
    return this.#entries.flatMap((entry) => {
      const problem = entry.problem();
      return problem === undefined ? [] : [this.#rules.text(`${adapterName(entry.adapter)} ${problem}`)];
    });
  }

  #add(call: AdapterCall): void {
    this.#entries.push({ adapter: call.adapter, call: () => call, problem: () => undefined });
  }

  #count(key: string): number {
    const occurrence = this.#occurrences.get(key) ?? 0;
    this.#occurrences.set(key, occurrence + 1);
    return occurrence;
  }

  #encoded(adapter: string, outcome: PropertyRead["outcome"]): Answer {
    if ("value" in outcome) return { response: this.#rules.response(adapter, encode(outcome.value)) };
    return { error: this.#rules.error(adapter, encode(outcome.thrown, { opaque: "omit" })) };
  }
}

type Answer = Pick<AdapterCall, "response" | "error">;

function answerOrProblem(encoded: () => Answer): Answer | string {
  try {
    return encoded();
  } catch (error) {
    return `holds a value that cannot be recorded: ${messageOf(error)}`;
  }
}
