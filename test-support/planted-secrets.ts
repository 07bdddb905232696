/** A made-up secret for tests, put together at run time so that no scanner takes this file for a leak. */
export interface PlantedSecret {
  readonly kind: string;
  /** The text in which it is planted: the secret itself, or with the name that makes it one. */
  readonly text: string;
  /** What must not be found again. */
  readonly secret: string;
}

const LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";

/** As many letters and digits as asked for, different for each seed, a digit in every fifth place. */
function mixed(length: number, seed: number): string {
  let state = seed * 7919 + 17;
  return Array.from({ length }, (_unused, index) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return index % 5 === 3 ? String(state % 10) : (LETTERS[state % LETTERS.length] ?? "x");
  }).join("");
}

function hex(length: number, seed: number): string {
  let state = seed * 104729 + 3;
  return Array.from({ length }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return ((state >> 8) % 16).toString(16);
  }).join("");
}

function upper(length: number, seed: number): string {
  return mixed(length, seed).toUpperCase();
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

const PEM_LINE = mixed(64, 90);

/** A line of a private key, with the word that scanners look for put in at run time. */
function pem(line: string): string {
  return line.replace("SECRET", "PRIVATE");
}

const SHAPES: readonly (readonly [kind: string, ...parts: string[]])[] = [
  ["openai-key", "sk-", mixed(48, 1)],
  ["openai-key", "sk-", "proj-", mixed(60, 2)],
  ["anthropic-key", "sk-", "ant-api03-", mixed(80, 3)],
  ["openrouter-key", "sk-", "or-v1-", hex(64, 4)],
  ["google-key", "AI", "za", mixed(35, 5)],
  ["google-token", "ya", "29.", mixed(60, 6)],
  ["google-token", "GOC", "SPX-", mixed(28, 7)],
  ["aws-key-id", "AK", "IA", upper(16, 8)],
  ["aws-key-id", "AS", "IA", upper(16, 9)],
  ["github-token", "gh", "p_", mixed(36, 10)],
  ["github-token", "gh", "s_", mixed(36, 11)],
  ["github-token", "github", "_pat_", mixed(22, 12), "_", mixed(59, 13)],
  ["gitlab-token", "gl", "pat-", mixed(20, 14)],
  ["slack-token", "xo", "xb-", "123456789012-", mixed(24, 15)],
  ["slack-token", "xa", "pp-1-", upper(20, 16)],
  ["stripe-key", "sk", "_live_", mixed(24, 17)],
  ["stripe-key", "rk", "_test_", mixed(24, 18)],
  ["webhook-secret", "wh", "sec_", mixed(32, 19)],
  ["npm-token", "np", "m_", mixed(36, 20)],
  ["pypi-token", "py", "pi-", mixed(80, 21)],
  ["rubygems-key", "ruby", "gems_", hex(48, 22)],
  ["docker-token", "dckr", "_pat_", mixed(27, 23)],
  ["huggingface-token", "h", "f_", mixed(34, 24)],
  ["groq-key", "gs", "k_", mixed(52, 25)],
  ["xai-key", "xa", "i-", mixed(80, 26)],
  ["perplexity-key", "pp", "lx-", mixed(48, 27)],
  ["replicate-token", "r", "8_", mixed(37, 28)],
  ["pinecone-key", "pc", "sk_", mixed(60, 29)],
  ["langsmith-key", "ls", "v2_pt_", hex(32, 30), "_", hex(10, 31)],
  ["sendgrid-key", "S", "G.", mixed(22, 32), ".", mixed(43, 33)],
  ["twilio-key", "S", "K", hex(32, 34)],
  ["mailgun-key", "ke", "y-", hex(32, 35)],
  ["mailchimp-key", hex(32, 36), "-u", "s12"],
  ["telegram-token", "123456789", ":A", "A", mixed(33, 37)],
  ["shopify-token", "shp", "at_", hex(32, 38)],
  ["digitalocean-token", "do", "p_v1_", hex(64, 39)],
  ["databricks-token", "da", "pi", hex(32, 40)],
  ["linear-key", "lin", "_api_", mixed(40, 41)],
  ["notion-token", "nt", "n_", mixed(46, 42)],
  ["figma-token", "fi", "gd_", mixed(40, 43)],
  ["airtable-token", "pa", "t", mixed(14, 44), ".", hex(64, 45)],
  ["grafana-token", "gl", "sa_", mixed(32, 46), "_", hex(8, 47)],
  ["vault-token", "hv", "s.", mixed(90, 48)],
  ["supabase-key", "sb", "p_", hex(40, 49)],
  ["atlassian-token", "ATA", "TT3", mixed(180, 50)],
  ["planetscale-token", "psc", "ale_tkn_", mixed(43, 51)],
  ["age-key", "AGE-SECRET", "-KEY-1", upper(58, 52)],
  ["gitlab-token", "GR13", "48941", mixed(20, 100)],
  ["stripe-key", "sk", "_org_live_", mixed(24, 101)],
  ["razorpay-key", "rzp", "_live_", mixed(14, 102)],
  ["resend-key", "r", "e_", mixed(8, 103), "_", mixed(24, 104)],
  ["brevo-key", "xkey", "sib-", hex(64, 105), "-", mixed(16, 106)],
  ["nvidia-key", "nv", "api-", mixed(64, 107)],
  ["jina-key", "ji", "na_", hex(32, 108), mixed(28, 109)],
  ["vercel-token", "vc", "p_", mixed(56, 110)],
  ["vercel-token", "vercel", "_blob_rw_", mixed(16, 111), "_", mixed(30, 112)],
  ["netlify-token", "nf", "p_", mixed(36, 113)],
  ["cloudflare-key", "v1", ".0-", hex(24, 114), "-", hex(146, 115)],
  ["heroku-key", "HR", "KU-", mixed(40, 116)],
  ["mapbox-token", "sk", ".eyJ", mixed(60, 117), ".", mixed(22, 118)],
  ["dropbox-token", "s", "l.", mixed(135, 119)],
  ["notion-token", "sec", "ret_", mixed(43, 120)],
  [
    "hubspot-token",
    "pat",
    "-na1-",
    hex(8, 121),
    "-",
    hex(4, 122),
    "-",
    hex(4, 123),
    "-",
    hex(4, 124),
    "-",
    hex(12, 125),
  ],
  ["contentful-token", "CF", "PAT-", mixed(43, 126)],
  ["posthog-key", "ph", "x_", mixed(43, 127)],
  ["fly-token", "fm", "2_", mixed(120, 128)],
  ["render-key", "rn", "d_", mixed(32, 129)],
  ["easypost-key", "EZ", "AK", mixed(54, 130)],
  ["tailscale-key", "ts", "key-auth-", mixed(16, 131), "-", mixed(32, 132)],
  ["sourcegraph-token", "sg", "p_", hex(16, 133), "_", hex(40, 134)],
  ["sonar-token", "sq", "p_", hex(40, 135)],
  ["circleci-token", "CCI", "PAT_", mixed(22, 136), "_", hex(40, 137)],
  ["buildkite-token", "bk", "ua_", hex(40, 138)],
  ["woocommerce-key", "c", "s_", hex(40, 139)],
  [
    "jwt",
    "ey",
    base64url({ alg: "HS256", typ: "JWT" }).slice(2),
    ".",
    base64url({ sub: "1234567890", name: "A" }),
    ".",
    mixed(43, 53),
  ],
  ["card-number", "4111-", "1111-", "1111-", "1111"],
  ["card-number", "5500 ", "0000 ", "0000 ", "0004"],
  ["card-number", "3782 ", "822463 ", "10005"],
];

const MARKED: readonly (readonly [kind: string, secret: string, before: string, after?: string])[] = [
  ["bearer", mixed(40, 60), "Bearer "],
  ["basic", Buffer.from(`user:${mixed(12, 61)}`).toString("base64"), "Basic "],
  ["url-password", mixed(14, 62), "postgres://app:", "@db.internal:5432/main"],
  ["webhook-url", `T${upper(8, 63)}/B${upper(8, 64)}/${mixed(24, 65)}`, "https://hooks.slack.com/services/"],
  ["private-key", PEM_LINE, pem("-----BEGIN RSA SECRET KEY-----\n"), pem("\n-----END RSA SECRET KEY-----")],
  [
    "private-key",
    mixed(64, 91),
    pem("-----BEGIN OPENSSH SECRET KEY-----\n"),
    pem("\n-----END OPENSSH SECRET KEY-----\n"),
  ],
  ["key", mixed(32, 66), "https://api.example.com/v1?api_key="],
  ["token", mixed(32, 67), "https://api.example.com/v1?page=2&access_token="],
  ["signature", mixed(44, 68), "https://blob.example.com/c?sv=2024&sig="],
  ["password", mixed(12, 69), "PGPASSWORD="],
  ["key", mixed(40, 70), "AWS_SECRET_ACCESS_KEY = "],
  ["authorization", mixed(24, 71), "Authorization: Token "],
  ["card-number", "4111111111111111", "pay with card "],
  ["cookie", `sid=${mixed(24, 72)}; theme=dark`, "Cookie: "],
];

/** Made-up secrets of every kind that is recognised by itself, in the text that shows each one to be a secret. */
export const PLANTED_SECRETS: readonly PlantedSecret[] = [
  ...SHAPES.map(([kind, ...parts]) => ({ kind, text: parts.join(""), secret: parts.join("") })),
  ...MARKED.map(([kind, secret, before, after = ""]) => ({ kind, text: `${before}${secret}${after}`, secret })),
];

/** Names of fields whose texts are secrets. */
export const SECRET_NAMES: readonly string[] = [
  "authorization",
  "Proxy-Authorization",
  "apiKey",
  "api_key",
  "X-Api-Key",
  "x-goog-api-key",
  "accessToken",
  "refresh_token",
  "idToken",
  "password",
  "dbPassword",
  "passphrase",
  "secret",
  "clientSecret",
  "AWS_SECRET_ACCESS_KEY",
  "privateKey",
  "signingKey",
  "jwt",
  "x-csrf-token",
  "Ocp-Apim-Subscription-Key",
];
