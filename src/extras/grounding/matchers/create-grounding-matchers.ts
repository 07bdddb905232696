import { oneLine } from "../../../kernel/printed.ts";
import { quote, truncate } from "../../../kernel/text.ts";
import type { GroundingResult } from "../checks/received-value.ts";
import type { ToBeGroundedInOptions } from "../checks/to-be-grounded-in.ts";
import type { ToCiteOptions } from "../checks/to-cite.ts";
import type { ToCoverOptions } from "../checks/to-cover.ts";
import type { Sources } from "../verify/sources.ts";
import type { MatchBaseline } from "./recorded-judge.ts";
import type * as checks from "./grounding-checks.ts";

/** Used part of `this` in a matcher, the same in both runners. */
interface MatcherThis {
  readonly isNot?: boolean;
  /** Name of the test with the names of its suites. */
  readonly currentTestName?: string;
}

type Matcher<Expected, Options> = (
  this: MatcherThis,
  received: unknown,
  expected: Expected,
  options?: Options,
) => Promise<Pick<GroundingResult, "pass" | "message">>;

/** Matchers by name, for `expect.extend`. */
interface RegisteredMatchers {
  readonly toBeGroundedIn: Matcher<Sources, ToBeGroundedInOptions>;
  readonly toCite: Matcher<Sources, ToCiteOptions>;
  readonly toCover: Matcher<string, ToCoverOptions>;
}

/** Loads the checks lazily, in one module: a setup file runs before every test file, most of which check no answer. */
const loadChecks = async (): Promise<typeof checks> => import("./grounding-checks.ts");

/**
 * Creates the matchers of a runner. They warn of answers that pass without being grounded, and record a judge's
 * responses by `toMatchBaseline`; `setUp` says how to add it. Under `.not` an answer without a claim is an error: it's
 * neither grounded nor ungrounded, so the test couldn't verify it.
 */
export function groundingMatchersFor(expect: (value: unknown) => object, setUp: string): RegisteredMatchers {
  const matchBaseline: MatchBaseline = async (step, options) => {
    const assertion = expect(step);
    const matcher: unknown = Reflect.get(assertion, "toMatchBaseline");
    if (typeof matcher !== "function")
      throw new TypeError(`judge records its responses with toMatchBaseline, which isn't installed. ${setUp}`);
    await Reflect.apply(matcher, assertion, [options]);
  };
  return {
    async toBeGroundedIn(received, sources, options) {
      const { recordedJudge, toBeGroundedIn } = await loadChecks();
      const judge = options?.judge;
      const recorded = judge === undefined ? {} : { judge: recordedJudge(judge, matchBaseline) };
      const answer = await toBeGroundedIn(received, sources, { ...options, ...recorded });
      if (this.isNot === true && answer.verification.label === "no_claims") throw new Error(answer.message());
      // Under .not a passing check fails, and its message has more detail.
      if (answer.warning !== undefined && this.isNot !== true)
        process.emitWarning(oneLine(`${answer.warning}${nameOf(this)}`), "GroundingWarning");
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

/** Returns the test's name for a warning, since a runner prints warnings without one. */
function nameOf({ currentTestName }: MatcherThis): string {
  return currentTestName === undefined ? "" : ` (in the test ${quote(truncate(currentTestName, 200))})`;
}

/** Returns only the fields a runner needs: with `actual` and `expected` it would add its own diff. */
function verdictOf({ pass, message }: GroundingResult): Pick<GroundingResult, "pass" | "message"> {
  return { pass, message };
}

/** Grounding matchers, as tests call them. All accept texts and, with `path`, step results. */
export interface GroundingMatchers {
  /**
   * Checks that the sources support the answer: no claim contradicts them, each reaches `minClaim` (0.35), and the
   * support reaches the threshold (0.60). Must be awaited.
   */
  toBeGroundedIn(sources: Sources, options?: ToBeGroundedInOptions): Promise<void>;
  /** Checks that each citation marker of the answer names a source that supports its sentence. Must be awaited. */
  toCite(sources: Sources, options?: ToCiteOptions): Promise<void>;
  /** Checks that the chunks cover the query: their coverage reaches the threshold (0.80). Must be awaited. */
  toCover(query: string, options?: ToCoverOptions): Promise<void>;
}
