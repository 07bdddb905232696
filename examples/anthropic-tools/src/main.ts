import { text } from "node:stream/consumers";
import { support } from "./support.ts";

console.log(await support(await text(process.stdin)));
