import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { pairHere } from "../../redact/comparable.ts";
import { learnSecrets } from "../../redact/current-redactor.ts";
import { holdsHashOnly, inOrderOfSecrets } from "../../redact/placeholder.ts";
import { secretsHere } from "../../redact/recording-secrets.ts";
import type { SecretNumbers } from "../../redact/secret-numbers.ts";
import { type AdapterCall, isAnswerKey, joinPath, withoutAnswer } from "../adapter-call.ts";
import { nearestCall } from "./nearest-call.ts";
import type { RecordingMiss } from "./recording-miss.ts";
import { type RecordingRules, recordingRules } from "../recording-rules.ts";

/** The recorded calls of one request, in order, and how many times it was made again. */
interface Line {
  readonly calls: AdapterCall[];
  /** The key of each call's own request. They differ where requests differ in hidden secrets alone. */
  readonly keys: string[];
  isMixed: boolean;
  asked: number;
  /** Of a property: which of the calls gave the value that holds now. */
  at: number;
}

/** Finds recorded calls by what is asked for, each one once. */
export class CallIndex {
  readonly #calls: readonly AdapterCall[];
  readonly #lines = new Map<string, Line>();
  readonly #reads = new Map<string, Line>();
  readonly #byAdapter = new Map<string, AdapterCall[]>();
  readonly #paths = new Set<string>();
  readonly #usedAnswers = new Set<string>();
  readonly #served = new Set<AdapterCall>();
  /** Calls of which today's rules leave out more than is left out of them already, with the request that remains. */
  readonly #reduced = new Map<AdapterCall, AdapterCall>();
  readonly #rules: RecordingRules;
  readonly #isScripted: (adapter: string) => boolean;
  /** What was asked of calls that answered another request. */
  readonly #askedOtherwise = new Map<AdapterCall, unknown>();
  /** What was asked of calls that answered a request with another placeholder in the place of theirs. */
  readonly #askedHidden = new Map<AdapterCall, unknown>();

  /**
   * The rules are applied to the stored requests too: they may have been recorded under others. The calls of a scripted
   * adapter answer in the order of the recording, whatever is asked.
   */
  constructor(
    calls: readonly AdapterCall[],
    rules: RecordingRules = recordingRules(),
    isScripted: (adapter: string) => boolean = () => false,
  ) {
    this.#calls = calls;
    this.#rules = rules;
    this.#isScripted = isScripted;
    for (const call of calls.toSorted((a, b) => a.occurrence - b.occurrence)) this.#add(call);
  }

