import { hasCookieValue, hasNoMeaning, looksLikeCredential, looksRandom, secretStart } from "./secret-looks.ts";
import { wordSet, wordsOf } from "./words-of.ts";

/** Certainty with which a field's name marks its value as a secret. */
type FieldSecrecy =
  /** Any text in it is a secret. */
  | "always"
  /** A text in it is a secret if it looks like a credential: `token` also names words of a language model. */
  | "by-look"
  /** A text in it is a secret if it looks random, which few texts do. */
  | "if-drawn"
  /** It contains secrets under their own names: `cookies`, `credentials`. */
  | "container";

/** Meaning of a field's name: its secrecy, and the kind its placeholder shows. */
export interface SecretField {
  readonly secrecy: FieldSecrecy;
  readonly kind: string;
}

/**
 * Ends of names that are enough to recognize a secret, also if words run together (`PGPASSWORD`), and the kind of each.
 */
const ENDS: readonly (readonly [end: RegExp, kind: string])[] = [
  [
    /(?:password|passwd|passphrase|passcode|passwort|kennwort|motdepasse)$|^(?:pwd|pw|psk|cvv|cvc|passe|mdp)$/,
    "password",
  ],
  [
    /(?:store|require|root)pass$|^(?:senha|heslo|wachtwoord|haslo|contrasena|salasana|adgangskode[nr]?|sandi)$/,
    "password",
  ],
  [/^(?:kodeord|passord)(?:et)?$/, "password"],
  [/^authorization$/, "authorization"],
  [/^cookie$/, "cookie"],
  [/secret$/, "secret"],
  [/(?:api|access|private|secret)key$/, "key"],
  [/(?:api|access|auth|refresh|session|bearer|identity|registry|csrf|xsrf|deploy|bot)token$|^jwt$/, "token"],
  [/(?:zugriffs|zugangs|toegangs)token$/, "token"],
  [/^(?:j|php|asp)sess(?:ion)?id$/, "session"],
];

const CONTAINERS: ReadonlySet<string> = wordSet("cookies credentials passwords secrets");

/** Purposes of keys that are secrets: `apiKey`, `secret_access_key`. Others (`primaryKey`, `sort_key`) are not. */
const KEYS: ReadonlySet<string> = wordSet(
  "api access account activation auth deploy encryption functions hmac invite jwt master preshared private " +
    "recovery secret service shared signing subscription unlock unseal webhook",
);

/** Purposes of keys that may be public: only a text that looks like a credential is a secret. */
const OPEN_KEYS: ReadonlySet<string> = wordSet(
  "admin app application consumer function ingest insert integration license sdk server storage write",
);

/** Purposes of keys of which only a random text is a secret: those of message queues are words. */
const RANDOM_KEYS: ReadonlySet<string> = wordSet("cipher cluster ingestion publish routing");

/** Words before a key of prose: `our new key`. A field `newKey` may have any key. */
const OWN_KEY = /^(?:my|your|our|their|old|new) key$/i;

/** Words for a key or a token in other languages, which also have other meanings. */
const FOREIGN_KEYS: ReadonlySet<string> = wordSet("clave chave chiave sleutel klucz jeton");

/** Things with a password: `dbPass`, unlike `renderPass`. */
const USERS: ReadonlySet<string> = wordSet(
  "admin auth basic broker cache database db email ftp http imap keystore ldap login mail mongo mq mysql pg postgres " +
    "proxy rabbitmq redis root sa sftp smtp ssh user username vpn web wifi",
);

/** A variable of an environment with a secret word anywhere in its name: `KEY_OPENWEATHER`, `SMTP_PASS_2`. */
const VARIABLE = /^(?=.*_)[A-Z][A-Z0-9_]*$/;
const VARIABLE_WORDS: ReadonlySet<string> = wordSet(
  "key keys apikey token tokens secret secrets password passwords passwd passphrase passcode pass pwd pw pat jwt " +
    "dsn connection credential credentials cookie cookies auth signature salt bearer otp mnemonic",
);
/** The ends of words that run together in the name of a variable: `PGPASSWORD`, `DBPASS`. */
const JOINED_WORD = /(?:password|passwd|passphrase|passcode|secret|token|apikey|(?:access|private)key|jwt|pass)$/;
const OTHER_WORD = /^(?:ask|by|com|over|sur|tres|under)pass$/;
const PLAIN_ENDS: ReadonlySet<string> = wordSet(
  "id ids url uri path file dir name type count len length size limit ttl arn hash prefix policy version " +
    "sock socket host port mode method domain provider issuer audience enabled expires expiry expiration timeout " +
    "rounds scheme header algorithm user username email region role scope scopes command helper strategy budget",
);

