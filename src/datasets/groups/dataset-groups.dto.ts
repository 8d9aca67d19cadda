import { ApiProperty } from '@nestjs/swagger';
import { ExternalIdBody, ExternalIdsField, ShownExternalIdsField } from '../../external-ids/index.js';
import { OwnWorkspaceField } from '../../folders/index.js';
import { BodyIdField, BodyNameField, MessageField, SuccessField } from '../../platform/http/common-fields.js';
import { DatasetBody, DatasetGroupBody } from '../listing/datasets.dto.js';

export class CreateDatasetGroupRequest {
  @BodyNameField({
    description:
      'The name, unique among the datasets of the workspace; letter case matters. Default: a generated name.',
    example: 'Delivery questions',
  })
  name?: string | null;

  @BodyIdField('The folder to create it in. Default: the top level.')
  folder_id?: number | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class CreateDatasetGroupResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;

  @ApiProperty({ type: () => DatasetGroupBody, description: 'The new group.' })
  dataset_group: DatasetGroupBody;

  @ApiProperty({ type: () => DatasetBody, description: 'The draft of the new group.' })
  dataset: DatasetBody;

  @ShownExternalIdsField()
  external_ids: ExternalIdBody[];
}
