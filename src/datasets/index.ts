export { type DatasetUserPlugin, UsesDatasets, type VersionInMaking } from './dataset-users.js';
export { DatasetGroup, DatasetVersion } from './dataset.entity.js';
export { CopyToTableRequest, CopyToTableResponse } from './listing/datasets.dto.js';
export { DatasetErrors } from './datasets.errors.js';
export { DatasetsModule } from './datasets.module.js';
export { eraseDatasetFilters } from './versions/erase-filters.queries.js';
export { DatasetRefreshService } from './versions/dataset-refresh.service.js';
export { findLatest, getGroup, getVersion, holdGroup } from './versions/version.queries.js';
