import type { Detector } from "./shape-detectors.ts";

/**
 * Characters that may precede a key: no letter or digit (`my-`, `KEY_` may), except as the end of an escape: `\n`,
 * `%3D`.
 */
const LEFT: string = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}))`;

interface KeyDetector extends Detector {
  /** A quick pattern that matches in every text with such a key; all of them are searched at once. */
  readonly hint: RegExp;
}

/** A detector of keys with a fixed prefix; `hint` and `body` are patterns without flags. */
function prefixed(kind: string, hint: string, body: string): KeyDetector {
  return { kind, hint: new RegExp(hint), pattern: new RegExp(LEFT + body, "g") };
}

/** The same for a prefix that is also the end of usual names: `cache-key-…`. */
function apart(kind: string, hint: string, body: string): KeyDetector {
  return { kind, hint: new RegExp(hint), pattern: new RegExp(`(?<![_-])${LEFT}${body}`, "g") };
}

/** Returns true if a text looks random: digits, and letters of both cases or none that spell words. */
function looksRandom(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0;
  if (digits === 0) return false;
  return (/[a-z]/.test(text) && /[A-Z]/.test(text)) || digits * 6 >= text.length;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** The same detector for a prefix that ordinary words can follow: only matches that look random count. */
const random = (detector: KeyDetector): KeyDetector => ({ ...detector, confirms: looksRandom });

/**
 * Keys and tokens that their issuers mark with a prefix or a fixed layout. To add one, add a row here, and a row to
 * `test-support/secret-kinds.ts`. The order only decides the kind of keys that begin together; kinds can repeat.
 */
export const KEY_DETECTORS: readonly KeyDetector[] = [
  prefixed("anthropic-key", "sk-ant-", "sk-ant-[A-Za-z0-9_-]{20,}"),
  // As the sub-protocol of a browser's WebSocket.
  prefixed(
    "kubernetes-token",
    String.raw`base64url\.bearer`,
    String.raw`base64url\.bearer\.authorization\.k8s\.io\.(?<secret>[\w-]{20,})`,
  ),
  prefixed("openai-key", "openai-insecure", String.raw`openai-insecure-api-key\.(?<secret>[\w-]{20,})`),
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
  random(apart("fireworks-key", "fw_[A-Za-z0-9]{8}", "fw_[A-Za-z0-9]{20,}")),
  apart("huggingface-token", "hf_|api_org_", "(?:hf|api_org)_[A-Za-z0-9]{30,}"),
  prefixed("pinecone-key", "pcsk_", "pcsk_[A-Za-z0-9_]{40,}"),
  prefixed("langsmith-key", "lsv2_", "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,}"),
  random(prefixed("tavily-key", "tvly-", "tvly-[A-Za-z0-9-]{20,}")),
  prefixed("aws-key-id", "AKIA|ASIA|ABIA|ACCA", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
  prefixed("bedrock-key", "ABSK", "ABSK[A-Za-z0-9+/]{100,}={0,2}"),
  prefixed(
    "github-token",
    "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
    String.raw`(?:gh[pousr]_[A-Za-z0-9]{36,}|ghs_[0-9]{1,20}_eyJ[\w-]+\.[\w-]+\.[\w-]+|github_pat_\w{22,})`,
  ),
  random(
    prefixed("gitlab-token", "gl[a-z]{2,6}-", "gl(?:pat|ptt|dt|rt|cbt|ft|ffct|soat|oas|imt|agent)-[A-Za-z0-9_.-]{20,}"),
  ),
  prefixed(
    "slack-token",
    "xox[abeoprs]-|xapp-[0-9]",
    "(?:xox[abeoprs]-[A-Za-z0-9-]{15,}|xapp-[0-9]-[A-Za-z0-9-]{15,})",
  ),
  prefixed("stripe-key", "[sr]k_(?:live|test|prod)_", "[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}"),
  prefixed("webhook-secret", "whsec_", "whsec_[A-Za-z0-9+/]{24,}={0,2}"),
  prefixed("npm-token", "npm_", "npm_[A-Za-z0-9]{36,}"),
  prefixed("pypi-token", "pypi-", "pypi-[A-Za-z0-9_-]{50,}"),
  prefixed("rubygems-key", "rubygems_", "rubygems_[0-9a-f]{48}"),
  prefixed("docker-token", "dckr_", "dckr_[po]at_[A-Za-z0-9_-]{20,}"),
  prefixed("sendgrid-key", String.raw`SG\.`, String.raw`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
  prefixed("twilio-key", "SK[0-9a-f]{8}", "SK[0-9a-f]{32}(?![A-Za-z0-9])"),
  apart("mailgun-key", "key-[0-9a-f]{8}", "key-[0-9a-f]{32}(?![A-Za-z0-9])"),
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
  random(apart("resend-key", "re_[A-Za-z0-9]{8}_", "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}")),
  prefixed("brevo-key", "xkeysib-|xsmtpsib-", "x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
  prefixed("nvidia-key", "nvapi-", "nvapi-[A-Za-z0-9_-]{60,}"),
  prefixed("jina-key", "jina_[0-9a-f]", "jina_[A-Za-z0-9_-]{40,}"),
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
  apart("woocommerce-key", "c[ks]_[0-9a-f]{8}", "c[ks]_[0-9a-f]{40}(?![A-Za-z0-9])"),
  // From here on in the order of their prefixes; compared with the list of gitleaks 8 (its rules of 2026-07-22).
  prefixed("asana-token", "[12]/[0-9]{15}", "[12]/[0-9]{15,}/[0-9]{15,}:[0-9a-f]{32}"),
  prefixed(
    "braintree-token",
    String.raw`access_token\$`,
    String.raw`access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}`,
  ),
  prefixed(
    "plaid-token",
    "access-(?:sandbox|development|production)-",
    `access-(?:sandbox|development|production)-${UUID}`,
  ),
  prefixed("onepassword-key", "A3-[A-Z0-9]{6}-", "A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,6}"),
  prefixed("artifactory-key", "AKCp", "AKCp[A-Za-z0-9]{60,80}"),
  prefixed("tencent-key-id", "AKID", "AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
  random(prefixed("octopus-key", "API-[A-Z0-9]{8}", "API-[A-Z0-9]{26}(?![A-Za-z0-9])")),
  prefixed("apify-token", "apify_api_", "apify_api_[A-Za-z0-9]{30,}"),
  prefixed("yandex-key", "AQVN", "AQVN[A-Za-z0-9_-]{35,38}"),
  prefixed("bitbucket-token", "ATBB|ATCTT3", "(?:ATBB[A-Za-z0-9]{24,}|ATCTT3[A-Za-z0-9_=-]{50,})"),
  prefixed("browserbase-key", "bb_live_", "bb_live_[A-Za-z0-9_-]{20,}"),
  prefixed("bedrock-key", "bedrock-api-key-", "bedrock-api-key-[A-Za-z0-9+/=]{60,}"),
  prefixed("buildkite-token", "bkct_", "bkct_[A-Za-z0-9]{30,}"),
  prefixed("clojars-token", "CLOJARS_", "CLOJARS_[a-z0-9]{60}"),
  random(prefixed("artifactory-token", "cmVmd", "cmVmd[A-Za-z0-9]{59}(?![A-Za-z0-9])")),
  prefixed("defined-key", "dnkey-", "dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
  random(prefixed("digitalocean-key", "DO00", "DO00[A-Z0-9]{16}(?![A-Za-z0-9])")),
  prefixed("dynatrace-token", String.raw`dt0c01\.`, String.raw`dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}`),
  prefixed("duffel-token", "duffel_", "duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"),
  prefixed("e2b-key", "e2b_[0-9a-f]{8}", "e2b_[0-9a-f]{40}"),
  random(prefixed("facebook-token", "EAA[MC][A-Za-z0-9]{40}", "EAA[MC][A-Za-z0-9]{100,}")),
  random(prefixed("square-token", "EAAA[A-Za-z0-9]", "EAAA[A-Za-z0-9_-]{60}(?![A-Za-z0-9_-])")),
  prefixed("grafana-token", "eyJrIjoi", "eyJrIjoi[A-Za-z0-9+/]{60,}={0,2}"),
  apart("firecrawl-key", "fc-[0-9a-f]{8}", "fc-[0-9a-f]{32}(?![A-Za-z0-9])"),
  prefixed("frameio-token", "fio-u-", "fio-u-[A-Za-z0-9_=-]{60,}"),
  prefixed("flutterwave-key", "FLWSECK", "FLWSECK(?:_TEST)?-[0-9a-h]{12,32}(?:-X)?"),
  prefixed("fly-token", "fo1_", "fo1_[A-Za-z0-9_-]{43}"),
  prefixed("infracost-key", "ico-", "ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
  prefixed("instagram-token", "IGQV", "IGQV[A-Za-z0-9_-]{100,}"),
  prefixed("telnyx-key", "KEY[0-9A-Z]{8}", "KEY[0-9A-Z]{32}_[A-Za-z0-9]{22}"),
  prefixed("alibaba-key-id", "LTAI", "LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])"),
  prefixed("neon-key", "napi_", "napi_[a-z0-9]{60,}"),
  prefixed("new-relic-key", "NRII-|NRJS-", "(?:NRII-[A-Za-z0-9_-]{32}|NRJS-[0-9a-f]{19})"),
  random(prefixed("nuget-key", "oy2[a-z0-9]{8}", "oy2[a-z0-9]{43}(?![A-Za-z0-9])")),
  prefixed("adobe-secret", "p8e-", "p8e-[a-z0-9]{32}"),
  prefixed("harness-key", String.raw`[ps]at\.`, String.raw`[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`),
  prefixed("prefect-key", "pnu_", "pnu_[A-Za-z0-9]{36}"),
  prefixed("readme-key", "rdme_", "rdme_[a-z0-9]{70}"),
  prefixed("intra-secret", "s-s4t2", "s-s4t2(?:ud|af)-[0-9a-f]{64}"),
  prefixed(
    "authress-key",
    String.raw`(?:sc|ext|scauth|authress)_[a-z0-9]+\.`,
    String.raw`(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}`,
  ),
  random(prefixed("statsig-key", "secret-[A-Za-z0-9]{20}", "secret-[A-Za-z0-9]{40,}")),
  prefixed("openshift-token", "sha256~", "sha256~[A-Za-z0-9_-]{43}"),
  prefixed("shippo-token", "shippo_", "shippo_(?:live|test)_[0-9a-fA-F]{40}"),
  prefixed("inngest-key", "signkey-", "signkey-[a-z]{2,12}-[0-9a-f]{40,}"),
  prefixed("elevenlabs-key", "sk_[0-9a-f]{8}", "sk_[0-9a-f]{48}(?![A-Za-z0-9])"),
  prefixed("settlemint-token", "sm_[aps]at_", "sm_[aps]at_[A-Za-z0-9]{16}"),
  prefixed("typeform-token", "tfp_", "tfp_[A-Za-z0-9_.=-]{40,}"),
  prefixed("scalingo-token", "tk-us-", "tk-us-[A-Za-z0-9_-]{48}"),
  prefixed("trigger-key", "tr_(?:dev|stg|prod)_", "tr_(?:dev|stg|prod)_[A-Za-z0-9]{20,}"),
  prefixed("unkey-key", "unkey_", "unkey_[A-Za-z0-9]{20,}"),
  prefixed("valtown-token", "vtwn_", "vtwn_[A-Za-z0-9]{20,}"),
  prefixed("linkedin-secret", String.raw`WPL_AP1\.`, String.raw`WPL_AP1\.[A-Za-z0-9]{16}\.[A-Za-z0-9+/]{4,8}={0,2}`),
  prefixed("zuplo-key", "zpka_", "zpka_[0-9a-f]{32}_[0-9a-f]{8}"),
  random(prefixed("clickhouse-secret", "4b1d", "4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])")),
  prefixed(
    "salesforce-session",
    "00D[A-Za-z0-9]{12}!",
    String.raw`00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?![A-Za-z0-9._]{60,}`,
  ),
  random(prefixed("bitcoin-key", "5[HJK][1-9A-HJ-NP-Za-km-z]{20}", "5[HJK][1-9A-HJ-NP-Za-km-z]{49}(?![A-Za-z0-9])")),
  prefixed("mailgun-key", "[0-9a-f]{32}-[0-9a-f]{8}-", "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9-])"),
];

/** The host and the path of a recorded request are next to each other in JSON. */
const PATH_IN_JSON = String.raw`(?:",\s{0,64}"path"\s{0,8}:\s{0,8}")?`;

const WEBHOOKS = [
  [String.raw`hooks\.slack\.com`, "/(?:services|workflows|triggers|commands|actions)/"],
  [String.raw`discord(?:app)?\.com`, "/api/webhooks/"],
  [String.raw`webhook\.office\.com`, "/webhookb2/"],
  [String.raw`api\.telegram\.org`, "/(?:file/)?bot"],
] as const;

/** Keys of which only the middle or the end is marked; hints are searched anywhere in a run. */
export const MARKED_KEY_DETECTORS: readonly KeyDetector[] = [
  // The beginnings of keys in PEM form: "-----BEGIN PRIVATE", "… RSA PRIVATE", "… EC PRIVATE", "… OPENSSH PRIVATE".
  prefixed(
    "private-key",
    "LS0tLS1CRUdJTiB",
    "LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJVkFUR|FQyBQUklWQVRF|PUEVOU1NIIFBSSVZBVE)[A-Za-z0-9+/]{40,}={0,2}",
  ),
  apart("jwt", "eyJ", String.raw`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`),
  {
    kind: "webhook-url",
    // The host and the path may be in two runs.
    hint: new RegExp(WEBHOOKS.map(([, path]) => path).join("|")),
    pattern: new RegExp(
      String.raw`(?:${WEBHOOKS.map((parts) => parts.join(PATH_IN_JSON)).join("|")})(?<secret>[\w/@:-]{20,})`,
      "g",
    ),
  },
  prefixed("azure-devops-token", "AZDO", "[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"),
  prefixed("azure-key", String.raw`\+ASt|ACDb`, String.raw`[A-Za-z0-9+/]{76}(?:\+ASt|ACDb)[A-Za-z0-9+/]{5}[AQgw]==`),
  prefixed(
    "azure-key",
    String.raw`\+A(?:SbT|IoT|EhG|RmM)`,
    String.raw`[A-Za-z0-9+/]{32,33}\+A(?:SbT|IoT|EhG|RmM)[A-Za-z0-9+/]{5}[AQgw]?=`,
  ),
  prefixed("azure-key", "Az(?:Fu|Se|Ca)", "[A-Za-z0-9_+/-]{42,44}Az(?:Fu|Se|Ca)[A-Za-z0-9_+/-]{5,6}[AQgw]?={0,2}"),
  prefixed("new-relic-key", "NRAL", "[0-9a-f]{36}NRAL(?![A-Za-z0-9])"),
  prefixed("maxmind-key", "_mmk", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])"),
  prefixed("azure-secret", "[0-9]Q~", String.raw`[\w.~]{3}[0-9]Q~[\w.~-]{31,34}`),
  prefixed("facebook-token", String.raw`[0-9]\|`, String.raw`[0-9]{15,16}\|[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9])`),
];
