import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { DELETION_ROWS } from './deletions/deletion-work.js';
import { WorkspaceDeletion } from './deletions/workspace-deletion.entity.js';
import { WorkspaceDataModule } from './workspace-data.module.js';

defineDomain('workspace-data', {
  holds: 'Everything in a workspace: deleting it, exporting it into an archive, and restoring it',
  uses: ['administration', 'events', 'requests', 'webhooks', 'words'],
  module: (process) => WorkspaceDataModule.for(process),
  entities: [WorkspaceDeletion],
  tags: [],
  readings: { oldestWork: [oldestRow(DELETION_ROWS)] },
});
