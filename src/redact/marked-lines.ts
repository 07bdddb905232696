import { PartSearch } from "./part-search.ts";
import { isCode, looksLikeCredential } from "./secret-looks.ts";
import type { SecretSpan } from "./secret-spans.ts";

/** A form of line that marks its secret without a name; the group is `secret`. */
interface LineForm {
  /** A part of every text with this form; the search is faster the rarer its first characters are. */
  readonly hint: string;
  readonly pattern: RegExp;
  readonly kind: string;
  /** True if any text counts, as in data; false for only texts that look like a credential. */
  readonly data?: boolean;
  /** True if the form has a key word, too. */
  readonly isNamed?: boolean;
}

/** A command and its option before a password. */
function command(hint: string, names: string, option: string): LineForm {
  const secret = String.raw`\\*["']?(?<secret>[^\s"'$<>\\«-][^\s"'<>\\«]{3,255})`;
  return {
    hint,
    kind: "password",
    pattern: new RegExp(String.raw`\b(?:${names})\b[^\n]{0,200}? ${option}${secret}`, "g"),
  };
}

/** Words of SQL before a password in quotes. */
function quoted(hint: string, words: string): LineForm {
  const pattern = new RegExp(String.raw`\b${words} '(?<secret>[^'\n«»]{6,256})'`, "g");
  return { hint, kind: "password", data: true, isNamed: hint.endsWith("d '") || hint.endsWith("D '"), pattern };
}

/** A call whose last argument, after that of a user or a text, is a password or key: `basic_auth("ada", "…")`. */
function call(hint: string, names: string): LineForm {
  const before = String.raw`[^"'()\n]{0,200}(?:(?:"[^"\n]{0,200}"|'[^'\n]{0,200}')[^"'()\n]{0,200}){0,4}?`;
  const pattern = new RegExp(
    String.raw`(?:${names})\(${before},\s{0,8}(?:Some\()?["'](?<secret>[^"'\s«»]{6,256})["']`,
    "g",
  );
  return { hint, kind: "password", pattern };
}

/** A function that makes a hash of a password, its first argument: `bcrypt.hash("…", 10)`. */
function hashed(hint: string, names: string): LineForm {
  const pattern = new RegExp(
    String.raw`\b(?:${names})(?:\.\w{1,24})?\(\s{0,8}b?["'](?<secret>[^"'\s«»]{6,256})["']`,
    "g",
  );
  return { hint, kind: "password", pattern };
}

/** A user's name and a password after a word for both: `The credentials are ada and …`, `creds for x: ada / …`. */
function userAndPassword(names: string): RegExp {
  return new RegExp(
    String.raw`\b(?:${names})\b(?: (?:are|is|for (?:the )?[\w.@-]{1,40}(?: are)?))? ?:? ` +
      String.raw`(?:[\w.@+-]{1,64}(?: ?[/|] ?| (?:and|und|et|y|e) )|\(?["'][\w.@+-]{1,64}["'], ?["'])` +
      String.raw`(?<secret>[^\s"'«»]{6,256}?)(?=["'.,;)]{0,3}(?:\s|$))`,
    "g",
  );
}

const CREDENTIALS = "[Cc]red(?:s?|entials?|enciales|enciais|enziali)";
const USER = String.raw`["']?[\w.@+-]{1,128}:`;

