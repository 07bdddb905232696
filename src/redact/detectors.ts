import { PLACEHOLDER } from "./placeholder.ts";

/** Recognises one kind of secret by its shape. */
export interface Detector {
  /** Lower-case words joined by hyphens; part of the placeholder. */
  readonly kind: string;
  /** A quick pattern, of which a match is in every text that holds such a secret, so that most texts need no search. */
  readonly hint: RegExp;
  /**
   * Global. Linear: one run of characters is tried from one place only. The group `secret` is what to hide, else all.
   */
  readonly pattern: RegExp;
  /** Confirms a match that the pattern alone cannot. */
  readonly confirms?: (secret: string, before: string) => boolean;
}

/** How many characters before a secret `confirms` gets to see. */
export const BEFORE = 6;

/** What may stand before a token: nothing of a token, except as the end of an escape: `\n`, `\u000a`, `%3D`. */
const LEFT: string = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}))`;

/** A detector of keys with a fixed prefix; `hint` and `body` are patterns without flags. */
function prefixed(kind: string, hint: string, body: string): Detector {
  return { kind, hint: new RegExp(hint), pattern: new RegExp(LEFT + body, "g") };
}

/**
 * Tells, by the characters before it, whether a token begins here: what a pattern's own look back would be too slow
 * for.
 */
function beginsToken(before: string): boolean {
  return (
    before === "" || !/[A-Za-z0-9_.+-]$/.test(before) || /(?:\\[bfnrt]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2})$/.test(before)
  );
}

/** Tells whether a text looks drawn at random: digits, and letters of both cases or none that spell words. */
function looksRandom(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0;
  if (digits === 0) return false;
  return (/[a-z]/.test(text) && /[A-Z]/.test(text)) || digits * 6 >= text.length;
}

const random = (detector: Detector): Detector => ({ ...detector, confirms: looksRandom });

/** Keys and tokens that their issuers mark with a prefix or a fixed layout. */
export const KEY_DETECTORS: readonly Detector[] = [
  prefixed("anthropic-key", "sk-ant-", "sk-ant-[A-Za-z0-9_-]{20,}"),
  prefixed("openrouter-key", "sk-or-", "sk-or-[A-Za-z0-9_-]{20,}"),
  random(prefixed("openai-key", "sk-", "sk-(?!ant-|or-)[A-Za-z0-9_-]{20,}")),
  prefixed("google-key", "AIza", "AIza[A-Za-z0-9_-]{35}"),
  prefixed(
    "google-token",
    String.raw`ya29\.|1//0|GOCSPX-`,
    String.raw`(?:ya29\.[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,})`,
  ),
  prefixed("groq-key", "gsk_", "gsk_[A-Za-z0-9]{32,}"),
  prefixed("xai-key", "xai-", "xai-[A-Za-z0-9]{40,}"),
  prefixed("perplexity-key", "pplx-", "pplx-[A-Za-z0-9]{32,}"),
  prefixed("replicate-token", "r8_", "r8_[A-Za-z0-9]{30,}"),
  random(prefixed("cerebras-key", "csk-", "csk-[A-Za-z0-9]{32,}")),
  random(prefixed("fireworks-key", "fw_[A-Za-z0-9]{8}", "fw_[A-Za-z0-9]{20,}")),
  prefixed("huggingface-token", "hf_|api_org_", "(?:hf|api_org)_[A-Za-z0-9]{30,}"),
  prefixed("pinecone-key", "pcsk_", "pcsk_[A-Za-z0-9_]{40,}"),
  prefixed("langsmith-key", "lsv2_", "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,}"),
  random(prefixed("tavily-key", "tvly-", "tvly-[A-Za-z0-9-]{20,}")),
  prefixed("aws-key-id", "AKIA|ASIA|ABIA|ACCA", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
  prefixed("bedrock-key", "ABSK", "ABSK[A-Za-z0-9+/]{100,}={0,2}"),
  prefixed(
    "github-token",
    "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
    "(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
  ),
  random(
    prefixed(
      "gitlab-token",
      "gl(?:[pdrci]|ft|soat|agent)[a-z]*-",
      "gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent)-[A-Za-z0-9_.-]{20,}",
    ),
  ),
  prefixed(
    "slack-token",
    "xox[abeoprs]-|xapp-[0-9]",
    "(?:xox[abeoprs]-[A-Za-z0-9-]{15,}|xapp-[0-9]-[A-Za-z0-9-]{15,})",
  ),
  prefixed("stripe-key", "sk_live_|sk_test_|rk_live_|rk_test_", "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
  prefixed("webhook-secret", "whsec_", "whsec_[A-Za-z0-9+/]{24,}={0,2}"),
  prefixed("npm-token", "npm_", "npm_[A-Za-z0-9]{36,}"),
  prefixed("pypi-token", "pypi-", "pypi-[A-Za-z0-9_-]{50,}"),
  prefixed("rubygems-key", "rubygems_", "rubygems_[0-9a-f]{48}"),
  prefixed("docker-token", "dckr_", "dckr_[po]at_[A-Za-z0-9_-]{20,}"),
  prefixed("sendgrid-key", String.raw`SG\.`, String.raw`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
  prefixed("twilio-key", "SK[0-9a-f]{8}", "SK[0-9a-f]{32}(?![A-Za-z0-9])"),
  prefixed("mailgun-key", "key-[0-9a-f]{8}", "key-[0-9a-f]{32}(?![A-Za-z0-9])"),
  prefixed("mailchimp-key", "[0-9a-f]{32}-us", "[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
  prefixed("telegram-token", "[0-9]{8,10}:AA", "[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9])"),
  prefixed(
    "discord-token",
    String.raw`[MNO][\w-]{23,27}\.`,
    String.raw`[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`,
  ),
  prefixed("shopify-token", "shpat_|shpca_|shppa_|shpss_", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
  prefixed("digitalocean-token", "dop_v1_|doo_v1_|dor_v1_", "do[opr]_v1_[0-9a-f]{64}"),
  prefixed("databricks-token", "dapi[0-9a-f]{8}", "dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
  prefixed("linear-key", "lin_api_", "lin_api_[A-Za-z0-9]{32,}"),
  prefixed("notion-token", "ntn_", "ntn_[A-Za-z0-9]{40,}"),
  prefixed("figma-token", "figd_", "figd_[A-Za-z0-9_-]{36,}"),
  prefixed("airtable-token", String.raw`pat[A-Za-z0-9]{14}\.`, String.raw`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`),
  prefixed("postman-key", "PMAK-", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
  prefixed("new-relic-key", "NRAK-", "NRAK-[A-Z0-9]{27}"),
  prefixed("grafana-token", "glsa_|glc_", "(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})"),
  prefixed("sentry-token", "sntrys_|sntryu_", "sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
  prefixed("vault-token", String.raw`hv[sb]\.`, String.raw`hv[sb]\.[A-Za-z0-9_-]{24,}`),
  prefixed(
    "doppler-token",
    String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.`,
    String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}`,
  ),
  prefixed(
    "terraform-token",
    String.raw`[A-Za-z0-9]{14}\.atlasv1\.`,
    String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}`,
  ),
  prefixed("pulumi-token", "pul-[0-9a-f]", "pul-[0-9a-f]{40}"),
  prefixed("planetscale-token", "pscale_", "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,}"),
  prefixed("supabase-key", "sbp_|sb_secret_", "(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,})"),
  prefixed("square-token", "sq0(?:atp|csp|idp)-", "sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}"),
  prefixed("atlassian-token", "ATATT3", "ATATT3[A-Za-z0-9_=-]{50,}"),
  prefixed("age-key", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[0-9A-Z]{58}"),
  prefixed("onepassword-token", "ops_eyJ", "ops_eyJ[A-Za-z0-9_=-]{50,}"),
  prefixed("gitlab-token", "GR1348941", "GR1348941[A-Za-z0-9_-]{20,}"),
  prefixed("stripe-key", "sk_org_", "sk_org_(?:live|test)_[A-Za-z0-9]{16,}"),
  prefixed("razorpay-key", "rzp_live_|rzp_test_", "rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
  random(prefixed("resend-key", "re_[A-Za-z0-9]{8}_", "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}")),
  prefixed("brevo-key", "xkeysib-|xsmtpsib-", "x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
  prefixed("nvidia-key", "nvapi-", "nvapi-[A-Za-z0-9_-]{60,}"),
  prefixed("jina-key", "jina_[0-9a-f]", "jina_[A-Za-z0-9]{40,}"),
  random(prefixed("vercel-token", "vc[pkcair]_[A-Za-z0-9]{8}", "vc[pkcair]_[A-Za-z0-9]{24,}")),
  prefixed("vercel-token", "vercel_blob_rw_", "vercel_blob_rw_[A-Za-z0-9]{8,}_[A-Za-z0-9]{20,}"),
  prefixed("netlify-token", "nfp_", "nfp_[A-Za-z0-9]{36,}"),
  prefixed("cloudflare-key", String.raw`v1\.0-[0-9a-f]{24}-`, String.raw`v1\.0-[0-9a-f]{24}-[0-9a-f]{146}`),
  prefixed("heroku-key", "HRKU-", "HRKU-[A-Za-z0-9_-]{30,}"),
  prefixed("mapbox-token", String.raw`sk\.eyJ`, String.raw`sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}`),
  prefixed("dropbox-token", String.raw`sl\.[A-Za-z0-9_.-]{40}`, String.raw`sl\.[A-Za-z0-9_.-]{100,}`),
  random(prefixed("notion-token", "secret_[A-Za-z0-9]{20}", "secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])")),
  prefixed(
    "hubspot-token",
    "pat-(?:na|eu|ap)[0-9]-",
    "pat-(?:na|eu|ap)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  ),
  prefixed("contentful-token", "CFPAT-", "CFPAT-[A-Za-z0-9_-]{43}"),
  prefixed("posthog-key", "ph[xs]_[A-Za-z0-9]{8}", "ph[xs]_[A-Za-z0-9]{40,}"),
  prefixed("fly-token", "fm[12]_", "fm[12]_[A-Za-z0-9+/=_-]{60,}"),
  random(prefixed("render-key", "rnd_[A-Za-z0-9]{8}", "rnd_[A-Za-z0-9]{28,}")),
  prefixed("easypost-key", "EZ[AT]K", "EZ[AT]K[A-Za-z0-9]{54}"),
  prefixed("tailscale-key", "tskey-", "tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}"),
  prefixed("sourcegraph-token", "sgp_", "sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}"),
  prefixed("sonar-token", "sq[pau]_[0-9a-f]", "sq[pau]_[0-9a-f]{40}"),
  prefixed("circleci-token", "CCIPAT_|CCIPRJ_", "CCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}"),
  prefixed("buildkite-token", "bkua_", "bkua_[0-9a-f]{40}"),
  prefixed("woocommerce-key", "c[ks]_[0-9a-f]{8}", "c[ks]_[0-9a-f]{40}(?![A-Za-z0-9])"),
];

// Diners' 14 digits look like timestamps.
const ISSUERS: readonly RegExp[] = [
  /^4\d{15}$/, // Visa
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/, // Mastercard
  /^6(?:011|4[4-9]\d|5\d\d)\d{12}$/, // Discover
  /^35\d{14}$/, // JCB
  /^3[47]\d{13}$/, // American Express
];

/** Nearly all numbers are smaller, and need not be written out. */
const SMALLEST_CARD = 300_000_000_000_000;

/** Tells whether a number is that of a payment card. */
export function isCard(value: number | bigint): boolean {
  return value >= SMALLEST_CARD && isCardNumber(String(value));
}

/**
 * Tells whether digits, in groups or not, are a payment card's number: a known issuer, and a right check digit (Luhn).
 */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/[ -]/g, "");
  return ISSUERS.some((issuer) => issuer.test(digits)) && luhnSum(digits) % 10 === 0;
}

function luhnSum(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum;
}

// A placeholder in a user's name or a password is taken whole: the colons in it part nothing.
const USER = String.raw`(?:${PLACEHOLDER}|(?!«redacted:)[^\s/?#:@"'<>\\]){0,256}`;
const PASSWORD = String.raw`(?:${PLACEHOLDER}|(?!«redacted:)[^\s/?#@"'<>\\]){1,256}`;

const SIXTEEN_DIGITS = String.raw`(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6\d{3}|35\d\d)([ -]?)\d{4}\1\d{4}\1\d{4}`;
const FIFTEEN_DIGITS = String.raw`3[47]\d\d([ -]?)\d{6}\2\d{5}`;
const CARD = new RegExp(String.raw`(?:${SIXTEEN_DIGITS}|${FIFTEEN_DIGITS})(?![\w]|[.-]\d)`, "g");

const WEBHOOK = String.raw`(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/)`;

/** Secrets known by their form, whoever issued them. */
export const SHAPE_DETECTORS: readonly Detector[] = [
  prefixed("jwt", "eyJ", String.raw`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`),
  {
    kind: "url-password",
    hint: /:\/\//,
    pattern: new RegExp(`://${USER}:(?<secret>${PASSWORD})@`, "g"),
  },
  {
    kind: "webhook-url",
    hint: /\/(?:hooks\.slack\.com|api\/webhooks)\//,
    pattern: new RegExp(String.raw`${WEBHOOK}(?<secret>[\w/-]{20,})`, "g"),
  },
  {
    kind: "bearer",
    hint: /earer|EARER/,
    pattern: new RegExp(String.raw`${LEFT}[Bb](?:earer|EARER)(?:\s{1,4}|%20|\+)(?<secret>[\w.~+/=-]{16,})`, "g"),
    // "the bearer responsibilities…" is no token.
    confirms: (secret) => /\d/.test(secret),
  },
  {
    kind: "basic",
    hint: /asic|ASIC/,
    pattern: new RegExp(
      String.raw`${LEFT}[Bb](?:asic|ASIC)(?:\s{1,4}|%20|\+)(?<secret>[A-Za-z0-9+/_-]{6,}={0,2})`,
      "g",
    ),
    confirms: (secret) => /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(secret, "base64").toString("latin1")),
  },
  {
    kind: "card-number",
    hint: /\d{4}[ -]?\d{4}/,
    pattern: CARD,
    confirms: (digits, before) => beginsToken(before) && isCardNumber(digits),
  },
];
