export { formatPath } from "../base/format-path.ts";
