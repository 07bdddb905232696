// What a check shows is worded in one place; the command line reaches it by way of the reports.
export { shownCheck } from "../matchers/check-lines.ts";
