/** Certainty that a form gives: the texts that count as the value of a secret name. */
export type Certainty =
  /** Any text but one without a meaning: the form is one of data. */
  | "data"
  /** A text of at least 6 characters that looks like a credential. */
  | "look"
  /** The same, of which signs and brackets may be a part: the form says where the value ends. */
  | "line"
  /** A text that looks random, or like a password that a person made up: `blue-kettle-42`. */
  | "stated"
  /** A text that looks random: the form is also one of prose. */
  | "random";

/** A form in which a value follows (or precedes) its name. */
export interface ValueForm {
  /** The characters that may follow the name. */
  readonly first: string;
  /** Matches the end of the text before the name. */
  readonly before?: RegExp;
  /** Sticky, from the name's end; the group `secret` is the value. Undefined: `before` has that group. */
  readonly after?: RegExp;
  readonly certainty: Certainty;
}

/** A quote, escaped as often as the texts that it is in. */
const Q = String.raw`\\*["'\`]`;
/** Words between a name and the person or thing whose secret it is. */
const OWNED = "for|of|FOR|between|di|del|della|du|de|des|da|do|von|für|der|k|van|voor|para|pour|к|от|для|til|för";
/** Adjectives after a name, in languages that have them there. */
const ADJECTIVES =
  "API|secret[ao]|secrète|segreta|privada|privata|privée|temporal|temporaire|temporanea|temporária|provisoire|maestra";
const OWNER = "['\"`]?[^\\s\"'`=«»]{1,80}['\"`]?(?:@['\"`]?[\\w.%-]{1,80}['\"`]?)?";
/** Text between a name and a separator: its own quote, brackets, `(production)`, `[None]`, `for ada`. */
const NAME_END =
  String.raw`(?!\\*["'\`]\s{0,4}[!=]==?\s)(?:\\*["'\`][\]}]?|\}|\[\d{0,4}\])?(?: \d{1,2}|` +
  String.raw` \([^()\n]{1,40}\)| \[[^[\]\n]{0,40}\]| \{[^{}\n]{1,40}\}|` +
  String.raw`(?: (?:is|was|been))? [a-z]{3,10}ed(?: for [\w.@:/-]{1,80})?|` +
  String.raw`(?: (?:${ADJECTIVES}))?(?: (?:${OWNED}) ${OWNER}| d['’][\w\u00c0-\u024f]{1,20})` +
  String.raw`(?: [\w\u00c0-\u04ff'"./@-]{1,40}){0,4}| (?:${ADJECTIVES}))?` +
  String.raw`(?:\*\*|<\/\w{1,16}>)?`;
/** White space around a separator, which may align a column. */
const GAP = String.raw`(?:[ \t]{0,40}|\s{0,4})`;
const ASSIGN = String.raw`(?:=>|[-~]>|[→›]|<-|[:?+]=|!?={1,3}|\??:(?!:)|(?:\?\?|\|\|)=)`;
/** A quotation mark of print: `“v”`, `„v“`, `« v »`, `「v」`. */
const OPENED = String.raw`(?:[“„‘‚‹「『《]|«(?!redacted:)\s?)`;
const CLOSING = "“”„‘’‚‹›「」『』《》";
/** Text before a value: a type of YAML or SQL, the emphasis of Markdown, the end of an element. */
const VALUE_START =
  String.raw`(?:!!?\w{1,16} |(?:\[\]byte|\w{0,24}(?:String|Secret|Buffer|Hash|Some)\w{0,10})(?:(?:::|\.)\w{1,12})?\(|` +
  String.raw`&\w{1,32} |(?:[@$]{1,2}|u8|[bBcfFLNrRuU]{1,2}|<<)(?=#?["'\`])#?|` +
  String.raw`%?[qQ]{1,2}[({[|/<]|${OPENED}|\*\*[ \t]|<\/\w{1,16}>[ \t]|)`;
