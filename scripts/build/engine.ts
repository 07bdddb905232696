/** Name of a file in dist. The build replaces this module by those that `veritest` and the first check share. */
export const NAME = "engine";
