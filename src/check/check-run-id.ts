/** The run id steps see under a check: constant, so that a step that uses it answers the same each time. */
export const CHECK_RUN_ID = "baseline";
