export { type ResolvedTools, resolveTools } from './resolve-tools.js';
export { type RunnableTool, ToolRunner } from './tool-runner.js';
export type { ToolChanged } from './tool-events.js';
export { ToolsModule } from './tools.module.js';
