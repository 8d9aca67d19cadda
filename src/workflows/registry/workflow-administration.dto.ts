import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../../access/index.js';
import { IntegerField, ListField, MAX_ID, TextField } from '../../platform/http/fields.js';
import { PathIdField, SavedAtField, SuccessField } from '../../platform/http/common-fields.js';
import { NumberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { TagsField } from './saving.dto.js';
import { WorkflowLabelBody } from './workflows.dto.js';
import type { VersionHead, WorkflowChange } from './workflows.service.js';

export class ManagedWorkflowPath extends WorkspacePath {
  @PathIdField('Id of the workflow.')
  workflow_id: number;
}

export class ManagedWorkflowLabelPath extends ManagedWorkflowPath {
  @TextField({
    query: true,
    minLength: 1,
    maxLength: 255,
    description: 'Name of the release label, such as `production`.',
  })
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
  @TextField({ optional: true, minLength: 1, maxLength: 255, description: 'The new name, unique in the workspace.' })
  name?: string;

  @TagsField('New tags, which replace all existing ones. An empty list removes them.')
  tags?: string[] | null;
}

@Closed()
export class PlaceWorkflowLabelRequest {
  @IntegerField({ min: 1, max: MAX_ID, description: 'Number of the version to put the label on.', example: 1 })
  version_number: number;
}

export class WorkflowLabelResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => WorkflowLabelBody, description: 'The label with the version that it is on.' })
  label: WorkflowLabelBody;
}

export class WorkflowDeletedResponse {
  @SuccessField()
  success: true;
}

class WorkflowVersionHeadBody {
  @IntegerField({ description: 'Id of the version.' })
  workflow_version_id: number;

  @IntegerField({ description: 'Number of the version, from 1.' })
  version_number: number;

  @TextField({
    nullable: true,
    description: 'Commit message of the version; null if it has none.',
  })
  commit_message: string | null;

  @ListField('string', { description: 'Release labels of this version, sorted.' })
  release_labels: string[];

  @IntegerField({
    nullable: true,
    description: 'Id of the API key that saved the version; null when it was saved without one.',
  })
  created_by: number | null;

  @SavedAtField()
  created_at: string;
}

export class WorkflowVersionsResponse extends NumberedPage {
  @ApiProperty({ type: () => [WorkflowVersionHeadBody], description: 'The versions of this page, newest first.' })
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
