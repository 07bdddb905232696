import { types } from "node:util";
import type { CallRole } from "../../kernel/call-role.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { withArticle } from "../../kernel/json/plain-data.ts";
import { isPlainJson } from "../../kernel/json/stored-json.ts";
import { type AdapterCall, RESPONSE_MARK, adapterName } from "../adapter-call.ts";
import { beginCallSpan } from "../call-span.ts";
import { type StartedCall, CallRecorder } from "./call-recorder.ts";
import { encode, encodeArguments } from "../encode/encode.ts";
import { tagged } from "../encode/tagged.ts";
import { signalIn } from "../replay/injected-end.ts";
import type { RecordingRules } from "../recording-rules.ts";
import { messageOf } from "../../kernel/error-message.ts";

interface Entry {
  readonly adapter: string;
  readonly call: () => AdapterCall | undefined;
  readonly problem: () => string | undefined;
}

/** Number of reads of a property, and the value of the last read as text. */
interface Reads {
  count: number;
  last: string;
  value: unknown;
  json: string | undefined;
}

/** One read of a property, with its outcome. The request distinguishes the reads of one path. */
export interface PropertyRead {
  readonly adapter: string;
  /** Empty for the value itself; `["in", key]` and `["keys"]` for checks of keys. */
  readonly request: readonly string[];
  readonly outcome: { readonly value: unknown } | { readonly thrown: unknown };
}

/** Calls and reads recorded from one run's adapters, in the order in which the step made them. */
export class CallLog {
  readonly #entries: Entry[] = [];
  readonly #occurrences = new Map<string, number>();
  readonly #reads = new Map<string, Reads>();
  readonly #rules: RecordingRules;
  #made = 0;
  #completed = 0;
  /** The last call, and the number of responses when it was made. */
  #last: { readonly recorder: CallRecorder; readonly completed: number } | undefined;

  readonly #isLive: (adapter: string) => boolean;

  /** `isLive` returns true for adapters whose calls reach live services. Default: all. */
  constructor(rules: RecordingRules, isLive: (adapter: string) => boolean = () => true) {
    this.#rules = rules;
    this.#isLive = isLive;
  }