/** A value in prose, without the end of its sentence. */
const IN_PROSE =
  String.raw`(?<secret>(?:[^\s"'\`\\«»*|${CLOSING}]|\*(?=[^\s"'\`\\«»*|])){6,512}?)` +
  String.raw`[.,;:!?)]{0,3}(?=[\s"'\`\\*|<»${CLOSING}]|$)`;
/** A value in quotes, or in the emphasis of Markdown, and one without. */
const QUOTED = String.raw`(?<quote>\\{0,7}["'\`]|\*\*)(?<secret>[^"'\`\s\\«»]{6,512})\k<quote>`;
/** Not the name of a function that is called. */
const BARE = String.raw`(?=(?<bare>[^\s"'\`,;&<>(){}[\]\\«»|${CLOSING}]{6,512}))\k<bare>(?!\()`;
const ELEMENT = String.raw`<[\w:-]{1,32}(?:\s[^<>]{0,200})?>`;
const CONTENT = String.raw`(?:<!\[CDATA\[)?\s{0,8}(?<secret>[^<>\s«][^<>«]{0,4095}?)\s{0,8}(?:\]\]>)?<`;
const OTHER_ATTRIBUTES = String.raw`(?:\s{1,8}[\w:-]{1,32}=\\*["'][^"'<>]{0,200}?\\*["']){0,4}?\s{1,8}`;
const NAMING = String.raw`(?:key|name|id|property|for|type|http-equiv|itemprop|placeholder)=\\*["'](?:[\w:-]{1,32}:)?`;

