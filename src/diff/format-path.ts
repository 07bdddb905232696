export { formatPath } from "../base/text.ts";