/** Tokens that don't grant access: paging, and the units that language models read and write. */
const PLAIN_TOKENS: ReadonlySet<string> = wordSet(
  "bos cls completion continuation cursor delta end eos eot first image input last mask max min next output pad " +
    "page per prompt sep special start stop sync text top unk word",
);

/** Words of which every name of a secret has one, except `pat`: an expression. */
export const TELLING_WORDS: string =
  "pass|pwd|pw(?![a-z])|psk|kennwort|cv[vc]|auth|cookie|secret|key|token|jwt|sess(?:ion)?id|connection|" +
  "credential|bearer|signature|otp|csrf|xsrf|pepper|salt|mdp(?![a-z])|senha|heslo|wachtwoord|haslo|contrasena|" +
  "salasana|adgangskode|kodeord|passord|clave|chave|chiave|sleutel|klucz|jeton|sandi";

/** Words for a password with other letters than those of ASCII. */
export const FOREIGN_WORD: RegExp = new RegExp(
  "пароль|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|κωδικός|סיסמה|lösenord|contraseña|hasło|şifre|parolă|jelszó|" +
    "كلمة (?:المرور|السر)|رمز عبور|पासवर्ड|mật khẩu|รหัสผ่าน|合言葉",
  "iu",
);

/** The same for a key or a token, which only a random text is. */
export const FOREIGN_KEY: RegExp = new RegExp(
  "(?<!\\p{L})(?:clé|ключ|токен|nøgle|nyckel|klíč)|schlüssel|密钥|密鑰|金鑰|令牌|秘密鍵|キー|トークン|シークレット|API 키|토큰",
  "iu",
);

/** Most names have none of the words, and need not be split. */
const TELLING: RegExp = new RegExp(`${TELLING_WORDS}|pat`, "i");

/**
 * Returns the secrecy of a field by its name; undefined if the name isn't that of a secret. Names are compared as
 * words, whatever joins them: `apiKey`, `api_key`, `X-Api-Key`. `tokens`, `max_tokens`, `tokenCount`, `nextPageToken`
 * are not secrets.
 */
export function secretField(name: string): SecretField | undefined {
  if (/[^\0-\u00bf]/.test(name)) {
    if (FOREIGN_WORD.test(name)) return { secrecy: "always", kind: "password" };
    if (FOREIGN_KEY.test(name)) return { secrecy: "if-drawn", kind: "key" };
  }
  if (!TELLING.test(name)) return undefined;
  const words = coreWords(name);
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (CONTAINERS.has(last)) return { secrecy: "container", kind: last };
  const end = ENDS.find(([pattern]) => pattern.test(last));
  if (end !== undefined) return { secrecy: "always", kind: end[1] };
  if (last === "key" && KEYS.has(before)) return { secrecy: "always", kind: "key" };
  if (last === "seed" && (before === "otp" || before === "totp")) return { secrecy: "always", kind: "key" };
  if (last === "phrase" && before === "pass") return { secrecy: "always", kind: "password" };
  if (last === "keys" && KEYS.has(before)) return { secrecy: "container", kind: "key" };
  if (last === "csrf" || last === "xsrf") return { secrecy: "by-look", kind: "token" };
  if (last === "pepper" || (last === "salt" && before !== "")) return { secrecy: "by-look", kind: "key" };
  if (last === "pass" && USERS.has(before)) return { secrecy: "always", kind: "password" };
  if ((last === "key" && RANDOM_KEYS.has(before)) || OWN_KEY.test(name) || words.some((word) => FOREIGN_KEYS.has(word)))
    return { secrecy: "if-drawn", kind: "key" };
  if (last === "key" && OPEN_KEYS.has(before)) return { secrecy: "by-look", kind: "key" };
  if (/(?:pass|pw)$/.test(last) ? !OTHER_WORD.test(last) : last === "pat" && words.length > 1)
    return { secrecy: "by-look", kind: "password" };
  if (last === "string" && before === "connection") return { secrecy: "by-look", kind: "connection-string" };
  if (last === "credential" || last === "bearer" || (last === "auth" && words.length <= 2))
    return { secrecy: "by-look", kind: last };
  if (last === "signature" && (before === "amz" || before === "goog")) return { secrecy: "always", kind: "signature" };
  return last === "token" ? tokenField(words) : variableField(name, words);
}

/**
 * Returns true if a variable of an environment is secret by its name: one of its words is, and its end isn't that of
 * something about a secret (`TOKEN_LIMIT`, `SSH_AUTH_SOCK`). `PWD` is the working directory of the shell.
 */