  /** The next recorded call of this request, or why there is none. */
  take(adapter: string, request: unknown): AdapterCall | RecordingMiss {
    const keys = requestKeys(adapter, request, secretsHere()?.numbers);
    const line = this.#lines.get(keys.alike) ?? this.#lineOf(adapter, request);
    const call = this.#isScripted(adapter) ? this.#nextInScript(adapter, request) : line && this.#nextOf(line, keys);
    if (call === undefined) return this.#miss(adapter, request, line);
    this.#served.add(call);
    if (keys.own !== keys.alike && line?.keys[line.calls.indexOf(call)] !== keys.own) {
      this.#askedHidden.set(call, request);
      pairHere(this.#reduced.get(call)?.request ?? call.request, request);
    }
    return this.refusal(call, request) ?? call;
  }

  /** Why a call that was found cannot be answered: of its answer only the hash was kept. Undefined where it can. */
  refusal(call: AdapterCall, request: unknown): RecordingMiss | undefined {
    const { adapter, response, error } = call;
    // Even a part: the step would compute with the hash.
    if (!holdsHashOnly(response) && !holdsHashOnly(error)) return undefined;
    return { adapter, request, reason: "hash_only", nearest: call, recorded: this.callsOf(adapter).length };
  }

  /** What the next read of a property gave in the recording; undefined when it was not read there. */
  read(adapter: string, request: readonly string[]): AdapterCall | undefined {
    const line = this.#reads.get(requestKeys(adapter, request).own);
    if (line === undefined) return undefined;
    // A value holds from the read that first gave it to the one that gave another.
    while ((line.calls[line.at + 1]?.occurrence ?? Infinity) <= line.asked) line.at += 1;
    const call = line.calls[line.at];
    line.asked += 1;
    if (call !== undefined) this.#served.add(call);
    return call;
  }

  /** The calls (not reads) recorded of an adapter. */
  callsOf(adapter: string): readonly AdapterCall[] {
    return this.#byAdapter.get(adapter) ?? [];
  }

  /** Tells whether anything was recorded at or below a path. */
  knows(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Tells whether uses of what an adapter answered with were recorded, whichever the call. */
  knowsUses(adapter: string): boolean {
    return this.#usedAnswers.has(adapter);
  }

  /** The keys directly below a path at or below which something was recorded. */
  keysBelow(path: string): readonly string[] {
    const prefix = joinPath(path, "");
    const below = [...this.#paths].filter((known) => known !== path && known.startsWith(prefix));
    const keys = new Set(below.flatMap((known) => known.slice(prefix.length).split(".", 1)));
    return [...keys].filter((key) => !isAnswerKey(key));
  }

  /** How many calls (not reads) were asked for and found. */
  served(): number {
    return [...this.#served].filter(({ returns }) => returns !== "property").length;
  }

  /** The calls and reads that were asked for and found, in that order, with what was asked. */
  made(): readonly AdapterCall[] {
    if (this.#askedOtherwise.size === 0) return [...this.#served];
    return [...this.#served].map((call) =>
      this.#askedOtherwise.has(call) ? { ...call, request: this.#askedOtherwise.get(call) } : call,
    );
  }

  /** The same, each with the placeholders of what was asked now: they tell which secret it was. */
  asked(): readonly AdapterCall[] {
    if (this.#askedHidden.size === 0) return this.made();
    return this.made().map((call) =>
      this.#askedHidden.has(call) ? { ...call, request: this.#askedHidden.get(call) } : call,
    );
  }

  /** How many requests were answered that were not those of the recording. */
  askedOtherwise(): number {
    return this.#askedOtherwise.size;
  }

  /** The recorded calls that nothing asked for. */
  unused(): readonly AdapterCall[] {
    return this.#calls.filter((call) => !this.#served.has(call));
  }

  /**
   * The line of a request of which more, or less, is known to be secret than when its call was recorded: what names a
   * secret may come later in a run, or in an answer that is served without it; and old files hide less.
   */
  #lineOf(adapter: string, request: unknown): Line | undefined {
    if (secretsHere() === undefined) return undefined;
    const call = this.callsOf(adapter).find(({ request: recorded }) => {
      learnSecrets(recorded, request);
      const [was, is] = [recorded, request].map((one) => requestKeys(adapter, this.#rules.request(adapter, one)).alike);
      return was === is;
    });
    return call && [...this.#lines.values()].find(({ calls }) => calls.includes(call));
  }

  #nextInScript(adapter: string, request: unknown): AdapterCall | undefined {
    const call = this.#calls.find(
      (one) => one.adapter === adapter && one.returns !== "property" && !this.#served.has(one),
    );
    if (call === undefined) return undefined;
    const recorded = this.#rules.request(adapter, call.request);
    if (requestKeys(adapter, recorded).alike !== requestKeys(adapter, request).alike)
      this.#askedOtherwise.set(call, request);
    return call;
  }

  #nextOf(line: Line, { own }: RequestKeys): AdapterCall | undefined {
    line.asked += 1;
    if (!line.isMixed) return line.calls[line.asked - 1];
    // The call with the same secret if its number is known here, else the next.
    const isLeft = (call: AdapterCall): boolean => !this.#served.has(call);
    return line.calls.find((call, index) => line.keys[index] === own && isLeft(call)) ?? line.calls.find(isLeft);
  }

  #add(call: AdapterCall): void {
    const isRead = call.returns === "property";
    const lines = isRead ? this.#reads : this.#lines;
    const request = this.#rules.request(call.adapter, call.request);
    if (request !== call.request) this.#reduced.set(call, { ...call, request });
    const { own, alike } = requestKeys(call.adapter, request);
    const key = isRead ? own : alike;
    const line = lines.get(key) ?? { calls: [], keys: [], isMixed: false, asked: 0, at: 0 };
    line.calls.push(call);
    line.keys.push(own);
    line.isMixed ||= own !== line.keys[0];
    lines.set(key, line);
    this.#addPath(call.adapter);
    if (!isRead) this.#addCall(call);
  }

  #addCall(call: AdapterCall): void {
    const calls = this.#byAdapter.get(call.adapter) ?? [];
    calls.push(call);
    this.#byAdapter.set(call.adapter, calls);
  }

  #addPath(path: string): void {
    if (this.#paths.has(path)) return;
    const segments = path.split(".");
    for (const [end, segment] of segments.entries()) {
      const above = segments.slice(0, end + 1).join(".");
      this.#paths.add(above);
      if (isAnswerKey(segment)) this.#usedAnswers.add(withoutAnswer(above));
    }
  }

  #miss(adapter: string, request: unknown, line: Line | undefined): RecordingMiss {
    const calls = this.callsOf(adapter);
    const left = calls.filter((call) => !this.#served.has(call));
    const nearest = nearestCall(
      (left.length > 0 ? left : calls).map((call) => this.#reduced.get(call) ?? call),
      request,
    );
    if (nearest === undefined) return { adapter, request, reason: "unknown_adapter", recorded: 0 };
    if (line === undefined && !this.#isScripted(adapter))
      return { adapter, request, reason: "unknown_request", nearest, recorded: calls.length };
    return {
      adapter,
      request,
      reason: "repeated",
      nearest,
      recorded: calls.length,
      limit: line?.calls.length ?? calls.length,
    };
  }
}

/** What tells requests apart within one process. */
interface RequestKeys {
  /** Equal for the same request alone, whatever the order of its fields. */
  readonly own: string;
  /** Equal also for requests that differ in hidden secrets alone: equal where `requestIdentity` is. */
  readonly alike: string;
}

// A longer text would keep the request in memory a second time.
const LONGEST = 1000;

/** The keys of a request. Texts, not hashes: hashing a short one takes three times as long as writing it. */
function requestKeys(adapter: string, request: unknown, numbers?: SecretNumbers): RequestKeys {
  const written = stableStringify([adapter, request]);
  const text = numbers?.resolvedText(written) ?? written;
  const alike = inOrderOfSecrets(text);
  const own = keyOf(text);
  return { own, alike: alike === text ? own : keyOf(alike) };
}

function keyOf(text: string): string {
  return text.length > LONGEST ? hashText(text) : text;
}
