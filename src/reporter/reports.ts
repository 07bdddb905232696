// What only runs that write reports load: one module, so that the bundler makes one file.
export { reportRun } from "./run-report.ts";
export { writeReports } from "./write-reports.ts";
