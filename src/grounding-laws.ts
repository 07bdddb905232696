export {
  type LawInput,
  type OneChange,
  type OnePipeline,
  type PipelineChain,
  type PipelineLaw,
  type TwoChanges,
  type TwoPipelines,
  associativity,
  branchIsOneSide,
  functorComposition,
  functorIdentity,
  leftIdentity,
  mapIsPureStage,
  neverThrows,
  parallelCommutes,
  rightIdentity,
} from "./extras/grounding/properties/pipeline-laws.ts";
export {
  type LoopParts,
  untilIsFixedPoint,
  untilRespectsMax,
} from "./extras/grounding/properties/pipeline-loop-laws.ts";
export { type MakeContext } from "./extras/grounding/properties/pipeline-outcome.ts";
export {
  type JudgedChange,
  type JudgedPipeline,
  verifiedCommutesOnValue,
  verifiedCommutesWholly,
  verifiedKeepsValue,
} from "./extras/grounding/properties/pipeline-verify-laws.ts";
