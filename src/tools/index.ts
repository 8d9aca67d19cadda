export { type ResolvedTools, resolveTools } from './resolve-tools.js';
export { type RunnableTool, ToolRunner } from './tool-runner.js';
export { ToolsModule } from './tools.module.js';
