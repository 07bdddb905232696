import { runInThisContext } from "node:vm";

/**
 * Returns the process outside of all sandboxes. Jest gives each test file a copy, whose `getBuiltinModule` answers with
 * Jest's own `node:module`: it can't load ES modules or TypeScript.
 */
export function hostProcess(): NodeJS.Process {
  const host: unknown = runInThisContext("process");
  return isProcess(host) ? host : process;
}

function isProcess(value: unknown): value is NodeJS.Process {
  return typeof Reflect.get(Object(value), "getBuiltinModule") === "function";
}
