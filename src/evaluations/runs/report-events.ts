import { defineEvent } from '../../events/index.js';

export const ReportEvents = {
  finished: defineEvent<{ report_id: number; report_name: string }>(
    'report_finished',
    'A run of an evaluation pipeline was completed: every cell is final, and its score is known.',
  ),
};
