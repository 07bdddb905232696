import { quote, truncate } from "../../../kernel/text.ts";
import type { GroundingAnswer } from "../checks/received-value.ts";
import type { ToBeGroundedInOptions } from "../checks/to-be-grounded-in.ts";
import type { ToCiteOptions } from "../checks/to-cite.ts";
import type { ToCoverOptions } from "../checks/to-cover.ts";
import type { Sources } from "../verify/sources.ts";
import type * as checks from "./grounding-checks.ts";

/** What `this` is in a matcher, as far as it is read here: the same in both runners. */
interface MatcherThis {
  readonly isNot?: boolean;
  /** The name of the test with the names around it. */
  readonly currentTestName?: string;
}

/** What a matcher answers. */
interface MatcherVerdict {
  readonly pass: boolean;
  readonly message: () => string;
}

type Matcher<Expected, Options> = (
  this: MatcherThis,
  received: unknown,
  expected: Expected,
  options?: Options,
) => Promise<MatcherVerdict>;

/** The matchers by name, as `expect.extend` takes them. */
interface RegisteredMatchers {
  readonly toBeGroundedIn: Matcher<Sources, ToBeGroundedInOptions>;
  readonly toCite: Matcher<Sources, ToCiteOptions>;
  readonly toCover: Matcher<string, ToCoverOptions>;
}

/**
 * One module for all of them, loaded at first use: a set-up file runs before every test file, most of which check no
 * answer.
 */
const loadChecks = async (): Promise<typeof checks> => import("./grounding-checks.ts");

/**
 * Makes the matchers; `warn` hears of answers that pass and are not grounded, only partly or less. Under `.not` an
 * answer that claims nothing is an error: it is neither grounded nor ungrounded, so the test says nothing about it.
 */
export function createGroundingMatchers(warn: (warning: string) => void): RegisteredMatchers {
  return {
    async toBeGroundedIn(received, sources, options) {
      const answer = await (await loadChecks()).toBeGroundedIn(received, sources, options);
      if (this.isNot === true && answer.verification.label === "no_claims") throw new Error(answer.message());
      // Under .not what passes fails, and its message says more.
      if (answer.warning !== undefined && this.isNot !== true) warn(`${answer.warning}${nameOf(this)}`);
      return verdictOf(answer);
    },
    async toCite(received, sources, options) {
      return verdictOf(await (await loadChecks()).toCite(received, sources, options));
    },
    async toCover(received, query, options) {
      return verdictOf((await loadChecks()).toCover(received, query, options));
    },
  };
}

/** A warning stands by itself in a runner's output, so it says which test it is about. */
function nameOf({ currentTestName }: MatcherThis): string {
  return currentTestName === undefined ? "" : ` (in the test ${quote(truncate(currentTestName, 200))})`;
}

/** Only what a runner needs: `actual` and `expected` would make it diff them itself. */
function verdictOf({ pass, message }: GroundingAnswer): MatcherVerdict {
  return { pass, message };
}

/** The matchers of grounding, as their callers see them. All work on texts and, with `path`, on step results. */
export interface GroundingMatchers {
  /** The answer is supported by the sources: its score reaches the threshold (0.85). Must be awaited. */
  toBeGroundedIn(sources: Sources, options?: ToBeGroundedInOptions): Promise<void>;
  /** Each citation marker of the answer names a source that supports its sentence. Must be awaited. */
  toCite(sources: Sources, options?: ToCiteOptions): Promise<void>;
  /** The chunks speak of what the query asks: their coverage reaches the threshold (0.80). Must be awaited. */
  toCover(query: string, options?: ToCoverOptions): Promise<void>;
}
