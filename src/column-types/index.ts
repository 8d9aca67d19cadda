export { type Iteration, LoopBody, type LoopBodyPlugin, type LoopRow, MAPPINGS } from './loop-body.js';
export { MAX_MODEL_NAME, MODEL_NAME } from './model-name.js';
export { withPromptVersion } from './with-prompt-version.js';
