import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ExternalIdsModule } from '../external-ids/index.js';
import { DatasetUsers } from './shared/dataset-users.js';
import { EXTERNAL_ID_TYPE } from './shared/dataset.entity.js';
import { DatasetGroupFolderItem } from './groups/dataset-group.folder-item.js';
import { DatasetGroupsController } from './groups/dataset-groups.controller.js';
import { DatasetGroupsService } from './groups/dataset-groups.service.js';
import { DatasetsController } from './listing/datasets.controller.js';
import { DatasetCopiesService } from './listing/dataset-copies.service.js';
import { DatasetsService } from './listing/datasets.service.js';
import { AddTraceController } from './traces/add-trace.controller.js';
import { DatasetTracesService } from './traces/dataset-traces.service.js';
import { DatasetRefreshService } from './versions/dataset-refresh.service.js';
import { DatasetVersionSheetOwner } from './versions/dataset-version.sheet-owner.js';
import { DatasetVersionsController } from './versions/dataset-versions.controller.js';
import { DraftsService } from './versions/drafts.service.js';
import { VersionImportsService } from './versions/version-imports.service.js';

@Module({
  imports: [
    DiscoveryModule,
    ExternalIdsModule.for({
      type: EXTERNAL_ID_TYPE,
      table: 'dataset_groups',
      softDeleted: true,
      path: 'api/public/v2/dataset-groups/:dataset_group_id',
      idType: 'integer',
      editedWith: /^DATASET_EDIT$/,
      tag: 'Datasets',
    }),
  ],
  controllers: [DatasetGroupsController, DatasetsController, DatasetVersionsController, AddTraceController],
  providers: [
    DatasetGroupsService,
    DatasetsService,
    DatasetCopiesService,
    DraftsService,
    VersionImportsService,
    DatasetRefreshService,
    DatasetTracesService,
    DatasetUsers,
    DatasetVersionSheetOwner,
    DatasetGroupFolderItem,
  ],
  exports: [DatasetRefreshService],
})
export class DatasetsModule {}
