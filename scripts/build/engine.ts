// The build replaces this file by the modules that `veritest` and the first check share: see `uponEngine`.
export {};
