/** Loaded before a child's program (`--import`): arms the plan that `VERITEST_FAULT` holds, with a real SIGKILL. */
import { armFault } from "./fault-fs.ts";
import { isFaultPlan } from "./fault-plan.ts";

const plan: unknown = JSON.parse(process.env["VERITEST_FAULT"] ?? "null");
if (isFaultPlan(plan)) armFault(plan, { death: "signal" });
