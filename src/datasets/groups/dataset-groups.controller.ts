import { Body, Controller } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { ExternalIdErrors } from '../../external-ids/index.js';
import { assertOwnWorkspace, FolderErrors } from '../../folders/index.js';
import { Deprecated } from '../../platform/http/deprecated.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import { toDatasetBody, toDatasetGroupBody } from '../listing/datasets.dto.js';
import { CreateDatasetGroupRequest, CreateDatasetGroupResponse } from './dataset-groups.dto.js';
import { DatasetGroupsService } from './dataset-groups.service.js';

@ApiTags('Datasets')
@Deprecated('/api/public/v2/tables')
@Controller('api/public/v2/dataset-groups')
export class DatasetGroupsController {
  constructor(private readonly groups: DatasetGroupsService) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Create a dataset with an empty draft.',
    description:
      'Fill the draft with request logs or traces and save it, or create a version from a file. 400 `dataset_group_name_taken`: the name exists; without a name one is generated.',
  })
  @Can('DATASET_CREATE')
  @ApiCreatedResponse({ type: CreateDatasetGroupResponse })
  @Throws(
    FolderErrors.workspace_id_invalid,
    FolderErrors.folder_not_found,
    DatasetErrors.dataset_group_name_taken,
    ExternalIdErrors.external_id_in_use,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateDatasetGroupRequest,
  ): Promise<CreateDatasetGroupResponse> {
    assertOwnWorkspace(caller, body.workspace_id);
    const { name = null, folder_id: folderId = null } = body;
    const externalIds = body.external_ids ?? [];
    const { group, draft } = await this.groups.create(caller, { name, folderId, externalIds });
    return {
      success: true,
      message: 'Dataset group created successfully',
      dataset_group: toDatasetGroupBody(group),
      dataset: toDatasetBody({ version: draft, group, titles: [], externalIds }),
      external_ids: externalIds,
    };
  }
}
