import { expect, test } from "vitest";
import { abilitiesIn } from "./abilities.ts";

const names = (text: string, file = "a.ts"): readonly string[] => [
  ...new Set(abilitiesIn(`export {};\n${text}`, file).map(({ name }) => name)),
];

test.each<readonly [string, string, readonly string[]]>([
  // Names that show a runner's process, its callers or its loader.
  [
    "times of a file and an event",
    `new File([], "a").lastModified; new Event("a").timeStamp`,
    [".lastModified", ".timeStamp"],
  ],
  ["a cast global", `(globalThis as any)["proc" + "ess"].env`, ["globalThis.process.env"]],
  ["brackets", `process["env"]["VIT" + \`EST\`]`, ["process.env.VITEST"]],
  ["escapes", String.raw`proc\u0065ss["\x65nv"]`, ["process.env"]],
  ["a constant key", `const k = "env"; process[k]`, ["process.env"]],
  ["a computed key", `process[keys.join("")]`, ["process.[…]"]],
  ["an alias", `const g = globalThis; g.x`, ["globalThis", "globalThis.x"]],
  ["an alias by an assignment", `let g; g = globalThis;`, ["globalThis"]],
  ["an alias of an alias", `const { env } = process; const e = env; e.CI`, ["process.env", "process.env.CI"]],
  ["an alias in a default", `const f = ({ p = process }) => p;`, ["process"]],
  [
    "a hoisted use of an alias",
    `function f() { return env.X; } const env = process.env;`,
    ["process.env.X", "process.env"],
  ],
  ["an import", `import { env } from "node:process"; env.CI`, ["node:process.env.CI"]],
  ["an import without a prefix", `import p from "process"; p.env`, ["node:process.env"]],
  ["an export from", `export { env } from "node:process"`, ["node:process.env"]],
  ["an export of all", `export * from "node:process"`, ["node:process"]],
  ["an import of TypeScript", `import p = require("process"); p.env`, ["node:process.env"]],
  ["an alias of TypeScript", `import e = process.env;`, ["import ="]],
  ["a dynamic import", `(await import("node:" + "os")).hostname()`, ["node:os.hostname"]],
  ["a computed import", "await import(name)", ["import(…)"]],
  ["a loop over a global", `for (const k in globalThis) f(k)`, ["globalThis"]],
  ["typeof", `typeof window`, ["window"]],
  ["a name of a type", `import type { process } from "./a"; process.env`, ["process.env"]],
  ["a declared name", `declare const process: { env: object }; process.env`, ["process.env"]],
  ["a namespace without code", `namespace process { export type A = 1 } process.env`, ["process.env"]],
  ["a name of another function", `function f(process) {} process.env`, ["process.env"]],
  ["a name of a body", `function f(a = process.env) { var process = 1; }`, ["process.env"]],
  ["a property without a name", `f({ process })`, ["process"]],
  ["the module", `import.meta.env.MODE`, ["import.meta.env.MODE"]],
  ["an error's stack", `new Error("a").stack`, [".stack"]],
  ["an error's stack by its key", `new Error("a")["sta" + "ck"]`, [".stack"]],
  ["an error's stack by a pattern", `const { stack } = new Error("a")`, [".stack"]],
  ["a computed member of an error", `try { f() } catch (e) { e[k] }`, [".[…]"]],
  ["the stack's preparation", `Error.prepareStackTrace = f`, ["Error.prepareStackTrace ="]],
  ["a time", `new Date(); Date.now()`, ["Date", "Date.now"]],
  ["a time as a text", `new Intl.DateTimeFormat("en").format()`, ["Intl.DateTimeFormat"]],
  ["an export that a dynamic import calls", `export function then(resolve) {}`, ["an export named then"]],
  ["an export by another name", `const a = 1; export { a as then };`, ["an export named then"]],
  ["a name that a loader gives", `import rate from "./rate"; rate.name`, ["./rate.default.name"]],
  ["timers", `setTimeout(f, 1)`, ["setTimeout"]],
  ["arguments of the module", `arguments.length`, ["arguments.length"]],
  ["a folder", `import { resolve } from "node:path"; resolve("")`, ['node:path.resolve("")']],
  ["a source", "String(() => 1); function g() {} `${g}`; g.toString()", [".toString of a function"]],
  [
    "code in a text",
    `Function("return 1")(); eval("1"); (() => 1).constructor("a")`,
    ["Function", "eval", ".constructor"],
  ],
  ["texts of codes", `String.fromCharCode(112); atob("a")`, ["String.fromCharCode", "atob"]],
  [
    "a file",
    `import fs from "fs"; fs.readFileSync("/proc/self/cmdline")`,
    ['node:fs.readFileSync("/proc/self/cmdline")'],
  ],
  ["an unknown global", "__vitest_worker__", ["__vitest_worker__"]],
  ["an element", "const a = <process.env.X />", ["process.env.X"]],
  // Code that forges results.
  ["a symbol of the process", `Symbol.for("expect-global")`, ["Symbol.for"]],
  ["a built-in function", `(Object as any).is = () => true`, ["Object.is ="]],
  ["an alias of a class", `const O = Object; O.is = f`, ["Object", "Object.is ="]],
  ["a target of a pattern", `[Object.is] = [f]; ({ a: Array.isArray } = b)`, ["Object.is =", "Array.isArray ="]],
  ["a target of a loop", `for (JSON.stringify of [f]);`, ["JSON.stringify ="]],
  ["a prototype", `const { prototype: p } = Array; p.map = f`, ["Array.prototype", "Array.prototype.map ="]],
  ["the prototype of a value", `[].__proto__.map = f`, [".__proto__"]],
  [
    "an argument that changes",
    `Object.assign(JSON, {}); Object.defineProperty(Object, "is", {})`,
    ["JSON =", "Object.defineProperty", "Object ="],
  ],
  ["a module's object", `import { config } from "./a"; config.b = 1`, ["./a.config.b ="]],
  ["a module's object by an alias", `import a from "./a"; const b = a; b.c.d++`, ["./a.default.c.d ="]],
  ["a value that equals all", `({ ["asymmetric" + "Match"]: () => true })`, [".asymmetricMatch"]],
  ["a method that equals all", `class A { asymmetricMatch() {} }`, [".asymmetricMatch"]],
  ["another factory", "/** @jsxImportSource ./x */", ["@jsxImportSource ./x"]],
  ["code that can't be parsed", "a b c", ["code that veritest can't parse (Unexpected token (2:2))"]],
])("an ability is %s", (_what, text, expected) => {
  expect(names(text, text.includes("<process") ? "a.tsx" : "a.ts")).toEqual(expect.arrayContaining([...expected]));
});

