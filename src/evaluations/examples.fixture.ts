import { completed, contains, newDataset, newReport, startRun } from '../../test/support/evaluations.js';
import type { Examples } from '../../test/support/examples.js';

const UNKNOWN = 999_999;

export default {
  unknown: { report_id: UNKNOWN, report_name: 'no-such-report', report_column_id: UNKNOWN, evaluation_id: UNKNOWN },
  bodies: {
    'PATCH /reports/{report_id}/rename': { name: 'Mine' },
    'POST /reports/{report_id}/run': { name: 'Mine' },
    'PATCH /reports/{report_id}/score-card': { column_names: [] },
    'PATCH /report-columns/{report_column_id}': { report_id: 1, column_type: 'CONTAINS' },
    'POST /reports/{report_id}/external-ids': { source: 'mine', external_id: '1' },
  },
  async create({ me }) {
    const dataset = await newDataset(me, [{ question: 'Hi', answer: 'We refund it.' }]);
    const pipeline = await newReport(me, dataset, [contains('Refund', 'refund')], { name: 'Refunds' });
    await completed(me, await startRun(me, pipeline.id, { name: 'First run' }));
    const run = await startRun(me, pipeline.id, { name: 'Second run' });
    await completed(me, run);
    const column = pipeline.columns.at(-1)!;
    return { report_id: run, report_name: 'Refunds', report_column_id: column.id, evaluation_id: run };
  },
} satisfies Examples;
