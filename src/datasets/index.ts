export { type DatasetUserPlugin, UsesDatasets, type VersionInMaking } from './shared/dataset-users.js';
export { DatasetGroup, DatasetVersion } from './shared/dataset.entity.js';
export { CopyToTableRequest, CopyToTableResponse, toCopyResponse } from './listing/datasets.dto.js';
export { DatasetErrors } from './shared/datasets.errors.js';
export { DatasetsModule } from './datasets.module.js';
export { eraseDatasetFilters } from './versions/erase-filters.queries.js';
export { DatasetRefreshService } from './versions/dataset-refresh.service.js';
export { findLatest, getGroup, getVersion, holdGroup } from './versions/version.queries.js';
