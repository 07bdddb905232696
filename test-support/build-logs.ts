/** Lines of builds and test runs, without any secret; `#` is a number, `@` a hash, `~` a word of a program. */
const LINES: readonly string[] = [
  "--- PASS: Test~# (0.##s)",
  "=== RUN   Test~/subtest_#",
  "--- FAIL: Test~Auth# (0.##s)",
  "ok  \tgithub.com/acme/~/auth\t0.###s\tcoverage: ##.#% of statements",
  "PASS src/~/token#.test.ts (#.### s)",
  "FAIL src/~/password-reset#.spec.ts > resets the password of user#",
  " ✓ src/~/auth.test.ts (## tests) ###ms",
  "  ✓ keeps the token of session# (# ms)",
  "    × rejects the secret of ~# with status ###",
  "PASS: test_~_token# [##%]",
  "test auth::tests::token_~_# ... ok",
  "tests/test_auth.py::test_password_~# PASSED [ ##%]",
  "[##/###] Building CXX object src/CMakeFiles/~.dir/key_store#.cpp.o",
  "npm warn deprecated @~/keytar@#.#.#: use safeStorage instead",
  "added ### packages, and audited ### packages in ##s",
  "npm http fetch GET 200 https://registry.example.org/~-auth ###ms (cache hit)",
  "+ @acme/~-token-utils#.#.#",
  "#12 [build #/##] RUN --mount=type=secret,id=npmrc npm ci",
  "#12 sha256:@ ##.##MB / ##.##MB #.#s",
  "#13 exporting manifest list sha256:@@@@ done",
  "Step #/## : ENV NODE_VERSION ##.#.#",
  "Step #/## : ARG TOKEN_FILE=/run/secrets/~#",
  "commit @@@@@",
  "Merge pull request ### from acme/fix-token-refresh-#",
  "[INFO] Building ~-auth-service #.#.#-SNAPSHOT [#/##]",
  "[INFO] Tests run: ##, Failures: 0, Errors: 0, Skipped: #, Time elapsed: #.### s - in com.acme.auth.Token~Test#",
  "[WARNING] Parameter 'passphrase' is unknown for plugin 'maven-gpg-plugin:#.#.#:sign'",
  "> Task :auth:compileKotlin UP-TO-DATE",
  "warning: unused variable: `token#` in src/auth/~.rs:##:##",
  "error TS2345: Argument of type 'Token#' is not assignable to parameter of type 'AuthKey~'. src/auth.ts(##,##)",
  "error[E0599]: no method named `secret_key#` found for struct `Key~`",
  "Unexpected token '~#' in JSON at position ###",
  "SyntaxError: Unexpected token } in ~#.json at position ###",
  "auth: oauth2, scope: read:~#, expires_in: ####",
  "cache key: node-modules-linux-x64-@@",
  "Cache restored from key: setup-go-Linux-x64-ubuntu22-go-#.##.#-@@@@",
  "Primary key users_pkey# on table ~_#",
  "CREATE INDEX ix_token_~_# ON tokens (token_id, user_#)",
  "Key (email)=(user#@example.com) already exists.",
  "keys: user:####:session, order:####:items",
  "token count: ####, max_tokens: ####, tokens per second: ##.#",
  "usage: prompt_tokens=#### completion_tokens=### total_tokens=####",
  "trace_id=@@@@ span_id=@@ duration_us=################",
  "ts=17################ seq=################ worker=~-#",
  "order 4############### shipped as parcel 5###############",
  'metric{host="~-#"} 4###############',
  "offset 62################# partition #",
  "id 4### #### #### #### done",
  "PASSED ~# / SKIPPED #",
  "password: required, minimum length ##",
  "password policy: min_length=## rotation=##d",
  "Password strength test# passed",
  "The secret manager ~# started on port ####",
  "secret ~-tls-# created",
  "secret/~-config-v# configured",
  "Using keyring backend ~Keyring#",
  "Signature verified: key ID @@ (~ Release Signing Key #)",
  "gpg: using RSA key @@@@",
  "ssh-keygen: SHA256:@@@@@ ci@~# (ED25519)",
  "Authorization: skipped for health check #",
  "auth=none user=~# status=###",
  "authentication method: publickey# for ~#",
  "Set cookie policy: SameSite=Lax; Max-Age=####",
  "cookie banner v#.#.# loaded in ##ms",
  "pass ##% of ~# cases",
  "passed: ###, failed: #, pass rate: ##.#%",
  "Pass # of #: optimizing chunk ~#",
  "bypass=~# compass=n##",
  "connection ~#: opened in #ms, closed after ####ms",
  "Connection string# parsed for host ~#",
  "credential helper: store# (~)",
  "bearer#: ~ interface up, mtu ####",
  "--token-limit #### --key-size #### --auth-mode ~#",
  "deploying api-key-rotator# to ~-#",
  "[auth-service-#] GET /v1/tokens/#### 200 ##ms",
  "at Object.<anonymous> (src/auth/token#.test.ts:##:##)",
  "    at async verifyToken# (/app/node_modules/~/dist/index#.mjs:####:##)",
  "user:password@~ is an example of a URL's user info #",
  '<testcase name="keeps the token#" classname="auth.Token~" time="0.0##"/>',
  '<property name="java.version" value="##.#.#"/>',
  '<property name="auth.provider" value="~#"/>',
  "| token ~# | ## | passed |",
  "| auth    | step-## | ok |",
  'data: {"type":"token","index":##,"token":" ~#"}',
  '{"level":"info","msg":"token refreshed","user":"~#","ms":##}',
  "key=~# value=## hits=####",
  "GET /search?key=~#&page=## 200",
  "build @@@ of release-## uploaded to s3://~-artifacts-#/builds/@@@.tgz",
  "digest: sha256:@@@@@@@@ size: ####",
  "integrity sha512-@@@@@@@@@@==",
  "chunk-@.js  ##.## kB │ gzip: #.## kB",
  "eslint: no-secrets/no-secrets rule# reported 0 problems",
];

const WORDS = "Parse Render Cache Worker Billing Orders Router Schema Query Mailer Search Ledger".split(" ");

/** About so many characters of logs, the same for the same seed. */
export function buildLogs(size: number, seed: number): string {
  let state = seed >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const hex = (): string => Array.from({ length: 8 }, () => next(16).toString(16)).join("");
  const lines: string[] = [];
  let length = 0;
  while (length < size) {
    const line = (LINES[next(LINES.length)] ?? "").replace(/[#@~]/g, (mark) => {
      if (mark === "#") return String(next(10));
      return mark === "@" ? hex() : (WORDS[next(WORDS.length)] ?? "");
    });
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n");
}
