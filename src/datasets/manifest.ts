import { defineDomain } from '../platform/domain.js';
import { DatasetGroup, DatasetVersion, DatasetVersionPrompt } from './shared/dataset.entity.js';
import { DatasetsModule } from './datasets.module.js';

const permissions = ['DATASET_CREATE', 'DATASET_EDIT', 'DATASET_DELETE'] as const;

declare module '../access/roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('datasets', {
  holds: 'The older datasets: groups, drafts and versions, each of which is a sheet of the grid',
  uses: [
    'entity-lists',
    'events',
    'external-ids',
    'folders',
    'grid',
    'imports',
    'requests',
    'storage',
    'tables',
    'traces',
  ],
  module: () => DatasetsModule,
  entities: [DatasetGroup, DatasetVersion, DatasetVersionPrompt],
  tags: [
    {
      name: 'Datasets',
      description: 'Versioned lists of rows for evaluations, as older clients know them. Tables do the same and more.',
      order: 158,
    },
  ],
  permissions,
});
