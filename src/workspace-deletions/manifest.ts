import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { DELETION_ROWS } from './deletion-work.js';
import { WorkspaceDeletion } from './workspace-deletion.entity.js';
import { WorkspaceDeletionsModule } from './workspace-deletions.module.js';

defineDomain('workspace-deletions', {
  holds: 'Deletes workspaces with all their rows, and counts them before',
  uses: [],
  module: (process) => WorkspaceDeletionsModule.for(process),
  entities: [WorkspaceDeletion],
  tags: [],
  readings: { oldestWork: [oldestRow(DELETION_ROWS)] },
});
