import { expect, test } from "vitest";
import { secretField } from "./field-names.ts";

test.each([
  ["Authorization", "always authorization"],
  ["proxy_authorization", "always authorization"],
  ["Set-Cookie", "always cookie"],
  ["dbPassword", "always password"],
  ["PGPASSWORD", "always password"],
  ["clientSecret", "always secret"],
  ["X-Goog-Api-Key", "always key"],
  ["AWSSecretAccessKey", "always key"],
  ["refresh_token", "always token"],
  ["X-Amz-Signature", "always signature"],
  ["token", "by-look token"],
  ["auth", "by-look auth"],
  ["connectionString", "by-look connection-string"],
  ["cookies", "container cookies"],
  ["_csrf", "by-look token"],
  ["PASSWORD_PEPPER", "by-look key"],
  ["sessionSalt", "by-look key"],
])("%s is the name of a secret: %s", (name, expected) => {
  const field = secretField(name);
  expect(`${field?.secrecy} ${field?.kind}`).toBe(expected);
});

test.each([
  "",
  "tokens",
  "max_tokens",
  "tokenCount",
  "nextPageToken",
  "stop_token",
  "key",
  "primaryKey",
  "sort_key",
  "author",
  "authorized",
  "secretary",
  "signature",
  "passenger",
  "keyboard",
  "session_id",
  "__proto__",
])("%s isn't the name of a secret", (name) => {
  expect(secretField(name)).toBe(undefined);
});
