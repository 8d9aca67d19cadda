import { ApiProperty } from '@nestjs/swagger';
import { ExternalIdBody, ExternalIdsField, ShownExternalIdsField } from '../external-ids/index.js';
import {
  BodyIdField,
  CreatedAtField,
  PathIdField,
  SuccessField,
  UpdatedAtField,
  WorkspaceIdField,
} from '../platform/http/common-fields.js';
import { IntegerField, TextField } from '../platform/http/fields.js';
import type { Folder } from './shared/folder.entity.js';
import { type Lineage, pathTo } from './shared/folder-tree.js';
import { OwnWorkspaceField } from './shared/own-workspace.js';

export class FolderPath {
  @PathIdField('The id of the folder, as lists and `GET /api/public/v2/folders/resolve-id` show it.')
  folder_id: number;
}

const NameField = (example: string) =>
  TextField({
    minLength: 1,
    maxLength: 255,
    description: 'The name, unique among the folders at its level; letter case matters.',
    example,
  });

export class CreateFolderRequest {
  @NameField('Billing')
  name: string;

  @BodyIdField('The folder to create it in. Default: the top level.')
  parent_id?: number | null;

  @ExternalIdsField({ optional: true, nullable: true, example: [{ source: 'drive', external_id: 'billing-7' }] })
  external_ids?: ExternalIdBody[] | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class RenameFolderRequest {
  @NameField('Customer support')
  name: string;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class ResolveFolderQuery {
  @TextField({
    query: true,
    minLength: 1,
    maxLength: 10_000,
    description:
      'The names of the folders, outermost first, joined with dots or slashes. Names may contain both; a path with dots is tried first. Slashes at the ends do not matter.',
    example: 'Support.Refunds',
  })
  path: string;

  @OwnWorkspaceField({ query: true })
  workspace_id?: number;
}

export class FolderNameBody {
  @IntegerField({ description: 'The id of the folder.' })
  id: number;

  @TextField({ description: 'The name of the folder.' })
  name: string;
}

export class FolderBody {
  @IntegerField({ description: 'The id of the folder.' })
  id: number;

  @WorkspaceIdField()
  workspace_id: number;

  @TextField({ description: 'The name, which is unique among the folders at its level.', example: 'Support' })
  name: string;

  @IntegerField({ nullable: true, description: 'The folder it is in; null at the top level.' })
  parent_id: number | null;

  @ApiProperty({
    type: () => [FolderNameBody],
    nullable: true,
    description: 'The folders above it, outermost first; null at the top level.',
  })
  path: FolderNameBody[] | null;

  @CreatedAtField('the folder')
  created_at: string;

  @UpdatedAtField('the folder')
  updated_at: string;

  @ShownExternalIdsField()
  external_ids: ExternalIdBody[];
}

export class FolderResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => FolderBody, description: 'The folder as it is after the request.' })
  folder: FolderBody;
}

export class FolderIdResponse {
  @IntegerField({ description: 'The id of the folder that the path leads to.' })
  id: number;
}

/** A folder with its data from other tables. */
export interface FolderDetails {
  folder: Folder;
  /** The lineage of its parent. */
  lineage: Lineage;
  externalIds: ExternalIdBody[];
}

export function toFolderResponse({ folder, lineage, externalIds }: FolderDetails): FolderResponse {
  return {
    success: true,
    folder: {
      id: folder.id,
      workspace_id: folder.workspaceId,
      name: folder.name,
      parent_id: folder.parentId,
      path: folder.parentId === null ? null : pathTo(lineage, folder.parentId),
      created_at: folder.createdAt.toISOString(),
      updated_at: folder.updatedAt.toISOString(),
      external_ids: externalIds,
    },
  };
}
