/*
 * Declares every environment variable that veritest reads or sets, and reads them: no other file of src uses
 * process.env. `npm run reference` makes the tables of docs/configuration.md from the declarations.
 */
import { type Result, err, ok } from "./result.ts";
import { quote } from "./text.ts";

/** Variables for you to set. They are for one run, and override the configuration. */
export interface UserVariables {
  /** Source of all adapter responses. Default: the test's `mode`, then `mode` of the configuration, then `replay`. */
  readonly VERITEST_MODE: "replay" | "live" | "auto";
  /** Report formats, separated by commas; `none` writes no report. Default: `report.formats`. */
  readonly VERITEST_REPORT: string;
  /** Directory of the reports. Default: `report.directory`. */
  readonly VERITEST_REPORT_DIR: string;
  /** Kind of actor that runs the tests. Default: inferred from the variables of CI services and coding agents below. */
  readonly VERITEST_ACTOR: "human" | "agent" | "ci";
  /** Reason to store in notes and receipts: why the baselines change. `--reason` sets it for one command. */
  readonly VERITEST_REASON: string;
  /**
   * Directory of pending changes and transactions; each clone and project has a folder in it. Default: in the
   * repository's git directory.
   */
  readonly VERITEST_STATE_DIR: string;
  /** Directory of notes and receipts. Default: in the repository's git directory. */
  readonly VERITEST_NOTES_DIR: string;
  /** Seed of [generated inputs](properties.md): an integer, or `random`. Default: random, and fixed in CI. */
  readonly VERITEST_SEED: string;
  /** Address of the [store](stored-runs/README.md), if you don't pass `--store`. */
  readonly VERITEST_STORE: string;
  /** `1` shows every case that differs instead of one of each group. Default: 0. */
  readonly VERITEST_VERBOSE: "1" | "0";
  /**
   * `1` adds prompts, responses and values to spans, like `telemetry.captureContent` ([traces](traces.md#content)).
   * Default: 0.
   */
  readonly VERITEST_CAPTURE_CONTENT: "1" | "0";
}

/** Variables that veritest sets for its own processes. Setting one yourself has no meaning. */
export interface WorkerVariables {
  /** Directory of the log that workers write and the main process reads. */
  readonly VERITEST_RUN_LOG: string;
  /** `1` if workers add their logs to the metadata of test files, for Vitest's blob reports. */
  readonly VERITEST_META: string;
  /** Run that the worker belongs to, as JSON. */
  readonly VERITEST_WORKER_RUN: string;
  /** Options of the runner's command line that choose its configuration and projects, for suggested commands. */
  readonly VERITEST_RUNNER_OPTIONS: string;
  /** `1` if Jest's option `ci` is on, which makes the run one of CI unless `CI` is `0` or `false`. */
  readonly VERITEST_JEST_CI: string;
  /** `mode` of the configuration above the running test file. */
  readonly VERITEST_PROJECT_MODE: string;
  /** Settings of the configurations above the run's test files, by file, as JSON. */
  readonly VERITEST_CONFIGS: string;
  /** Settings of the configuration above the running test file, as JSON. */
  readonly VERITEST_REDACTION: string;
  /** Number of inputs that `veritest properties` generates in a round. */
  readonly VERITEST_PROPERTIES_RUNS: string;
  /** Properties that failed in earlier rounds of `veritest properties`, as JSON. */
  readonly VERITEST_PROPERTIES_FAILED: string;
  /** Id of the `veritest run` that started a process. */
  readonly VERITEST_RUN: string;
}

/** Variables of other tools that veritest follows. */
interface ToolVariables {
  /**
   * Marks a CI job: CI never writes baselines. `0` and `false` overrule the variables of CI services and Jest's `--ci`.
   */
  readonly CI: string;
  /** File of the job's summary, which gets a report; GitHub Actions sets it. */
  readonly GITHUB_STEP_SUMMARY: string;
  /** Turns colors on, or off if it is `0` or `false`. */
  readonly FORCE_COLOR: string;
  /** Turns colors off. */
  readonly NO_COLOR: string;
  /** `dumb` turns the review screen off. */
  readonly TERM: string;
  /** Person who makes a decision of `veritest runs`, if `--actor` isn't set. */
  readonly USER: string;
  /** Person who makes a decision of `veritest runs` on Windows, if `--actor` isn't set. */
  readonly USERNAME: string;
  /** Directory outside of git for a project's notes and receipts. Default: `~/.local/state`. */
  readonly XDG_STATE_HOME: string;
  /**
   * Number of the Vitest worker; Vitest sets it. If veritest's reporter isn't installed, only worker 1 prints a
   * warning.
   */
  readonly VITEST_POOL_ID: string;
  /** Number of the Jest worker; Jest sets it. */
  readonly JEST_WORKER_ID: string;
  /** Package manager that started the process. `veritest init` uses it if the project doesn't name one. */
  readonly npm_config_user_agent: string;
  /** Options of Node. `veritest run` passes them to the processes that it starts. */
  readonly NODE_OPTIONS: string;
  /** Key of OpenAI's models for `veritest ground`. Without a key, a replay gets a placeholder. */
  readonly OPENAI_API_KEY: string;
  /** Address of OpenAI's models for `veritest ground`. */
  readonly OPENAI_BASE_URL: string;
  /** Key of Anthropic's models for `veritest ground`. Without a key, a replay gets a placeholder. */
  readonly ANTHROPIC_API_KEY: string;
  /** Token of Anthropic's clients. With a token, a run without a key doesn't get a placeholder. */
  readonly ANTHROPIC_AUTH_TOKEN: string;
  /** Key of Gemini's models. Without this key and `GOOGLE_API_KEY`, a replay gets a placeholder. */
  readonly GEMINI_API_KEY: string;
  /** Other name of `GEMINI_API_KEY`, for which a replay doesn't get a placeholder: Gemini's client warns about both. */
  readonly GOOGLE_API_KEY: string;
  /** Key of Mistral's models. Without a key, a replay gets a placeholder. */
  readonly MISTRAL_API_KEY: string;
  /** Key of Cohere's models. Without a key, a replay gets a placeholder. */
  readonly CO_API_KEY: string;
  /** Address of Anthropic's models for `veritest ground`. */
  readonly ANTHROPIC_BASE_URL: string;
  /** Address of LangSmith, if you host it yourself. A message about a request to it says how to turn tracing off. */
  readonly LANGSMITH_ENDPOINT: string;
  /** Earlier name of `LANGSMITH_ENDPOINT`. */
  readonly LANGCHAIN_ENDPOINT: string;
}

