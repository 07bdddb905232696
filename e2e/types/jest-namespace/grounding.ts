import "veritest/grounding/jest";
