import { parseBySchema, checkBySchema } from "./parse-by-schema.ts";
import { exactOptional } from "../../../kernel/exact-optional.ts";
import { z } from "zod/v4";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { type GroundingConfig, groundingConfig } from "../grounding-config.ts";

/** Settings of `veritest ground config set`: thresholds and the model. Never a key. */
export interface GroundSettings {
  /** Changed thresholds only; the rest have their defaults. */
  readonly config: Partial<GroundingConfig>;
  readonly llm: LlmSettings;
}

/** Model that answers. */
export interface LlmSettings {
  readonly provider?: "openai" | "anthropic";
  readonly model?: string;
  /** URL of the provider's API, such as a server on this machine. */
  readonly baseUrl?: string;
}

const llmSchema: z.ZodType<LlmSettings> = z.strictObject({
  provider: exactOptional(z.enum(["openai", "anthropic"])),
  model: exactOptional(z.string().min(1)),
  baseUrl: exactOptional(z.url({ protocol: /^https?$/ })),
});
const fileSchema = z.strictObject({ version: z.literal(1), config: z.record(z.string(), z.number()), llm: llmSchema });

const DEFAULTS: Result<GroundingConfig, unknown> = groundingConfig();

/** Settings with a number. */
const NUMBERS: readonly string[] = Object.keys(DEFAULTS.ok ? DEFAULTS.value : {});
/** Settings with a string. */
const STRINGS = ["provider", "model", "baseUrl"] as const;

/** Names of all settings, in display order. */
export const SETTING_NAMES: readonly string[] = [...NUMBERS, ...STRINGS];

/** Default settings. */
export const NO_SETTINGS: GroundSettings = { config: {}, llm: {} };

/** Parses stored settings, or returns a description of the issues. */
export function parseSettings(text: string): Result<GroundSettings, string> {
  const stored = parseBySchema(fileSchema, text);
  return stored.ok ? checked(stored.value) : stored;
}

/** Serializes settings as JSON text. */
export function serializeSettings({ config, llm }: GroundSettings): string {
  return `${JSON.stringify({ version: 1, config, llm }, undefined, 2)}\n`;
}

/**
 * Changes one setting; the value `default` resets it. Returns a description of the issue for an unknown name or a value
 * out of range.
 */
export function setSetting(
  { config, llm }: GroundSettings,
  name: string,
  value: string,
): Result<GroundSettings, string> {
  const entry = value === "default" ? [] : [[name, NUMBERS.includes(name) ? Number(value) : value] as const];
  const without = (record: object): (readonly [string, unknown])[] =>
    Object.entries(record).filter(([key]) => key !== name);
  if (NUMBERS.includes(name)) return checked({ config: Object.fromEntries([...without(config), ...entry]), llm });
  if (!STRINGS.some((known) => known === name))
    return err(`There is no setting ${JSON.stringify(name)}. Use one of these: ${SETTING_NAMES.join(", ")}.`);
  const next = checkBySchema(llmSchema, Object.fromEntries([...without(llm), ...entry]));
  return next.ok ? ok({ config, llm: next.value }) : err(`The setting isn't valid: ${next.error}.`);
}

/** Validates the complete configuration, since one threshold may limit another. */
function checked({ config, llm }: GroundSettings): Result<GroundSettings, string> {
  const whole = groundingConfig(config);
  return whole.ok ? ok({ config, llm }) : err(whole.error.message);
}
