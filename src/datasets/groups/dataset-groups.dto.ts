import { ApiProperty } from '@nestjs/swagger';
import { ExternalIdBody, ExternalIdsField } from '../../external-ids/index.js';
import { OwnWorkspaceField } from '../../folders/index.js';
import { IntegerField, MAX_ID, TextField } from '../../platform/http/fields.js';
import { DatasetBody, DatasetGroupBody } from '../listing/datasets.dto.js';

export class CreateDatasetGroupRequest {
  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'Unique among the datasets of the workspace; letter case matters. By default one is made up.',
    example: 'Delivery questions',
  })
  name?: string | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'The folder to create it in. The top level by default.',
  })
  folder_id?: number | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class CreateDatasetGroupResponse {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
  message: string;

  @ApiProperty({ type: () => DatasetGroupBody })
  dataset_group: DatasetGroupBody;

  @ApiProperty({ type: () => DatasetBody, description: 'Its draft.' })
  dataset: DatasetBody;

  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];
}
