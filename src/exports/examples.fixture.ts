import { type Examples, NOWHERE } from '../../test/support/examples.js';
import { finishedExport } from '../../test/support/exports.js';

export default {
  unknown: { export_id: NOWHERE },
  async create({ me }) {
    return { export_id: (await finishedExport(me, { source: 'requests', format: 'csv' })).id };
  },
} satisfies Examples;
