import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { ImportChunk } from './import-chunk.entity.js';
import { ImportOperation } from './import-operation.entity.js';
import { IMPORT_ROWS } from './import-work.js';
import { ImportsModule } from './imports.module.js';

defineDomain('imports', {
  holds: 'Imports into sheets: importers for files and request logs, and the work that writes rows in steps',
  uses: ['grid', 'llm', 'prompts', 'requests', 'storage'],
  module: (process) => ImportsModule.for(process),
  entities: [ImportOperation, ImportChunk],
  readings: { oldestWork: [oldestRow(IMPORT_ROWS)] },
});