// Each lists abilities of one kind only, besides imports.
test.each<readonly [string, string, string]>([
  ["a computed key of an import", `import { f } from "./f"; const k = ["con", "structor"].join(""); f[k]`, ".[…]"],
  ["an unknown key of an import", `import { f } from "./f"; const g = (k) => f[k];`, ".[…]"],
  ["an unknown key of an alias", `function f() {} const g = f; const h = (k) => g[k];`, ".[…]"],
  ["a computed key of a pattern", `import { f } from "./f"; const h = (k) => { const { [k]: m } = f; };`, ".[…]"],
  ["a computed key of an assigned pattern", `class A {} let m; const h = (k) => { ({ [k]: m } = A); };`, ".[…]"],
  ["a hidden key of any value", `const h = (a) => a["rotcurtsnoc".split("").reverse().join("")];`, ".[…]"],
  ["a hidden key of a target", `const k = "IS".toLowerCase(); const h = (a) => { a[k] = () => true; };`, ".[…]"],
  ["a call of a member of a member", `const h = (a, k) => a[k][k]("return 1");`, ".[…]"],
  ["such a call in two steps", `const h = (a, k) => { const b = a[k]; const c = b[k]; c("return 1"); };`, ".[…]"],
  ["a method with a hidden name", `const k = ["a", "b"].join(""); class A { [k]() { return true; } }`, ".[…]"],
  ["a method with an unknown name", `const h = (k) => ({ [k]: () => true });`, ".[…]"],
  ["a source in a pattern's test", `function f() {} /a/.test(f as any);`, ".toString of a function"],
  ["a source as a key", `function f() {} Object.keys({ [f as any]: 1 });`, ".toString of a function"],
  ["a source in a sum", `import { f } from "./f"; f(1); f + "";`, ".toString of a function"],
  ["a source in a list", "const f = () => 1; const g = f; `${[g]}`; [g].join();", ".toString of a function"],
  ["a source in a text", `class A {} String(A); "a".includes(A); new Error(A); A == "a";`, ".toString of a function"],
  ["a whole module", `import * as a from "./a"; Object.keys(a);`, "./a.*"],
  ["an alias of a module", `import * as a from "./a"; const b = a;`, "./a.*"],
  ["an export that a module lacks", `import * as a from "./a"; (a as any).nope();`, "an import as any"],
  ["a member that an import lacks", `import { a } from "./a"; (a as any).nope; (a as any)();`, "an import as any"],
])("code is disguised by %s", (_what, text, expected) => {
  const found = abilitiesIn(`export {};\n${text}`, "a.ts").filter(({ isImport }) => !isImport);
  expect([...new Set(found.map(({ name }) => name))]).toEqual([expected]);
});