export function isSecretVariable(name: string): boolean {
  if (/^(?:PWD|npm_package_.*)$/.test(name)) return false;
  if (/^(?:DATABASE|REDIS|MONGO(?:DB)?|POSTGRES|AMQP)_UR[IL]$/i.test(name)) return true;
  const words = wordsOf(name);
  return (
    !PLAIN_ENDS.has(words.at(-1) ?? "") && !words.some((word) => /^(?:max|min|num)$/.test(word)) && hasSecretWord(words)
  );
}

function hasSecretWord(words: readonly string[]): boolean {
  return words.some((word) => VARIABLE_WORDS.has(word) || (JOINED_WORD.test(word) && !OTHER_WORD.test(word)));
}

function variableField(name: string, words: readonly string[]): SecretField | undefined {
  if (!VARIABLE.test(name) || PLAIN_ENDS.has(words.at(-1) ?? "") || words.some((word) => PLAIN_TOKENS.has(word)))
    return undefined;
  if (/(?:PUBLIC|PRIMARY|FOREIGN|SORT|PARTITION)_KEY/.test(name)) return undefined;
  return hasSecretWord(words) ? { secrecy: "if-drawn", kind: "key" } : undefined;
}

/** Ends of a name that don't change its meaning: `passwordConfirmation`, `API_KEY_PROD`, `token_2`. */
const QUALIFIERS: ReadonlySet<string> = wordSet(
  "value base confirm confirmation again repeat plain plaintext raw base64 b64 hex prod production dev staging live " +
    "old new input field box element el",
);

/** The words of a name without its qualifiers and numbers. */
function coreWords(name: string): readonly string[] {
  const words = [...wordsOf(name)];
  while (words.length > 1 && (QUALIFIERS.has(words.at(-1) ?? "") || /^\d+$/.test(words.at(-1) ?? ""))) words.pop();
  const last = /^(.*(?:password|pass|pwd|secret|token|key))\d{1,2}$/.exec(words.at(-1) ?? "")?.[1];
  return last === undefined ? words : [...words.slice(0, -1), last];
}

function tokenField(words: readonly string[]): SecretField | undefined {
  if (words.length === 1) return { secrecy: "by-look", kind: "token" };
  return words.some((word) => PLAIN_TOKENS.has(word)) ? undefined : { secrecy: "always", kind: "token" };
}

const CUSTOM: SecretField = { secrecy: "always", kind: "field" };

// A run meets few names; a step over data that is keyed by ids must not keep them all.
const MAX_KNOWN = 2000;

/** Returns the secrecy of a field by its name. */
export interface FieldLookup {
  (name: string): SecretField | undefined;
  /** Finds the names that were added, in any text; undefined if there are none. */
  readonly added: RegExp | undefined;
}

/** Rules with a lookup of field names. */
export interface NameRules {
  readonly lookup: (name: string) => SecretField | undefined;
}

/** Makes the lookup of field names: added names, kept names, and the built-in meaning of names. */
export function fieldRules(added: readonly string[], kept: readonly string[]): FieldLookup {
  const isAdded = nameSet(added);
  const isKept = nameSet(kept);
  const known = new Map<string, SecretField | false>();
  const fieldOfName = (name: string): SecretField | undefined => {
    const cached = known.get(name);
    if (cached !== undefined) return cached === false ? undefined : cached;
    const own = isAdded(name) ? CUSTOM : secretField(name);
    const field = own !== undefined && isKept(name) ? undefined : own;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, field ?? false);
    return field;
  };
  return Object.assign(fieldOfName, { added: namePattern(added) });
}

/** Matches some names in a text, however their words are joined. */
function namePattern(names: readonly string[]): RegExp | undefined {
  const patterns = names.map((name) => Array.from(wordsOf(name).join("")).join("[_.-]?")).filter((name) => name !== "");
  return patterns.length === 0 ? undefined : new RegExp(patterns.join("|"), "gi");
}

/** Returns a test for a list of names, however their words are joined. */
function nameSet(names: readonly string[]): (name: string) => boolean {
  if (names.length === 0) return () => false;
  const joined = new Set(names.map((name) => wordsOf(name).join("")));
  return (name) => joined.has(wordsOf(name).join(""));
}

/** Returns true if the text of a field with this secrecy is a secret. */
export function isSecretText({ secrecy, kind }: SecretField, text: string): boolean {
  // A scheme without a credential.
  if (secretStart(text) === text.length) return false;
  // Cookies are also baked.
  if (kind === "cookie") return hasCookieValue(text);
  // Connections without a password: `postgres://localhost/main`.
  if (kind === "connection-string" && /^[\w+]+:\/\/[^:@]*(?:@|$|:\d)/.test(text)) return false;
  if (secrecy === "by-look") return looksLikeCredential(text);
  return secrecy === "if-drawn" ? text.length >= 16 && looksRandom(text) : !hasNoMeaning(text) && !isLabel(text);
}