const FORMS: readonly LineForm[] = [
  command("-p", String.raw`mysql\w*`, "-p"),
  command("-p", "mariadb(?:-dump)?", "-p"),
  command("-p", "7z", "-p"),
  command("-p", "sshpass", "-p ?"),
  command("-p ", "login", "-p +"),
  command("-p ", String.raw`mongo\w*`, "-p +"),
  command("-a ", "redis-cli", "-a +"),
  command("-P ", String.raw`(?:un)?zip|mosquitto_\w+|tsql|isql|sqlcmd|bcp`, "-P +"),
  command("-k ", "openssl", "-k +"),
  command("pass:", "openssl", String.raw`-pass\w* pass:`),
  command("-A ", String.raw`snmp\w+`, "-A +"),
  command("-X ", String.raw`snmp\w+`, "-X +"),
  command("-U", String.raw`smb\w+|rpcclient|net`, String.raw`-U ?["']?[\w.\\/-]{1,64}%`),
  command("-p ", "useradd|usermod", "-p +"),
  command("password ", "nmcli|netsh|net user", "password +"),
  command("secret set", "secret set", "--body[ =]"),
  command("htpasswd", "htpasswd", String.raw`-[a-zA-Z]*b[a-zA-Z]* [^\s]{1,128} [^\s]{1,128} +`),
  command("-w ", String.raw`security add-(?:generic|internet)-password|ldap\w+`, "-w +"),
  command("-u", "curl|http", `-u ?${USER}`),
  command("-user", "curl|wget", `--(?:proxy-)?user[ =]${USER}`),
  command("-a ", "https?", `-a +${USER}`),
  {
    hint: "login ",
    isNamed: true,
    kind: "password",
    pattern: /\blogin\s{1,4}[^\s<]{1,256}\s{1,4}password\s{1,4}(?<secret>[^\s<$"'\\«]{4,512})/g,
  },
  call("ogin", String.raw`\b(?:\w{1,32}[._])?[lL]og_?[iI]n\w{0,24}`),
  call("ignIn", String.raw`\b(?:\w{1,32}[._])?[sS]ignIn\w{0,24}`),
  call("uth", String.raw`\b(?:basic_?)?[aA]uth=?`),
  call("edential(", "NetworkCredential"),
  call("PDO(", "PDO"),
  call("mysqli", String.raw`mysqli\w*`),
  call("onnection(", "getConnection"),
  call("jwt.", String.raw`\bjwt\.(?:sign|verify|encode|decode)`),
  call("Hmac(", "createHmac"),
  call("crypt(", String.raw`\b(?:pgp_sym|aes|AES|PGP_SYM)_\w{2,3}crypt`),
  hashed("crypt", String.raw`\w{0,16}crypt\w{0,4}`),
  hashed("auth(", String.raw`\w{1,24}\.auth`),
  hashed("argon2", String.raw`argon2\w{0,3}`),
  hashed("assword", "password_hash|make_password|check_password"),
  {
    hint: "USERPWD",
    kind: "password",
    pattern: /USERPWD\s{0,4},\s{0,4}["'][^"':\s]{1,128}:(?<secret>[^"'\s«»]{6,256})["']/g,
  },
  // `echo "…" | sudo -S`, `ConvertTo-SecureString "…"`, `LOGIN ada …` of IMAP, `IDENTIFY …` of IRC.
  {
    hint: "echo ",
    kind: "password",
    pattern: new RegExp(
      String.raw`\becho (?:-n )?["']?(?:\w{1,32}:)?(?<secret>[^\s"'$|«»]{6,256})["']? ?\|[^\n|]{0,120}` +
        "(?:std-?in|sudo -S|passwd|-with-token)",
      "g",
    ),
  },
  {
    hint: "SecureString ",
    kind: "password",
    pattern: /ConvertTo-SecureString (?:-String )?["'](?<secret>[^"'\s$«»]{6,256})["']/g,
  },
  { hint: "LOGIN ", kind: "password", pattern: /\bLOGIN "?[\w.@+-]{1,64}"? "?(?<secret>[^\s"«»]{6,256})/g },
  { hint: "IDENTIFY ", kind: "password", pattern: /\bIDENTIFY (?:[\w-]{1,32} )?(?<secret>[^\s"«»]{6,256})/g },
  { hint: "sip", kind: "password", pattern: /\bsips?:[\w.+-]{1,64}:(?<secret>[^\s@"'«»]{6,256})@/g },
  { hint: "sqlplus", kind: "password", pattern: /\bsqlplus (?:-\w+ )*"?\w{1,64}\/"?(?<secret>[^\s@"'«»]{6,256})/g },
  { hint: ":thin:", kind: "password", pattern: /:thin:\w{1,64}\/(?<secret>[^\s@"'«»]{6,256})@/g },
  quoted("word '", "[Pp]assword"),
  quoted("WORD '", "PASSWORD"),
  {
    hint: "DENTIFIED BY ",
    kind: "password",
    pattern: /\bIDENTIFIED BY (?<secret>[^\s"'«»;]{6,256})/g,
  },
  // `The credentials are ada and …`, `credentials: ("ada", "…")`, `log in with ada / …`.
  { hint: "cred", kind: "password", pattern: userAndPassword(CREDENTIALS) },
  { hint: "Cred", kind: "password", pattern: userAndPassword(CREDENTIALS) },
  { hint: "Zugangsdaten", kind: "password", pattern: userAndPassword("Zugangsdaten") },
  { hint: "Anmeldedaten", kind: "password", pattern: userAndPassword("Anmeldedaten") },
  { hint: "dentifiants", kind: "password", pattern: userAndPassword("[Ii]dentifiants") },
  { hint: "ogin", kind: "password", pattern: userAndPassword("[Ll]og-?in(?= ?:)") },
  {
    hint: "og in ",
    kind: "password",
    pattern:
      /\b[Ll]og in (?:with|as|using):? [\w.@+-]{1,64}(?: ?[/|] ?)(?<secret>[^\s"'«»]{6,256}?)(?=[.,;)]?(?:\s|$))/g,
  },
  {
    hint: "/user:",
    kind: "password",
    pattern: /\bnet use [^\n]{0,200}?\/user:[^\s]{1,128} (?<secret>[^\s"'«»/]{6,256})/g,
  },
  quoted("by '", "identified by"),
  quoted("BY '", "IDENTIFIED BY"),
  {
    hint: "Private-Lines",
    kind: "private-key",
    data: true,
    pattern: /Private-Lines: \d{1,3}(?:\s|\\+[nr]){1,4}(?<secret>(?:[A-Za-z0-9+/=\s]|\\+[nr](?!Private)){20,8192})/g,
  },
  {
    hint: ":5432:",
    kind: "password",
    pattern: /(?<=[\w*]):5432:(?:[A-Za-z_][\w-]{0,63}|\*):[A-Za-z_][\w-]{0,63}:(?<secret>[^\s:"'\\«]{6,256})/g,
  },
  // The private parts of a JSON Web Key.
  {
    hint: '"kty',
    kind: "key",
    pattern: /"(?:d|p|q|dp|dq|qi|k)\\*"\s{0,8}:\s{0,8}\\*"(?<secret>[\w+/=-]{16,4096})/g,
  },
];

const HINTS = new PartSearch(new Set(FORMS.map(({ hint }) => hint)));

/** Finds the secrets that a form of line shows without a name: `mysql -p…`, `login … password …`, `curl -u ada:…`. */
export function findInLines(text: string, hasKeyWord: boolean): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (text.length < 12) return spans;
  const hints = HINTS.partsIn(text);
  if (hints.size === 0) return spans;
  for (const form of FORMS)
    if ((hasKeyWord || form.isNamed !== true) && hints.has(form.hint)) collect(form, text, spans);
  return spans;
}

function collect({ pattern, kind, data }: LineForm, text: string, spans: SecretSpan[]): void {
  for (const { index, 0: match, groups } of text.matchAll(pattern)) {
    const secret = groups?.["secret"] ?? "";
    if (isCode(secret) || !(data === true || looksLikeCredential(secret, 6))) continue;
    const start = index + match.lastIndexOf(secret);
    spans.push({ start, end: start + secret.trimEnd().length, kind });
  }
}