  /** Starts the record of a call, with the role its adapter declares. Arguments that aren't data are omitted. */
  begin(adapter: string, args: readonly unknown[], role?: CallRole): CallRecorder | undefined {
    this.#made += 1;
    try {
      const unread: string[] = [];
      const onUnread = (name: string, path: string): void => void unread.push(`${withArticle(name)} at "${path}"`);
      const request = this.#rules.request(adapter, encodeArguments(args, onUnread));
      const occurrence = this.#count(stableStringify([adapter, request]));
      const parallel = this.#openBefore(adapter);
      const call: StartedCall = {
        adapter,
        request,
        occurrence,
        ...(role !== undefined && { role }),
        ...(parallel > 0 && { parallel }),
      };
      const recorder = new CallRecorder(call, this.#rules, {
        span: this.#isLive(adapter) ? beginCallSpan(call) : undefined,
        onCompletion: () => this.#completed++,
      });
      recorder.setSignal(signalIn(args));
      this.#entries.push(recorder);
      if (unread[0] !== undefined)
        recorder.note(`was called with ${unread[0]}, whose content can't be compared. Pass text or bytes`);
      this.#last = { recorder, completed: this.#completed };
      return recorder;
    } catch (error) {
      this.refuse(adapter, `was called with arguments that can't be recorded: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Records a property's value if it is the first or differs from the previous one. */
  read({ adapter, request, outcome }: PropertyRead): void {
    const value = "value" in outcome ? outcome.value : undefined;
    this.#keep({ adapter, request, value }, () => this.#encoded(adapter, outcome));
  }

  #keep(
    { adapter, request, value }: Omit<PropertyRead, "outcome"> & { readonly value?: unknown },
    encoded: () => EncodedOutcome,
  ): void {
    const key = stableStringify([adapter, request]);
    const reads = this.#reads.get(key) ?? { count: 0, last: "", value: undefined, json: undefined };
    this.#reads.set(key, reads);
    const occurrence = reads.count;
    reads.count += 1;
    // A list that is read at each of its indices is encoded once: its JSON takes a tenth of the time. Other values,
    // such as a Map, can change without a change of their JSON.
    const json = isPlainJson(value) ? JSON.stringify(value) : undefined;
    if (json !== undefined && json === reads.json && value === reads.value) return;
    Object.assign(reads, { value, json });
    const encodedOutcome = outcomeOrProblem(encoded);
    const text = stableStringify(encodedOutcome);
    if (text === reads.last) return;
    reads.last = text;
    if (typeof encodedOutcome === "string") this.refuse(adapter, encodedOutcome);
    else this.#add({ adapter, request, occurrence, returns: "property", ...encodedOutcome });
  }

  /** Records the value of a property, or the value its promise resolves to. */
  readProperty(adapter: string, value: unknown): void {
    if (types.isPromise(value)) this.#readPromise(adapter, value);
    else this.read({ adapter, request: [], outcome: { value } });
  }

  /** Records the value of a promise. A rejected promise can't be replayed. */
  #readPromise(adapter: string, promise: PromiseLike<unknown>): void {
    let problem: string | undefined = "has a promise that was still pending when the recording ended";
    this.#entries.push({ adapter, call: () => undefined, problem: () => problem });
    const follow = async (): Promise<void> => {
      try {
        const value = await promise;
        problem = undefined;
        this.#keep({ adapter, request: [] }, () => ({
          response: this.#rules.response(adapter, tagged("promise", encode(value))),
        }));
      } catch (error) {
        problem = `has a promise that failed: ${messageOf(error)}`;
      }
    };
    void follow();
  }

  /** Adds a problem: a use that can't be recorded. The text follows the adapter's name. */
  refuse(adapter: string, problem: string): void {
    this.#entries.push({ adapter, call: () => undefined, problem: () => problem });
  }

  /** Returns true while an adapter or a service on this machine works on a call: its own requests are part of it. */
  isAdapterAtWork(): boolean {
    return this.#entries.some((entry) => entry instanceof CallRecorder && entry.isPending() && !entry.isRemoteFetch());
  }

  /** Number of calls that were started. */
  made(): number {
    return this.#made;
  }

  /** Ends the recording at the end of its run: calls without a response are recorded as open. */
  close(): void {
    for (const entry of this.#entries) if (entry instanceof CallRecorder) entry.close();
  }

  /** The recorded calls so far, numbered by their responses if those came in another order than the calls. */
  calls(): readonly AdapterCall[] {
    const ends = this.#entries.map((entry) => (entry instanceof CallRecorder ? entry.completed : undefined));
    const order = ends.filter((end) => end !== undefined).toSorted((a, b) => a - b);
    const isInOrder = ends.filter((end) => end !== undefined).every((end, index) => end === order[index]);
    return this.#entries.flatMap((entry, index): readonly AdapterCall[] => {
      const call = entry.call();
      if (call === undefined) return [];
      const end = ends[index];
      return [isInOrder || end === undefined ? call : { ...call, completed: order.indexOf(end) }];
    });
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

  /** Number of calls directly before the next one that are open. A use of a response comes after its call. */
  #openBefore(adapter: string): number {
    if (RESPONSE_MARK.test(adapter)) return 0;
    // Calls that are made together have the same ones before them: those aren't counted again.
    if (this.#last?.completed === this.#completed) return this.#last.recorder.parallel + 1;
    let open = 0;
    for (let index = this.#entries.length - 1; index >= 0; index -= 1) {
      const entry = this.#entries[index];
      if (!(entry instanceof CallRecorder)) continue;
      if (!entry.isOpen) break;
      open += 1;
    }
    return open;
  }

  #count(key: string): number {
    const occurrence = this.#occurrences.get(key) ?? 0;
    this.#occurrences.set(key, occurrence + 1);
    return occurrence;
  }

  #encoded(adapter: string, outcome: PropertyRead["outcome"]): EncodedOutcome {
    if ("value" in outcome) return { response: this.#rules.response(adapter, encode(outcome.value)) };
    return { error: this.#rules.error(adapter, encode(outcome.thrown, { opaque: "omit" })) };
  }
}

type EncodedOutcome = Pick<AdapterCall, "response" | "error">;

function outcomeOrProblem(encoded: () => EncodedOutcome): EncodedOutcome | string {
  try {
    return encoded();
  } catch (error) {
    return `has a value that can't be recorded: ${messageOf(error)}`;
  }
}
