import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { REPRICING_ROWS } from './repricing-work.js';
import { Repricing } from './repricing.entity.js';
import { RepricingModule } from './repricing.module.js';

defineDomain('repricing', {
  holds: 'Prices stored calls of a model whose price was set later: request logs, spans and traces',
  uses: ['requests', 'traces'],
  module: (process) => RepricingModule.for(process),
  entities: [Repricing],
  tags: [],
  readings: { oldestWork: [oldestRow(REPRICING_ROWS)] },
});
