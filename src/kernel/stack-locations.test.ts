import { afterEach, expect, test } from "vitest";
import { callerLocation } from "./stack-locations.ts";

const { prepareStackTrace } = Error;
afterEach(() => {
  Error.prepareStackTrace = prepareStackTrace;
});

test.each([
  ["/app/node_modules/sdk/index.js:3:4", "/app/steps/read.ts:7:9"],
  [String.raw`C:\app\node_modules\sdk\index.js:3:4`, String.raw`C:\app\steps\read.ts:7:9`],
])("the caller isn't code of a package: %s", (inPackage, own) => {
  Error.prepareStackTrace = () => `Error\n    at ask (${inPackage})\n    at run (${own})`;
  expect(callerLocation(() => undefined)).toBe(own);
});
