export { eraseRuns, findRowsOfRuns } from './runs/erase-runs.queries.js';
export { WorkflowsModule } from './workflows.module.js';
