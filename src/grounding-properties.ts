export {
  type PropertyInput,
  type OneChange,
  type OnePipeline,
  type PipelineChain,
  type PipelineProperty,
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
} from "./extras/grounding/properties/pipeline-properties.ts";
export {
  type LoopParts,
  untilIsFixedPoint,
  untilRespectsMax,
} from "./extras/grounding/properties/pipeline-loop-properties.ts";
export { type MakeContext } from "./extras/grounding/properties/pipeline-outcome.ts";
export {
  type JudgedChange,
  type JudgedPipeline,
  verifiedCommutesOnValue,
  verifiedCommutesWholly,
  verifiedKeepsValue,
} from "./extras/grounding/properties/pipeline-verify-properties.ts";
