import { z } from "zod";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { formatIssues } from "../../../kernel/step/schema.ts";
import { messageOf } from "../../../kernel/thrown.ts";
import { type GroundingConfig, groundingConfig } from "../grounding-config.ts";

/** What `veritest ground config set` keeps: thresholds, and which model answers. Never a key. */
export interface GroundSettings {
  /** Only what was set; the rest has its default. */
  readonly config: Partial<GroundingConfig>;
  readonly llm: LlmSettings;
}

/** Which model answers. */
export interface LlmSettings {
  readonly provider?: "openai" | "anthropic";
  readonly model?: string;
  /** Where the provider's interface is, such as a server on this machine. */
  readonly baseUrl?: string;
}

const llmSchema: z.ZodType<LlmSettings> = z.strictObject({
  provider: z.enum(["openai", "anthropic"]).exactOptional(),
  model: z.string().min(1).exactOptional(),
  baseUrl: z.url({ protocol: /^https?$/ }).exactOptional(),
});
const fileSchema = z.strictObject({ version: z.literal(1), config: z.record(z.string(), z.number()), llm: llmSchema });

const DEFAULTS: Result<GroundingConfig, unknown> = groundingConfig();

/** Names that take a number. */
const NUMBERS: readonly string[] = Object.keys(DEFAULTS.ok ? DEFAULTS.value : {});
/** Names that take a text. */
const TEXTS = ["provider", "model", "baseUrl"] as const;

/** Every name that can be set, in the order they are shown. */
export const SETTING_NAMES: readonly string[] = [...NUMBERS, ...TEXTS];

/** Settings where none were made. */
export const NO_SETTINGS: GroundSettings = { config: {}, llm: {} };

/** Reads stored settings; what is none is told in words. */
export function parseSettings(text: string): Result<GroundSettings, string> {
  try {
    const parsed = fileSchema.safeParse(JSON.parse(text));
    return parsed.success ? checked(parsed.data) : err(formatIssues(parsed.error.issues));
  } catch (cause) {
    return err(messageOf(cause));
  }
}

/** Writes settings as JSON text. */
export function serializeSettings({ config, llm }: GroundSettings): string {
  return `${JSON.stringify({ version: 1, config, llm }, undefined, 2)}\n`;
}

/** Sets one name; `default` takes it back. An unknown name or a value out of range is told in words. */
export function setSetting(
  { config, llm }: GroundSettings,
  name: string,
  value: string,
): Result<GroundSettings, string> {
  const entry = value === "default" ? [] : [[name, NUMBERS.includes(name) ? Number(value) : value] as const];
  const without = (record: object): (readonly [string, unknown])[] =>
    Object.entries(record).filter(([key]) => key !== name);
  if (NUMBERS.includes(name)) return checked({ config: Object.fromEntries([...without(config), ...entry]), llm });
  if (!TEXTS.some((known) => known === name))
    return err(`There is no setting ${JSON.stringify(name)}. Settings: ${SETTING_NAMES.join(", ")}.`);
  const next = llmSchema.safeParse(Object.fromEntries([...without(llm), ...entry]));
  return next.success
    ? ok({ config, llm: next.data })
    : err(`The setting is not valid: ${formatIssues(next.error.issues)}.`);
}

/** The configuration is checked whole: one threshold may bound another. */
function checked({
  config,
  llm,
}: {
  readonly config: Partial<GroundingConfig>;
  readonly llm: LlmSettings;
}): Result<GroundSettings, string> {
  const whole = groundingConfig(config);
  return whole.ok ? ok({ config, llm }) : err(whole.error.message);
}
