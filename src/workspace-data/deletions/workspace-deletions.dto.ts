import { ApiProperty } from '@nestjs/swagger';
import { CreatedAtField, SuccessField } from '../../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  MAX_ID,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { DELETION_STATUSES, type DeletionStatus, type WorkspaceDeletion } from './workspace-deletion.entity.js';
import type { WantedDeletion } from './workspace-deletions.service.js';

@Closed()
export class CreateWorkspaceDeletionRequest {
  @IntegerField({ min: 1, max: MAX_ID, description: 'The workspace to delete.', example: 1 })
  workspace_id: number;

  @BooleanField({
    optional: true,
    default: true,
    description: 'Only count the rows. Send false, and the `name` of the workspace, to delete them.',
    example: true,
  })
  dry_run?: boolean;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 10_000,
    description: 'The name of the workspace, which confirms the deletion. A dry run needs none.',
  })
  name?: string | null;
}

export class WorkspaceDeletionBody {
  @UuidField({ description: 'The id of the deletion.' })
  id: string;

  @IntegerField({ description: 'The workspace that is deleted.' })
  workspace_id: number;

  @TextField({ description: 'The name of the workspace.' })
  name: string;

  @BooleanField({ description: 'True when the rows are only counted.' })
  dry_run: boolean;

  @EnumField(DELETION_STATUSES, { description: 'The state of the deletion. The counts grow until it has ended.' })
  status: DeletionStatus;

  @JsonObjectField({
    values: { type: 'integer' },
    description:
      'The rows that were deleted or counted so far, by the name of their table. Tables without any are missing.',
  })
  counts: Record<string, number>;

  @TextField({ nullable: true, description: 'The reason of a failure; null when there was none.' })
  error_message: string | null;

  @CreatedAtField('the deletion')
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When it ended, in UTC; null while it goes on.' })
  finished_at: string | null;
}

export class WorkspaceDeletionResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => WorkspaceDeletionBody, description: 'The deletion that was started.' })
  workspace_deletion: WorkspaceDeletionBody;
}

export class WorkspaceDeletionsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [WorkspaceDeletionBody],
    description: 'The latest 1,000 deletions and dry runs, newest first.',
  })
  workspace_deletions: WorkspaceDeletionBody[];
}

export const toWantedDeletion = (body: CreateWorkspaceDeletionRequest): WantedDeletion => ({
  workspaceId: body.workspace_id,
  name: body.name ?? null,
  dryRun: body.dry_run ?? true,
});

export function toWorkspaceDeletionBody(deletion: WorkspaceDeletion): WorkspaceDeletionBody {
  const { id, workspaceId, name, dryRun, status, counts, errorMessage, createdAt, finishedAt } = deletion;
  return {
    id,
    workspace_id: workspaceId,
    name,
    dry_run: dryRun,
    status,
    counts,
    error_message: errorMessage,
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}