const SENTENCE = /^\p{Lu}[\p{L}'’]{0,20}(?: (?!(?:is|was|ist|lautet|est|es) )[\p{L}'’]{1,20}){0,5} ?[?:*…]?$/u;
const PASSWORD_WORD = /\b(?:password|passwort|passcode|passphrase|passe|kennwort|senha|api key)\b/i;
const FOREIGN_LABEL = new RegExp(`^(?:${FOREIGN_WORD.source})$`, "iu");

/** Returns true if a text is the label of a form's field in a translation: `Forgot your password?`. */
function isLabel(text: string): boolean {
  return text.length <= 80 && ((SENTENCE.test(text) && PASSWORD_WORD.test(text)) || FOREIGN_LABEL.test(text));
}

/**
 * Meaning of the name before an item: names and values of headers also are lists, `["cookie", "a=b"]`. If the name may
 * not be a header's, the value must look like a credential: lists of words name secrets, too.
 */
export function headerField(items: readonly unknown[], index: number, { lookup }: NameRules): SecretField | undefined {
  const name = items[index - 1];
  if (typeof name !== "string" || name.length > 72) return undefined;
  // Arguments of a command have no fixed positions: `["run", "--password", "…"]`.
  const isOption = /^-[\w.=-]+$/.test(name);
  if (index % 2 === 0 && !isOption) return undefined;
  const item = items[index];
  if (isOption) return typeof item === "string" && !item.startsWith("-") ? lookup(name.replace(/^-+/, "")) : undefined;
  if (/^[\w.-]{0,64}(?:authorization|cookie|-key|-token|-secret)$/i.test(name)) return lookup(name);
  const atLeast = items.length === 2 ? 8 : 12;
  return typeof item === "string" &&
    (looksLikeCredential(item, atLeast) || item.includes("«redacted:")) &&
    /^[\w.-]{1,64}$/.test(name)
    ? lookup(name)
    : undefined;
}

const USER_NAMES = ["user", "username", "login", "email"];

/** The private parts of a JSON Web Key, which `kty` marks. */
const KEY_PARTS: ReadonlySet<string> = wordSet("d p q dp dq qi k");

/** Names that have a meaning only next to certain others. */
export const VALUE_FIELDS: ReadonlySet<string> = wordSet("value Value val ParameterValue data stringData");

/** The name next to a value, as in lists of headers, variables and cookies: `{ name: "Authorization", value: "…" }`. */
export function pairName(fields: Readonly<Record<string, unknown>>, key: string): unknown {
  if (key === "value")
    return fields["name"] ?? fields["key"] ?? (fields["type"] === "password" ? "password" : undefined);
  if (key === "val") return fields["key"] ?? fields["name"];
  if (!key.endsWith("Value")) return undefined;
  const prefix = key.slice(0, -"Value".length);
  return fields[`${prefix}Name`] ?? fields[`${prefix}Key`];
}

/**
 * The field of a name, of `{ name: "Authorization", value: "…" }`, which is how some formats write headers, or of the
 * private part of a JSON Web Key.
 */
export function namedField(
  fields: Readonly<Record<string, unknown>>,
  { key, item }: { readonly key: string; readonly item: unknown },
  rules: NameRules,
): SecretField | undefined {
  if (key.length <= 2 && KEY_PARTS.has(key) && typeof fields["kty"] === "string" && typeof item === "string")
    return { secrecy: "always", kind: "key" };
  // A Secret of Kubernetes, whatever the names in it.
  if (/^(?:data|stringData)$/.test(key) && fields["kind"] === "Secret") return { secrecy: "container", kind: "secret" };
  const name = pairName(fields, key);
  const field = fieldOf(typeof name === "string" && /^[\w.-]{1,64}$/.test(name) ? name : key, item, rules);
  // Alone, `pass` may be a result.
  return field?.secrecy === "by-look" && field.kind === "password" && USER_NAMES.some((user) => user in fields)
    ? { ...field, secrecy: "always" }
    : field;
}

/** Meaning of a name for its text, list or object. */
export function fieldOf(name: unknown, item: unknown, { lookup }: NameRules): SecretField | undefined {
  // A name doesn't make numbers and flags secret: `tokens: 12`, `secret: true`.
  return typeof name === "string" && (typeof item === "string" || typeof item === "object") ? lookup(name) : undefined;
}