test("a script's `this` and a loader's functions are abilities", () => {
  const text = `const v = require("vi" + "test"); require(1 + x); require.cache; module.parent; (function () { return this; })();`;
  expect(abilitiesIn(text, "a.js").map(({ name }) => name)).toEqual([
    "vitest",
    "require",
    "x",
    "require.cache",
    "module.parent",
    "this",
  ]);
});

test.each<readonly [string, string]>([
  ["pure code", "export const f = (a: number[]) => Math.max(...a.map(Number)) + JSON.parse('1').length;"],
  [
    "collections",
    "const m = new Map<string, Set<string>>(); m.get('a'); Object.keys({}).filter(Boolean); Array.from(m);",
  ],
  [
    "errors",
    "class E extends Error { constructor(m: string) { super(m); } } try { f(); } catch (e) { if (e instanceof E) throw new TypeError(e.message); } function f() {}",
  ],
  ["a given time", "const d = new Date(2020, 1); d.getTime(); Date.UTC(1);"],
  [
    "names of globals",
    "function f(process: string, { window }: { window: number }) { const document = 1; return process + window + document; }",
  ],
  [
    "types",
    "type A = typeof process.env; const a = (b: A): b is typeof globalThis => true; let x: NodeJS.ProcessEnv; x satisfies A;",
  ],
  [
    "a handler",
    "import express from 'express'; export const app = express(); app.get('/a', async (req, res) => { console.log(req.url); res.json({ [req.params.id]: await Promise.all([]) }); });",
  ],
  ["CommonJS", "const { join } = require('path'); exports.a = () => join('a', 'b'); module.exports.b = 1;"],
  [
    "an own class",
    "class A { #b = 1; static c = new A(); get d() { return this.#b; } [Symbol.iterator]() { return [].values(); } }",
  ],
  [
    "a lookup",
    "import { RULES } from './rules'; export const f = (k: string, i: number) => RULES[k]?.[i] ?? { a: 1 }[k];",
  ],
  [
    "computed keys",
    "import { items } from './items'; import styles from './a.css'; const LOST = Symbol('lost'); export const f = (a: any, k: string) => { for (let i = 0; i < 9; i++) items[i]; a.grid[k][k] = 1; a.grid[0][k](1); a[k](1); items[a.length - 1]; styles[k]; const { [k]: b, ...c } = a; return { [LOST]: () => 1, [k]: b, [`a-${k}`]: c, ['a' + 'b']: () => 1 }; };",
  ],
  [
    "texts of values",
    "import { name, fail } from './name'; function g() {} export const f = (a: string, h: string[]) => { fail(g); g === a; h.map(g); /a/.test(a); h.includes(name); return `${name} ${g.name} ${String(name)} ${g()}` + name; };",
  ],
  [
    "modules",
    "import * as all from './all'; export * as other from './other'; export { all }; all.f(all.g); all['h']; new all.A(); const { b } = all; (all.c as any).d; b;",
  ],
  [
    "old ways",
    "Object.prototype.hasOwnProperty.call({}, 'a'); Array.prototype.slice.call([]); loop: for (;;) break loop;",
  ],
])("%s has no ability", (_what, text) => {
  expect(abilitiesIn(text, "a.ts").filter(({ isImport }) => !isImport)).toEqual([]);
});

test("a component has no ability", () => {
  const text = `import React, { useState } from "react";
export function Price({ cents, onBuy }: Props) {
  const [count, setCount] = useState(0);
  return <><p className="a" onClick={() => setCount(count + 1)}>{(cents * count) / 100}</p><React.Fragment key="a"><Buy.Button {...{ onBuy }} /></React.Fragment></>;
}
export const Buy = { Button: ({ onBuy }: Props) => <button onClick={(event) => onBuy(event.target.value)} /> };
`;
  expect(abilitiesIn(text, "price.tsx").map(({ name }) => name)).toEqual(["react"]);
});

test("reads a table of 300,000 numbers", () => {
  expect(names(`export const table = [${"1,".repeat(300_000)}];`)).toEqual([]);
});
