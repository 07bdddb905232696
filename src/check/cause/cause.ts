import type { CallChange } from "../../record/calls/diff-calls.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import type { SchemaViolation } from "../run/run-case.ts";

/**
 * Possible cause of a change. `code`: the step itself. `prompt`: a request of the step. `model`: the model's name, or
 * its response to the same request. `response`: the response of another adapter, such as a database. `schema`: the
 * step's schema. `environment`: the host of a service, the path or query of a model's URL, the time zone or the locale.
 */
export type CauseKind = "code" | "prompt" | "model" | "response" | "schema" | "environment";

/** A request that isn't recorded, or a recorded one that the step no longer sends. */
export interface RequestChange {
  readonly kind: "changed" | "added" | "dropped";
  readonly adapter: string;
  /** Method and URL of a request of `fetch`, after its name. */
  readonly url?: string | undefined;
  /** Differences between a changed request and its recorded one, under `request`. */
  readonly entries: readonly DiffEntry[];
}

/** A write at another position. */
export type MovedCall = Extract<CallChange, { readonly kind: "moved" }>;

/** A request equal to the recorded one with a different response. */
export interface ResponseChange {
  readonly adapter: string;
  /** Method and URL of a request of `fetch`, after its name. */
  readonly url?: string | undefined;
  /** Differences from the recorded response, under `response` or `error`. */
  readonly entries: readonly DiffEntry[];
}

/** Calls caused by a response. */
export interface FollowingCalls {
  /**
   * Number of the model request, counted from 1, whose changed response led to the first new call; undefined if there
   * isn't one.
   */
  readonly nth: number | undefined;
  readonly changes: readonly CallChange[];
}

/** Evidence for one cause of a change, such as the differing result, requests or responses. */
export type Evidence =
  | {
      readonly kind: "code";
      /**
       * Differences between the baseline and the result of the current code on the recorded responses; empty without a
       * result.
       */
      readonly entries: readonly DiffEntry[];
      /** Reason why the run ended without a result. */
      readonly ended?: string | undefined;
      /** True if two runs on the same responses led to different results. */
      readonly unstable?: true | undefined;
      /** A request that differs from run to run with the same responses, such as one with the time. */
      readonly varying?: RequestChange | undefined;
      /** Uses of time, random numbers and ids by a step whose runs differ: `new Date() at a.ts:3:12`. */
      readonly uses?: readonly string[] | undefined;
      /** Changed tool requests on the recorded responses. */
      readonly calls?: readonly RequestChange[] | undefined;
      /** True if `calls` only differ from the recorded ones in the hidden secrets that they send. */
      readonly hasOtherSecrets?: true | undefined;
      /** Names of request headers that differ from the recording, in requests whose response changed. */
      readonly headers?: readonly string[] | undefined;
      /** Writes whose order differs from the recording, although the step got the recorded responses. */
      readonly moved?: readonly MovedCall[] | undefined;
      /** Adapter of one of `calls` that receives prose like a model does, but isn't declared as a model. */
      readonly prose?: string | undefined;
    }
  | { readonly kind: "prompt"; readonly requests: readonly RequestChange[] }
  | {
      readonly kind: "model" | "response";
      /** Requests in which only the model's name differs. */
      readonly requests: readonly RequestChange[];
      readonly responses: readonly ResponseChange[];
      /** Calls that the step only makes with the changed response, and not with the recorded one. */
      readonly follows?: FollowingCalls | undefined;
    }
  | {
      readonly kind: "schema";
      /** Differences between the captured input and the same input parsed with the current schema. */
      readonly entries: readonly DiffEntry[];
      /** Unchanged values that the current schemas refuse. */
      readonly violations: readonly SchemaViolation[];
      /** Requests in which only the schema of a response or of a tool differs. */
      readonly requests?: readonly RequestChange[] | undefined;
      /**
       * Differences in the output that only a changed schema causes. The step still returns the values of the baseline.
       */
      readonly outputs?: readonly DiffEntry[] | undefined;
    }
  | {
      readonly kind: "environment";
      /** Requests that go to another host, or to another path or query of a model. */
      readonly requests: readonly RequestChange[];
      /** Description of the time zone or locale, in the baseline and now. */
      readonly settings?: string | undefined;
    };

/** Cause of a case's change, or several causes, each with its evidence. */
export interface Cause {
  readonly kind: CauseKind | "mixed";
  readonly evidence: readonly Evidence[];
}

/**
 * Failure of a request to a service. `unavailable`: a service or the network failed. `aborted`: its client aborted it,
 * at its own timeout or because the step no longer needs it. `credentials`: a service refused the key. `refused`: it
 * refused the request.
 */
export interface ServiceFailure {
  readonly kind: "unavailable" | "aborted" | "credentials" | "refused";
  /** Status code of the response; undefined if there was none. */
  readonly status: number | undefined;
}
