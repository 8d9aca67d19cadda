import { defineEvent } from '../../events/index.js';

export const RunEvents = {
  finished: defineEvent<{ agent_name: string; agent_id: number; agent_execution_id: number }>(
    'agent_run_finished',
    'A run of a workflow that a client has asked for has ended: every node is final. It may come more than once.',
  ),
};
