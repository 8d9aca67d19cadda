import { ApiProperty } from '@nestjs/swagger';
import { ExternalIdBody, ShownExternalIdsField } from '../../external-ids/index.js';
import {
  CommitMessageField,
  CreatedAtField,
  FolderIdField,
  SavedAtField,
  SuccessField,
  UpdatedAtField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import {
  BooleanField,
  IntegerField,
  JsonObjectField,
  ListField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import type { ShownVersion } from '../collections/skill-collections.queries.js';
import type { ShownCollection } from '../collections/skill-collections.service.js';

export class SkillCollectionBody {
  @UuidField({ description: 'The id of the skill collection.' })
  id: string;

  @WorkspaceIdField()
  workspace_id: number;

  @FolderIdField('the collection')
  folder_id: number | null;

  @TextField({ description: 'The name as a folder would be called, unique in the workspace.' })
  root_path: string;

  @TextField({ description: 'The name of the collection, unique in the workspace.' })
  name: string;

  @TextField({
    nullable: true,
    description: 'The purpose of the collection, for display; null if it has no description.',
  })
  description: string | null;

  @TextField({
    nullable: true,
    description:
      'The program that the files are for: `claude_code`, `openai`, `openclaw` or `universal`; null if unknown.',
  })
  provider: string | null;

  @BooleanField({ description: 'Always false: deleted collections are not shown.' })
  is_deleted: boolean;

  @IntegerField({
    nullable: true,
    description: 'The API key that created the collection; null if it was created without one.',
  })
  created_by: number | null;

  @CreatedAtField('the collection')
  created_at: string;

  @IntegerField({
    nullable: true,
    description: 'The API key that last changed the collection; null if it was changed without one.',
  })
  updated_by: number | null;

  @UpdatedAtField('the collection')
  updated_at: string;

  @ShownExternalIdsField()
  external_ids: ExternalIdBody[];
}

export class SkillVersionBody {
  @UuidField({ description: 'The id of the version.' })
  id: string;

  @UuidField({ description: 'The skill collection that the version belongs to.' })
  skill_collection_id: string;

  @WorkspaceIdField()
  workspace_id: number;

  @IntegerField({ description: 'The number of the version, counted from 1.' })
  number: number;

  @TextField({ description: 'The `root_path` that the collection had when the version was saved.' })
  root_path_at_version: string;

  @TextField({
    nullable: true,
    description: 'The program that the files of the version are for; null if unknown.',
  })
  provider: string | null;

  @ListField('string', { description: 'The paths of the files, without the folder of the provider.' })
  file_paths: string[];

  @CommitMessageField()
  commit_message: string | null;

  @TextField({ nullable: true, description: 'The release label that the version has; null when it has none.' })
  release_label: string | null;

  @BooleanField({ description: 'Always false: versions are not archived.' })
  archived: boolean;

  @IntegerField({
    nullable: true,
    description: 'The API key that saved the version; null if it was saved without one.',
  })
  created_by: number | null;

  @TextField({
    nullable: true,
    description: 'The e-mail address of the owner of that key; null for a key without one.',
  })
  user_email: string | null;

  @SavedAtField()
  created_at: string;
}

export class SkillCollectionsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [SkillCollectionBody],
    description: 'The skill collections, newest first unless `sort_by` says otherwise.',
  })
  skill_collections: SkillCollectionBody[];
}

export class SkillCollectionResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => SkillCollectionBody, description: 'The skill collection as it is after the request.' })
  skill_collection: SkillCollectionBody;
}

export class SkillCollectionCreatedResponse extends SkillCollectionResponse {
  @ShownExternalIdsField()
  external_ids: ExternalIdBody[];

  @ApiProperty({
    type: () => SkillVersionBody,
    nullable: true,
    description: 'The first version; null for a collection without files.',
  })
  version: SkillVersionBody | null;
}

export class SkillFilesResponse extends SkillCollectionResponse {
  @ApiProperty({
    type: () => SkillVersionBody,
    nullable: true,
    description: 'The version that the files are of; null for a collection without files.',
  })
  version: SkillVersionBody | null;

  @JsonObjectField({
    values: { type: 'string' },
    description:
      'The text of each file by its path, including the folder of the provider. Binary files are only in the ZIP archive.',
  })
  files: Record<string, string>;
}

export class SkillVersionResponse extends SkillCollectionResponse {
  @ApiProperty({ type: () => SkillVersionBody, description: 'The version that was saved.' })
  version: SkillVersionBody;
}

export function toSkillCollectionBody(collection: ShownCollection): SkillCollectionBody {
  return {
    id: collection.id,
    workspace_id: collection.workspaceId,
    folder_id: collection.folderId,
    root_path: collection.rootPath,
    name: collection.name,
    description: collection.description,
    provider: collection.provider,
    is_deleted: collection.deletedAt !== null,
    created_by: collection.createdBy,
    created_at: collection.createdAt.toISOString(),
    updated_by: collection.updatedBy,
    updated_at: collection.updatedAt.toISOString(),
    external_ids: collection.externalIds,
  };
}

export function toSkillVersionBody(version: ShownVersion): SkillVersionBody {
  return {
    id: version.id,
    skill_collection_id: version.collectionId,
    workspace_id: version.workspaceId,
    number: version.number,
    root_path_at_version: version.rootPath,
    provider: version.provider,
    file_paths: version.files.map(({ path }) => path),
    commit_message: version.commitMessage,
    release_label: version.label,
    archived: false,
    created_by: version.createdBy,
    user_email: version.email,
    created_at: version.createdAt.toISOString(),
  };
}

export function toSkillVersionResponse(collection: ShownCollection, version: ShownVersion): SkillVersionResponse {
  return { success: true, skill_collection: toSkillCollectionBody(collection), version: toSkillVersionBody(version) };
}
