import { expect, test } from "vitest";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { createRoleResolver } from "../../record/calls/infer-role.ts";
import { mayBeModel, undeclaredCalls } from "./undeclared-model.ts";

const search: AdapterCall = {
  adapter: "docs.search",
  occurrence: 0,
  request: ["the terms under which a parcel may be returned to the shop"],
  returns: "value",
  response: "",
};

test.each([
  { roles: {}, isModel: true },
  { roles: { "docs.*": "read" } as const, isModel: false },
  { roles: { "docs.search": "write" } as const, isModel: false },
  { roles: { "docs.search": "model" } as const, isModel: true },
])("a call with prose may be a model's unless a rule declares it ($roles)", ({ roles, isModel }) => {
  const isUndeclared = undeclaredCalls([roles], [search]);
  expect(mayBeModel(search, { roleOf: createRoleResolver(roles), isUndeclared })).toBe(isModel);
});