/** Option of a command before its name; command, or start of a line, before the name of a variable. */
const OPTION = /(?:^|[\s"'`=,[(])-{1,2}$/;
const VARIABLE = new RegExp(
  String.raw`(?:^|\n|\\n)[ \t]{0,16}(?:- )?(?:export |set |setx |declare -x |ENV |ARG |Environment=)?["']?$|` +
    String.raw` (?:-e|--env|--build-arg|--set|--from-literal=?|env|--secret)[ =]["']?$`,
);
const COMMANDS =
  "ENV|ARG|export|set|setx|setenv|SetEnv|define|config(?::set)?|configure set|requirepass|proxy_set_header|" +
  "fastcgi_param|RequestHeader set|add_header|secret set|secrets set|env add|put|param";
const COMMAND = new RegExp(
  String.raw`(?:^|[\s\`"'])(?:${COMMANDS})[ \t]{1,8}(?:--?[\w-]{1,32}[ \t]{1,4})?["']?(?:\/\/[\w.\/-]{1,128}:)?$`,
);

const sticky = (...parts: readonly string[]): RegExp => new RegExp(parts.join(""), "dy");

/**
 * The forms of *name, separator, value*, in the order in which they are tried. JSON and headers of `Authorization` and
 * cookies have rules of their own, in find-named.ts.
 */
const VALUE_FORMS: readonly ValueForm[] = [
  // `?token=v&`, `token=v&` of a form, `user[password]=v`.
  { first: "=", before: /^$/, after: sticky("=(?!\\$\\()(?<secret>[^&\\s\"'<>\\\\«»]{1,4096})"), certainty: "data" },
  { first: "=", before: /[?&]$/, after: sticky("=(?<secret>[^&#\\s\"'<>\\\\«»]{1,4096})"), certainty: "data" },
  {
    first: "]%",
    before: /(?:\[|%5B)$/,
    after: sticky(String.raw`(?:\]|%5D)=(?<secret>[^&\s"'<>\\«»;,(){}[\]]{6,512})(?=[&\s"'\\]|$)`),
    certainty: "look",
  },
  // `--form-data; name="password"` and a line.
  {
    first: '\\"',
    before: /form-data; name=\\*"$/,
    after: sticky(
      String.raw`\\*"(?:(?:\r?\n|(?:\\+r)?\\+n)[A-Z][\w-]{1,40}: [^\r\n\\]{1,200}){0,3}`,
      String.raw`(?:\r?\n|(?:\\+r)?\\+n){2}(?<secret>[^\r\n\\]{1,4096})`,
    ),
    certainty: "data",
  },
  // Elements: `<password>v</password>`, `<key>password</key><string>v</string>`, `<string name="password">v</string>`.
  {
    first: "> \t\n",
    before: /<(?:\w{1,32}:)?$/,
    after: sticky(String.raw`(?:\s[^<>]{0,200})?>`, CONTENT, String.raw`\/`),
    certainty: "data",
  },
  {
    first: "< \n",
    before: /<(?:\w{1,32}:)?(?:key|name|string)>\s{0,8}$/,
    after: sticky(String.raw`\s{0,8}<\/[\w:-]{1,32}>\s{0,40}`, ELEMENT, CONTENT),
    certainty: "data",
  },
  {
    first: "<: \n",
    before: />\s{0,8}$/,
    after: sticky(
      String.raw`:?\s{0,8}(?:<\/[\w:-]{1,32}>\s{0,40}){1,3}(?:`,
      ELEMENT,
      String.raw`\s{0,8}){1,3}`,
      CONTENT,
    ),
    certainty: "look",
  },
  {
    first: "\\\"'",
    before: new RegExp(String.raw`(?=[a-z-]{2,11}=)(?<!<label\b[^<>]{0,200})${NAMING}$`),
    after: sticky(Q, String.raw`(?:\s[^<>]{0,200})?>\s{0,40}(?:`, ELEMENT, ")?", CONTENT),
    // The text of a button or of a translation isn't a value.
    certainty: "line",
  },
  // Attributes: `name="password" value="v"`, `content="v" name="csrf-token"`.
  {
    first: "\\\"'",
    before: new RegExp(`${NAMING}$`),
    after: sticky(
      Q,
      OTHER_ATTRIBUTES,
      String.raw`(?:value|content|data-value|val)=(?<quote>\\*["'])(?<secret>[^"'<>\\]{1,4096})\k<quote>`,
    ),
    certainty: "data",
  },
  {
    first: "\\\"'",
    before: new RegExp(
      String.raw`(?:value|content|data-value)=(?<quote>\\*["'])(?<secret>[^"'<>\\«]{1,512})\k<quote>` +
        `${OTHER_ATTRIBUTES}${NAMING}$`,
      "d",
    ),
    certainty: "data",
  },
  // Pairs: `name: DB_PASSWORD` and `value: v` in YAML, HCL, JSON.
  {
    first: "\\\"', ;\n\r",
    before:
      /\b(?:\w{0,16}[Nn]ame|\w{0,16}[Kk]ey|[Vv]ariable|[Tt]ype)\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?(?:[\w./-]{0,64}\/)?$/,
    after: sticky(
      String.raw`\\*["']?\s{0,4}[,;]?\s{0,40}\\*["']?(?:\w{0,16}[Vv]al(?:ue)?|[Dd]efault|[Cc]ontent)\\*["']?`,
      String.raw`\s{0,4}[:=]\s{0,4}(?:[|>][+-]?\s{1,40})?(?:`,
      QUOTED,
      "|",
      BARE,
      ")",
    ),
    certainty: "look",
  },
  // `--name db-password --value v`, and a parameter of CloudFormation.
  {
    first: "\"' ",
    before: /--(?:secret-)?(?:name|key|id)[ =]["']?[\w./-]{0,64}$/,
    after: sticky(
      String.raw`["']?(?: --?[\w-]{1,32}(?:[ =][^\s-][^\s]{0,64})?){0,4}? --(?:value|secret-string|body)[ =](?:`,
      QUOTED,
      "|",
      BARE,
      ")",
    ),
    certainty: "look",
  },
  {
    first: ":",
    before: /\n[ \t]{0,16}$|^[ \t]{0,16}$/,
    after: sticky(
      String.raw`:\n(?:[ \t]{1,16}[A-Z]\w{1,32}: [^\n]{0,200}\n){0,6}?[ \t]{1,16}Default: (?:`,
      QUOTED,
      "|",
      BARE,
      ")",
    ),
    certainty: "look",
  },
  {
    first: '"',
    before: /\b(?:variable|parameter|secret)\s{1,4}"$/,
    after: sticky(String.raw`"\s{0,8}\{[^{}]{0,200}?\b(?:default|value)\s{0,8}=\s{0,8}`, QUOTED),
    certainty: "look",
  },
  {
    first: "'",
    before: /\b(?:value|val)\s{0,4}=\s{0,4}'(?<secret>[^'\n«»]{6,256})'\s{1,8}where\s{1,8}\w{1,32}\s{0,4}=\s{0,4}'$/di,
    certainty: "look",
  },
  // The value is before the name: `assertEquals("v", user.getPassword())`, `"v" as the password`, `v is my password`.
  {
    first: ".,;()[ \n",
    before: new RegExp(
      String.raw`\b(?:assert|expect|verify|check|is)\w{0,24}\(\s{0,8}` +
        String.raw`(?<quote>["'])(?<secret>[^"'\s«»]{6,256})\k<quote>(?:,\s{0,8}|\)\.\w{1,24}\(\s{0,8})$`,
      "d",
    ),
    certainty: "look",
  },
  {
    first: " \n\"'.,;",
    before: new RegExp(
      String.raw`(?<=[\s"'\`(])(?<secret>[^"'\`\s«»(]{6,256})["'\`]? (?:as|for|into|in) ` +
        String.raw`(?:the |my |your |a )?(?:\w{1,16} )?["']?$`,
      "d",
    ),
    certainty: "stated",
  },
  {
    first: " \n.,;!)",
    before: new RegExp(
      String.raw`(?<![^\s(])(?<secret>[^\s"'\`«»(]{6,256}?),? (?:is|was|that'?s|which is|as) ` +
        String.raw`(?:the|my|our|your|his|her|their) (?:\w{1,16} ){0,2}$`,
      "d",
    ),
    after: sticky(String.raw`(?= now\b| again\b|[\s.,;!)]{0,4}(?:\n|$)|[.,;!)])`),
    certainty: "stated",
  },
  // Lists and calls: `("password", "v")`, `["--password", "v"]`, `setPassword("v")`.
  {
    first: "\\\"'`",
    before: /[([]\s{0,8}\\*["'`](?:--?)?$/,
    after: sticky(Q, String.raw`\s{0,8}(?:,|=>)\s{0,8}`, QUOTED),
    certainty: "look",
  },
  {
    first: "\\\"'`",
    before: /["'`]--?$/,
    after: sticky(Q, String.raw`\s{0,8},\s{0,8}`, QUOTED),
    certainty: "look",
  },
  { first: "\\\"'`", before: /["'`]$/, after: sticky(Q, String.raw`\s{0,8},\s{0,8}`, QUOTED), certainty: "random" },
  { first: "({", after: sticky(String.raw`[({]\s{0,8}`, QUOTED), certainty: "look" },
  { first: ",", after: sticky(",\\s{0,8}<<", QUOTED), certainty: "look" },
  // Fields of pages in tests: `page.fill("#password", "v")`, `page.getByLabel("Password").fill("v")`.
  {
    first: "\\\"'`]",
    before: /\(\s{0,8}\\*["'`](?:[#.]|[a-z]{0,12}\[[a-z-]{2,16}=\\*["']?)?$/,
    after: sticky(
      String.raw`(?:\\*["']?\])?`,
      Q,
      String.raw`\s{0,8}(?:,|\){1,2}(?:\.\w{1,24}\(\)){0,2}\s{0,40}\.`,
      String.raw`(?:fill|type|typeText|pressSequentially|sendKeys|setValue|addValue|val)\()\s{0,8}`,
      String.raw`(?<quote>\\{0,7}["'\`])(?<secret>[^"'\`\s\\«»{}]{6,512})(?:\{\w{1,16}\}){0,3}\k<quote>`,
    ),
    certainty: "look",
  },
  {
    first: ",",
    after: sticky(String.raw`,\s{0,8}\{\s{0,8}target:\s{0,8}\{\s{0,8}value:\s{0,8}`, QUOTED),
    certainty: "look",
  },
  // The next argument, or that of the next call: `type("[name=password]", "v")`, `expect(password).toBe("v")`.
  {
    first: "])/\"'`\\",
    after: sticky(
      String.raw`[\]/i]{0,3}(?:`,
      Q,
      String.raw`)?(?:\){0,3},\s{0,8}|\){1,3}\.\w{1,24}\(\s{0,8}|,? with:? )`,
      QUOTED,
    ),
    certainty: "stated",
  },
  // Options of a command: `--password v`, `-token=v`, `- --password` and `- v` in YAML.
  {
    first: "= \t\n\r\"'",
    before: OPTION,
    after: sticky(
      String.raw`(?:=|["']?(?:[ \t]{1,4}|\r?\n[ \t]{0,40}- ))\\*["']?(?!\w{1,32}=)`,
      String.raw`(?<secret>[^\s"'\`<>{}()|\\«»-][^\s"'\`<>{}()|\\«»]{5,511})`,
    ),
    certainty: "look",
  },
  // Variables: `export DB_PASSWORD=v`, `ENV DB_PASSWORD v`, `proxy_set_header X-Api-Key "v"`.
  {
    first: "=",
    before: VARIABLE,
    after: sticky(
      String.raw`=(?<quote>\\{0,7}["'])?`,
      String.raw`(?<secret>[^\s"'\`\\$«»<([{][^\s"'\`\\«»]{5,511}?)(?:\k<quote>)?(?=[\s"'\\]|;?$)`,
    ),
    certainty: "line",
  },
  {
    first: " \t'\"",
    before: COMMAND,
    after: sticky(
      String.raw`["']?[ \t]{1,8}(?:--?[a-z][\w-]{0,31}[ \t=]{1,4})?\\*["']?`,
      String.raw`(?<secret>[^\s"'\`<>\\«»$-][^\s"'\`<>\\«»]{5,511})`,
    ),
    certainty: "line",
  },
  // `name = value`, also with the name of a type: `password: string = "v"`.
  {
    first: "=!:-~<?+* (]\\\"'`\t[}→›",
    after: sticky(NAME_END, GAP, ASSIGN, GAP, VALUE_START, "(?:", QUOTED, "|", BARE, ")"),
    certainty: "look",
  },
  {
    first: ":",
    after: sticky(String.raw`: {0,2}[&'\w.<>[\]| ]{1,32}? {0,2}= {0,2}`, QUOTED),
    certainty: "look",
  },
  { first: " ", after: sticky(String.raw` (?:\?\?|\|\||or) `, QUOTED), certainty: "look" },
  // A block of YAML or TOML, a value on the next line.
  {
    first: "\"': =",
    after: sticky(
      String.raw`["']? ?(?:: ?(?:[|>][+-]?)?|= ?"""|:?)[ \t]*(?:\r?\n|\\+n)`,
      String.raw`(?:[ \t]{0,20}|(?:\\+t|\\+n){1,4})(?<secret>[^\s"'\\«»]{6,4096})`,
    ),
    certainty: "stated",
  },
  // `Use this password to continue:`, a blank line, and a line with the value alone.
  {
    first: " :",
    after: sticky(
      String.raw`(?: [\w.@'-]{1,40}){0,8}:[ \t]{0,16}(?:\r?\n[ \t]{0,16}){2,3}`,
      String.raw`(?<secret>[^\s"'\\«»]{8,4096})[ \t]{0,16}(?=\r?\n|$)`,
    ),
    certainty: "random",
  },
  { first: "\n\r", after: sticky(String.raw`\r?\n\s{0,40}(?<secret>[^\s"'\\«»]{6,4096})`), certainty: "random" },
  // `password 'v'`, `password “v”`, `password v`, `password is v`, `| password | v |`.
  { first: " \t", after: sticky(String.raw`[ \t]{1,24}`, QUOTED), certainty: "stated" },
  { first: " ", after: sticky(String.raw` ${OPENED}`, IN_PROSE), certainty: "stated" },
  {
    first: " \t\"'`*",
    after: sticky(
      // `the password for the staging database is`, `the key that we use is`, `my password, it used to be`.
      String.raw`\\*["'\`*]{0,2}(?: \([^()\n]{1,80}\))?(?:,?(?: [^\s,;:=|"\`(){}<>«»]{1,40}){1,8})??,?[ \t]{1,4}`,
      String.raw`(?:is|was|are|be|been|as|to|with|equals|=|[-—–→›]|ist|lautet|est|es|é|è|e|jest|to|je|är|er|on|là)`,
      String.raw`(?: (?:now|still|just|[a-z]{2,10} to))?:?[ \t]{1,4}(?:\\*["'\`*]{0,2}|${OPENED})`,
      IN_PROSE,
    ),
    certainty: "stated",
  },
  {
    first: " \t\"'`*|",
    after: sticky(
      String.raw`\\*["'\`*]{0,2}[ \t]{0,16}(?:\||\t)[ \t]{0,16}["'\`*]{0,2}(?<secret>[^\s"'\`\\«»*|]{6,512})`,
    ),
    certainty: "stated",
  },
  // `the key (v)`, `the password's v`.
  { first: " ", after: sticky(String.raw` \((?<secret>[^\s()"'«»]{6,256})\)`), certainty: "stated" },
  { first: "'’", after: sticky("['’]s ", IN_PROSE), certainty: "stated" },
  // `, password v`, `with the password v`, and at the start of a line.
  {
    first: " ",
    before: new RegExp(
      String.raw`(?:[,;:]|(?<![\w\u00c0-\u04ff])(?:with|and|the|use|using|my|your|our|old|new|enter|type|` +
        String.raw`mit|dem|das|la|el|le|il|con|tu|su|votre|mon|minha|sua|het|mijn|ваш|мой)(?: [\w-]{1,16}){0,2}) $|` +
        String.raw`(?:^|\n)[ \t]{0,16}$`,
    ),
    after: sticky(" ", IN_PROSE),
    certainty: "stated",
  },
  { first: " \t,", after: sticky(String.raw`(?:,[ \t]?|[ \t]{1,24}(?:\d )?)`, IN_PROSE), certainty: "random" },
  // `密码:v`, `密码已改为 v`, `密码（v）`, `パスワードは v`.
  {
    first: ":是为為はがを는은이已改设設(",
    after: sticky(
      String.raw`(?:已?[更修重]?[改设設置]置?[成为為]?|[:是为為はがを는은이]|(?<=[^\0-\u024f])(?=\())\s{0,4}[「『“"'《(]?`,
      String.raw`(?<secret>(?:[!-&*-~]|[()](?=[A-Za-z0-9])){6,512})`,
    ),
    certainty: "stated",
  },
  // `/reset/password/v`.
  {
    first: "/",
    before: /\/$/,
    after: sticky(String.raw`\/(?<secret>[\w.~%-]{12,256})(?=[/?#\s"'&)]|$)`),
    certainty: "random",
  },
];

const BY_FIRST: ReadonlyMap<string, readonly ValueForm[]> = new Map(
  Array.from(new Set(VALUE_FORMS.flatMap(({ first }) => Array.from(first))), (character) => [
    character,
    VALUE_FORMS.filter(({ first }) => first.includes(character)),
  ]),
);

/** The forms that a name with this character after it may have. */
export function formsBefore(character: string): readonly ValueForm[] {
  return BY_FIRST.get(character) ?? [];
}
