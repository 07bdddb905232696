const ESC = "\u001b";

/**
 * Texts that a model may answer with and that would do something where they are shown unescaped, by what they attack. A
 * report must show each of them and obey none.
 */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  "colours and clearing": `${ESC}[31mred${ESC}[2J${ESC}[H`,
  "an OSC 8 link": `${ESC}]8;;https://evil.example${ESC}\\click${ESC}]8;;${ESC}\\`,
  "an OSC 52 clipboard": `${ESC}]52;c;ZXZpbA==\u0007`,
  "C1 controls": "\u009b31m\u009d52;c;ZXZpbA==\u009c",
  "bidi controls": "user\u202etxt.exe\u2066hidden\u2069\u200f",
  "invisible characters": "a\u200bb\ufeffc\u00add\u2028e\u2029f",
  "a script element": "<script>globalThis.hacked = true</script>",
  "the end of a script element": '</script><img src=x onerror="globalThis.hacked = true">',
  "a comment and a style": "<!-- --><style>*{display:none}</style><svg/onload=alert(1)>",
  "the end of CDATA": ']]><testcase name="forged"/><![CDATA[',
  entities: "&lt;b&gt; &#x3c;script&#x3e; &amp;nbsp;",
  attributes: '" onmouseover="alert(1)" x=\'`${alert(1)}`',
  "a markdown link": "[click](javascript:alert(1)) [x]: https://evil.example",
  "a markdown image": "![x](https://evil.example/pixel.png?leak)",
  "a mention and an issue": "@octocat @org/team #1 GH-1 org/repo#1",
  "an autolink": "<https://evil.example> www.evil.example https://evil.example",
  "a table's cell": "a | b | c\n| --- | --- |\n| forged | row |",
  "a heading and a rule": "\n# heading\n\n---\n> quote\n- [x] done",
  "a code fence": "```\n~~~\n````\nout of it\n`one` ``two``",
  "a details element": "</details></summary><details open>",
  "a workflow command": "\n::set-output name=x::y\n::error file=a.ts,line=1::forged\n##[error]forged",
  "a workflow command's encoding": "%0A::error::forged%0D%25",
  "carriage returns and backspaces": "good\rbad\b\b\bugly\u007f",
  "a null and other controls": "a\u0000b\u0001c\u000bd\u000ce\u001f",
  "lone surrogates": "\ud800 \udfff \ud83d",
  "a prototype's name": "__proto__ constructor.prototype.polluted",
  "a formula": '=HYPERLINK("https://evil.example")',
  "a path": "../../../etc/passwd C:\\windows\\x",
  "combining marks": `Z${"\u0351\u0320".repeat(200)}`,
  "a very long line": "x".repeat(100_000),
  "very many lines": "line\n".repeat(5000),
};
