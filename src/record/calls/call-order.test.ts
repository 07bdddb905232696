import { expect, test } from "vitest";
import type { AdapterCall } from "../adapter-call.ts";
import { orderProblem } from "./call-order.ts";

const call = (adapter: string, fields: Partial<AdapterCall> = {}): AdapterCall => ({
  adapter,
  occurrence: 0,
  returns: "promise",
  request: [],
  response: true,
  ...fields,
});
const confirm = call("user.confirm");
const pay = call("tools.pay");
const { response: _response, ...unanswered } = confirm;
const order = { "tools.pay": { after: ["user.confirm"] } };

test.each<[string, readonly AdapterCall[], object]>([
  ["after the call", [confirm, pay], order],
  ["twice after the call", [confirm, pay, pay], order],
  ["not made", [confirm, call("tools.list")], order],
  ["after one that a pattern names", [call("db.find"), pay], { "tools.*": { after: ["db.*"] } }],
  ["after a call that another one ran with", [confirm, call("tools.list", { parallel: 1 }), pay], order],
  ["after a call, next to another one", [confirm, call("tools.list"), { ...pay, parallel: 1 }], order],
  ["after the second try", [{ ...unanswered, error: { $t: "error" } }, confirm, pay], order],
  ["after several", [call("db.find"), confirm, pay], { "tools.pay": { after: ["user.confirm", "db.find"] } }],
])("accepts a call %s", (_what, calls, rules) => {
  expect(orderProblem(calls, { ...rules })).toBeUndefined();
});

test.each<[string, readonly AdapterCall[]]>([
  ["without the other", [pay]],
  ["before the other", [pay, confirm]],
  ["after one that failed", [{ ...unanswered, error: { $t: "error" } }, pay]],
  ["in parallel to the other", [confirm, { ...pay, parallel: 1 }]],
  ["in parallel to the other and more", [confirm, call("tools.list", { parallel: 1 }), { ...pay, parallel: 2 }]],
  ["in parallel to the second try", [{ ...unanswered, error: {} }, confirm, { ...pay, parallel: 1 }]],
  ["after one without a response", [{ ...unanswered, open: true }, pay]],
  ["after an error of a tool of MCP", [{ ...confirm, response: { isError: true, content: [] } }, pay]],
  ["after a read of a property", [call("user.confirm", { returns: "property" }), pay]],
  ["below the name", [call("tools.pay.card"), confirm].map((each) => each)],
])("reports a call %s as too early", (_what, calls) => {
  expect(orderProblem(calls, order)).toMatch(
    /^tools\.pay(?:\.card)? was called before user\.confirm succeeded, but the step's order requires tools\.pay after user\.confirm\.$/,
  );
});

test("names requests of fetch by method and URL", () => {
  const fetched = (method: string, path: string, status: number = 200): AdapterCall =>
    call("fetch", { request: [{ method, origin: "https://shop.test", path }], response: { status } });
  const rules = { "fetch POST https://shop.test/pay": { after: ["fetch GET https://shop.test/cart"] } };
  expect(orderProblem([fetched("GET", "/cart"), fetched("POST", "/pay")], rules)).toBeUndefined();
  const problem =
    "fetch was called before fetch GET https://shop.test/cart succeeded, but the step's order requires fetch POST https://shop.test/pay " +
    "after fetch GET https://shop.test/cart.";
  expect(orderProblem([fetched("POST", "/pay")], rules)).toBe(problem);
  for (const status of [400, 403, 503])
    expect(orderProblem([fetched("GET", "/cart", status), fetched("POST", "/pay")], rules)).toBe(problem);
  for (const status of [304, 404])
    expect(orderProblem([fetched("GET", "/cart", status), fetched("POST", "/pay")], rules)).toBeUndefined();
});

test("a pattern doesn't apply to the call that must come first", () => {
  const rules = { "tools.*": { after: ["tools.auth"] } };
  expect(orderProblem([call("tools.auth"), call("tools.pay")], rules)).toBeUndefined();
  expect(orderProblem([call("tools.pay"), call("tools.auth")], rules)).toContain(
    "tools.pay was called before tools.auth",
  );
});