/** Variables that CI services document for every job. */
export const CI_VARIABLES = [
  "GITHUB_ACTIONS",
  "GITLAB_CI",
  "BUILDKITE",
  "CIRCLECI",
  "TF_BUILD",
  "JENKINS_URL",
  "TEAMCITY_VERSION",
  "APPVEYOR",
  "CODEBUILD_BUILD_ARN",
  "DRONE",
  "TRAVIS",
] as const;

/**
 * Variables that coding agents set for the commands they run: the two names that several share, then those of one. Each
 * is in its maker's own documentation or source; a name that only lists of others mention is not here.
 */
export const AGENT_VARIABLES = [
  "AI_AGENT",
  "AGENT",
  "CLAUDECODE",
  "CURSOR_AGENT",
  "GEMINI_CLI",
  "CODEX_THREAD_ID",
  "CODEX_SANDBOX",
  "OPENCODE",
  "GOOSE_TERMINAL",
] as const;

/** Variables in which CI services name the commit, branch and pull request of a job. */
export const SOURCE_VARIABLES = [
  "GITHUB_SHA",
  "GITHUB_HEAD_REF",
  "GITHUB_REF_NAME",
  "GITHUB_REF",
  "CI_COMMIT_SHA",
  "CI_COMMIT_REF_NAME",
  "CI_MERGE_REQUEST_IID",
] as const;

/** Name of a declared variable. */
export type VariableName =
  | keyof UserVariables
  | keyof WorkerVariables
  | keyof ToolVariables
  | (typeof CI_VARIABLES)[number]
  | (typeof AGENT_VARIABLES)[number]
  | (typeof SOURCE_VARIABLES)[number];

/** Returns the environment of this process. */
export function processEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}

/** Returns the text of a variable; undefined if it isn't set, or is empty. */
export function readVariable(environment: NodeJS.ProcessEnv, name: VariableName): string | undefined {
  const text = environment[name];
  return text === "" ? undefined : text;
}

/** Sets a variable for this process and those it starts; undefined removes it. */
export function setVariable(environment: NodeJS.ProcessEnv, name: VariableName, text: string | undefined): void {
  if (text === undefined) delete environment[name];
  else environment[name] = text;
}

/** Returns the value of a variable that has a list of values. The error is one line that names the list. */
export function readChoice<Name extends keyof UserVariables>(
  environment: NodeJS.ProcessEnv,
  name: Name,
  values: readonly UserVariables[Name][],
): Result<UserVariables[Name] | undefined, string> {
  const text = readVariable(environment, name);
  if (text === undefined) return ok(undefined);
  const value = values.find((known) => known === text);
  if (value !== undefined) return ok(value);
  return err(`${name} must be ${values.slice(0, -1).join(", ")} or ${String(values.at(-1))}, got ${quote(text)}.`);
}

/** Returns true if a variable is set, and not to `0` or `false`. */
export function isOn(environment: NodeJS.ProcessEnv, name: VariableName): boolean {
  const text = readVariable(environment, name);
  return text !== undefined && !["0", "false"].includes(text.toLowerCase());
}

/** Variables that are `1` or `0`. */
export const FLAGS = ["VERITEST_VERBOSE", "VERITEST_CAPTURE_CONTENT"] as const;

/** Returns true if one of the variables that are `1` or `0` is on: `1` or `true`. */
export function readFlag(environment: NodeJS.ProcessEnv, name: (typeof FLAGS)[number]): boolean {
  return ["1", "true"].includes(environment[name]?.toLowerCase() ?? "");
}
