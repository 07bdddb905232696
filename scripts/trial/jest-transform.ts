/** A Jest transform that only takes the types away: enough for a trial, and no further dependency. */
export const TRANSFORM = `const ts = require("typescript");

const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
exports.process = (text, fileName) => ({ code: ts.transpileModule(text, { fileName, compilerOptions }).outputText });
`;
