import { text } from "node:stream/consumers";
import { triage } from "./triage.js";

console.log(await triage(await text(process.stdin)));
