import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { ERASURE_ROWS } from './erasure-work.js';
import { Erasure, ErasureTarget } from './erasure.entity.js';
import { placeOf } from './erasures.service.js';
import { ErasureModule } from './erasure.module.js';

defineDomain('erasure', {
  holds: 'Erases everything about a person, including copies, and proves that nothing is left',
  uses: [
    'administration',
    'datasets',
    'evaluations',
    'events',
    'exports',
    'feeds',
    'registry',
    'requests',
    'reviews',
    'monitors',
    'saved-views',
    'tables',
    'text-search',
    'traces',
    'webhooks',
    'workflows',
  ],
  module: (process) => ErasureModule.for(process),
  entities: [Erasure, ErasureTarget],
  secrets: [
    {
      what: 'erasures under way',
      table: 'erasures',
      column: 'subject',
      placeOf: ({ workspace_id: workspaceId, id }) => placeOf(Number(workspaceId), String(id)),
    },
  ],
  tags: [{ name: 'Erasure', description: 'Erase everything about a person.', order: 182 }],
  readings: { oldestWork: [oldestRow(ERASURE_ROWS)] },
});
