/** Words and explanations of the classes of verdicts, the worst first, by their names of the command line. */
export const CLASS_LABELS = {
  broken: {
    word: "Broken file",
    tone: "bad",
    icon: "⊘",
    means: "The baseline file can't be read, so there is nothing to compare with.",
  },
  failed: { word: "Failed", tone: "bad", icon: "✕", means: "The step ended with an error instead of a result." },
  schema_violation: {
    word: "Schema error",
    tone: "bad",
    icon: "✕",
    means: "The input or the result doesn't match the step's schema.",
  },
  request_changed: {
    word: "Request not recorded",
    tone: "warn",
    icon: "?",
    means:
      "The step sent a request that isn't recorded, so veritest can't compare the result. To record it, run the test " +
      "with -u.",
  },
  commands_changed: {
    word: "Commands changed",
    tone: "warn",
    icon: "≠",
    means: "The step's commands differ from the baseline.",
  },
  calls_changed: {
    word: "Calls changed",
    tone: "warn",
    icon: "≠",
    means: "The step's tool calls differ from the baseline.",
  },
  value_changed: {
    word: "Output changed",
    tone: "warn",
    icon: "≠",
    means: "The result differs from the baseline.",
  },
  events_changed: {
    word: "Events changed",
    tone: "warn",
    icon: "≠",
    means: "The result matches the baseline, but the step's events differ.",
  },
  input_changed: {
    word: "Input changed",
    tone: "warn",
    icon: "≠",
    means: "The test passes a different input than the baseline has, and the result differs.",
  },
  missing: { word: "New baseline", tone: "info", icon: "+", means: "There is no baseline for this case yet." },
  obsolete: {
    word: "Obsolete",
    tone: "dim",
    icon: "–",
    means: "No test uses this baseline; a run with -u removes it.",
  },
  clean: { word: "Passed", tone: "ok", icon: "✓", means: "The result matches the baseline." },
} satisfies Record<string, { word: string; tone: string; icon: string; means: string }>;

/** The counts of a run, called as in its other reports. */
export const COUNT_LABELS = {
  look: { word: "to review", tone: "warn" },
  total: { word: "baselines", tone: "dim" },
  passed: { word: "passed", tone: "ok" },
  changed: { word: "changed", tone: "warn" },
  commandsChanged: { word: "commands changed", tone: "warn" },
  callsChanged: { word: "calls changed", tone: "warn" },
  schemaViolations: { word: "schema violations", tone: "bad" },
  requestChanged: { word: "requests not recorded", tone: "warn" },
  failed: { word: "failed", tone: "bad" },
  broken: { word: "broken", tone: "bad" },
  missing: { word: "missing", tone: "info" },
  obsolete: { word: "obsolete", tone: "dim" },
  captured: { word: "captured", tone: "ok" },
  updated: { word: "updated", tone: "ok" },
  pending: { word: "pending", tone: "info" },
} satisfies Record<string, { word: string; tone: string }>;

/** The tones in the order of bars: from good to bad, then the neutral ones. */
export const TONES = ["ok", "warn", "bad", "info", "dim"] as const;

/** Labels of the causes, with an explanation of each. */
export const CAUSE_LABELS = {
  code: {
    word: "Code",
    means: "The step sent the same requests and got the same responses, but its result differs: its code changed.",
  },
  prompt: {
    word: "Prompt",
    means: "The step sends a different request than before: a prompt or another part of a request changed.",
  },
  model: {
    word: "Model",
    means: "The step sent the same requests, but got different responses: the model, or its deployment, changed.",
  },
  response: {
    word: "Response",
    means: "The step sent the same requests, but a database, tool or service responded differently.",
  },
  schema: { word: "Schema", means: "The step's schema changed: it now parses or refuses values differently." },
  environment: {
    word: "Environment",
    means: "The step runs in a different environment: the URL of a service, the time zone or the locale changed.",
  },
  mixed: { word: "Several causes", means: "Several parts changed together, for example the prompt and the code." },
} satisfies Record<string, { word: string; means: string }>;

/** Labels of the parts of a case. */
export const PART_LABELS = {
  output: "Output",
  commands: "Commands",
  calls: "Calls",
  events: "Events",
  input: "Input",
  request: "Request",
  response: "Response",
} satisfies Record<string, string>;

/** Labels of decisions on a change. Empty for `none`. */
export const UPDATE_LABELS = {
  none: null,
  captured: { word: "captured", means: "This run wrote the baseline for the first time." },
  updated: { word: "updated", means: "This run wrote the new result into the baseline." },
  removed: { word: "removed", means: "This run removed the baseline." },
  pending: { word: "pending", means: "A test failed, or the run failed a policy check, so the change wasn't written." },
  review: { word: "pending", means: "Accept or reject the change." },
} satisfies Record<string, { word: string; means: string } | null>;

/** Verbs for the actions of an adapter, after its name. */
export const CALL_LABELS = {
  changed: "gets a different request",
  added: "is called more often than recorded",
  dropped: "is no longer called",
  answered: "got the same request and responded differently",
} satisfies Record<string, string>;

const MOMENT = {
  timeZone: "UTC",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
} as const;

/** A moment in UTC, the same for every reader of the report; a text that isn't a date is returned unchanged. */
export function moment(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : `${time.toLocaleString("en-GB", MOMENT)} UTC`;
}
