import { defineErrors } from '../../platform/errors/problem.js';
import { describeFaults } from '../shared/workflows.errors.js';

export const RunErrors = defineErrors({
  workflow_run_not_found: {
    status: 404,
    message: (id: number) => `Workflow execution ${id} was not found in this workspace.`,
  },
  workflow_node_not_found: {
    status: 404,
    message: (node: string) => `The version of the workflow that was run has no node ${node}.`,
  },
  workflow_inputs_invalid: {
    status: 400,
    message: (problems: string[]) => describeFaults(problems),
  },
  workflow_callback_refused: {
    status: 400,
    message: (problem: string) => `This callback_url cannot be called. ${problem}`,
  },
  workflow_not_runnable: {
    status: 400,
    message: (workflow: string, problem: string) => `Workflow ${workflow} cannot be run. ${problem}`,
  },
});
