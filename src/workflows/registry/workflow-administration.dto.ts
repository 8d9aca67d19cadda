import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../../access/index.js';
import { DateTimeField, IntegerField, ListField, MAX_ID, TextField } from '../../platform/http/fields.js';
import { NumberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { TagsField } from './saving.dto.js';
import { WorkflowLabelBody } from './workflows.dto.js';
import type { VersionHead, WorkflowChange } from './workflows.service.js';

export class ManagedWorkflowPath extends WorkspacePath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  workflow_id: number;
}

export class ManagedWorkflowLabelPath extends ManagedWorkflowPath {
  @TextField({ query: true, minLength: 1, maxLength: 255 })
  workflow_label: string;
}

@Closed()
export class WorkflowVersionsQuery {
  @PageField()
  page?: number;

  @PerPageField(30)
  per_page?: number;
}

@Closed()
export class UpdateWorkflowRequest {
  @TextField({ optional: true, minLength: 1, maxLength: 255 })
  name?: string;

  @TagsField('In place of all tags that it has; [] clears them.')
  tags?: string[] | null;
}

@Closed()
export class PlaceWorkflowLabelRequest {
  @IntegerField({ min: 1, max: MAX_ID, description: 'The version that the label names from now on.', example: 1 })
  version_number: number;
}

export class WorkflowLabelResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => WorkflowLabelBody })
  label: WorkflowLabelBody;
}

export class WorkflowDeletedResponse {
  @ApiProperty({ example: true })
  success: true;
}

class WorkflowVersionHeadBody {
  @IntegerField()
  workflow_version_id: number;

  @IntegerField()
  version_number: number;

  @TextField({ nullable: true })
  commit_message: string | null;

  @ListField('string')
  release_labels: string[];

  @IntegerField({ nullable: true, description: 'The API key that saved it.' })
  created_by: number | null;

  @DateTimeField()
  created_at: string;
}

export class WorkflowVersionsResponse extends NumberedPage {
  @ApiProperty({ type: () => [WorkflowVersionHeadBody], description: 'The newest first.' })
  items: WorkflowVersionHeadBody[];
}

export const toWorkflowChange = ({ name, tags }: UpdateWorkflowRequest): WorkflowChange => ({
  name: name?.trim(),
  tags: tags ?? undefined,
});

export const toVersionHeadBody = (version: VersionHead): WorkflowVersionHeadBody => ({
  workflow_version_id: version.id,
  version_number: version.number,
  commit_message: version.commitMessage,
  release_labels: version.labels,
  created_by: version.createdBy,
  created_at: version.createdAt.toISOString(),
});
