export { WorkflowsModule } from './workflows.module.js';
