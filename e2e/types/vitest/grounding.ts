import "veritest/grounding/vitest";
