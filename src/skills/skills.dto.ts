import { ApiProperty } from '@nestjs/swagger';
import { CommonListQuery } from '../entity-lists/index.js';
import { ExternalIdBody, ExternalIdsField } from '../external-ids/index.js';
import { type Detail, ValidationProblem } from '../platform/errors/problem.js';
import {
  BooleanField,
  DateTimeField,
  IntegerField,
  JsonObjectField,
  ListField,
  MAX_ID,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { type Archive, unwrapped } from './archives/read-archive.js';
import type { NewCollection, ShownCollection, ShownVersion } from './collections/skill-collections.service.js';
import type { FileChanges } from './collections/skill-versions.service.js';
import type { FileMove } from './files/change-files.js';
import { providerNamed, type SkillProvider } from './files/layouts.js';
import type { GivenFile } from './files/skill-contents.js';
import { SkillErrors } from './skills.errors.js';

/** Far more than any plan allows. */
const MOST_FILES = 10_000;

const WorkspaceField = (query: boolean) =>
  IntegerField({
    optional: true,
    nullable: !query,
    query,
    min: 1,
    description: 'The workspace of the API key, which is also the default.',
  });

const ProviderField = (description: string) =>
  TextField({ optional: true, nullable: true, maxLength: 100, description, example: 'claude_code' });

const CommitMessageField = () =>
  TextField({ optional: true, nullable: true, maxLength: 1000, example: 'First version' });

export class WorkspaceQuery {
  @WorkspaceField(true)
  workspace_id?: number;
}

export class ListSkillsQuery extends CommonListQuery {
  @WorkspaceField(true)
  workspace_id?: number;
}

export class SkillCollectionPath {
  @TextField({ query: true, minLength: 1, description: 'The id of the collection, its name, or its root path.' })
  skill_collection: string;
}

export class ReadSkillsQuery extends WorkspaceQuery {
  @TextField({ optional: true, query: true, maxLength: 100, description: '`json`, which is the default, or `zip`.' })
  format?: string;

  @TextField({ optional: true, query: true, maxLength: 255, description: 'A release label, instead of `version`.' })
  label?: string;

  @IntegerField({ optional: true, query: true, min: 1, max: MAX_ID, description: 'By default the latest one.' })
  version?: number;
}

export class SkillFileRequest {
  @TextField({
    description:
      'Relative, with `/` between folders. The folder of the provider may be in it or not. Refused: `.git` as a name in it, `~` at its ' +
      'beginning, `:`, characters that cannot be seen, names of Windows devices such as `NUL`, names that begin or end with a space or ' +
      'end with a dot, and a path that differs from another one in letter case or Unicode form only.',
    example: 'greeting/SKILL.md',
  })
  path: string;

  @TextField({ optional: true, nullable: true, description: 'Empty by default.', example: '# Greet people' })
  content?: string | null;
}

export class SkillMoveRequest {
  @TextField({ optional: true, nullable: true, description: 'Also under the name `from`.', example: 'a/SKILL.md' })
  old_path?: string | null;

  @TextField({ optional: true, nullable: true, description: 'Also under the name `to`.', example: 'b/SKILL.md' })
  new_path?: string | null;

  @TextField({ optional: true, nullable: true })
  from?: string | null;

  @TextField({ optional: true, nullable: true })
  to?: string | null;
}

export class CreateSkillCollectionRequest {
  @TextField({
    minLength: 1,
    maxLength: 255,
    description: 'Where another collection has the name, this one gets a number after it.',
    example: 'support-skills',
  })
  name: string;

  @TextField({ optional: true, nullable: true, maxLength: 4000 })
  description?: string | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_ID, description: 'By default it lies at the top.' })
  folder_id?: number | null;

  @ProviderField(
    'For which program the files are: `claude_code`, `openai`, `openclaw` or `universal`. By default their paths tell.',
  )
  provider?: string | null;

  @ListField(() => SkillFileRequest, { optional: true, nullable: true, maxItems: MOST_FILES })
  files?: SkillFileRequest[] | null;

  @CommitMessageField()
  commit_message?: string | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;

  @WorkspaceField(false)
  workspace_id?: number | null;
}

export class UpdateSkillCollectionRequest {
  @TextField({ optional: true, nullable: true, minLength: 1, maxLength: 255 })
  name?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 4000,
    description: 'An empty text removes it.',
    example: 'For those who answer customers.',
  })
  description?: string | null;

  @WorkspaceField(false)
  workspace_id?: number | null;
}

export class SaveSkillVersionRequest {
  @ListField(() => SkillFileRequest, {
    optional: true,
    nullable: true,
    maxItems: MOST_FILES,
    description: 'Files that are added or replaced.',
  })
  file_updates?: SkillFileRequest[] | null;

  @ListField(() => SkillMoveRequest, {
    optional: true,
    nullable: true,
    maxItems: MOST_FILES,
    description: 'Files and folders that move, all at once, before anything else changes.',
  })
  moves?: SkillMoveRequest[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MOST_FILES,
    description: 'Files and folders that go, after the moves.',
  })
  deletes?: string[] | null;

  @CommitMessageField()
  commit_message?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'It is taken from the version that has it.',
    example: 'production',
  })
  release_label?: string | null;

  @ProviderField('By default it stays as it is.')
  provider?: string | null;

  @WorkspaceField(false)
  workspace_id?: number | null;
}

export class SkillCollectionBody {
  @UuidField()
  id: string;

  @IntegerField()
  workspace_id: number;

  @IntegerField({ nullable: true })
  folder_id: number | null;

  @TextField()
  root_path: string;

  @TextField()
  name: string;

  @TextField({ nullable: true })
  description: string | null;

  @TextField({ nullable: true })
  provider: string | null;

  @BooleanField()
  is_deleted: boolean;

  @IntegerField({ nullable: true, description: 'The API key that created it.' })
  created_by: number | null;

  @DateTimeField()
  created_at: string;

  @IntegerField({ nullable: true })
  updated_by: number | null;

  @DateTimeField()
  updated_at: string;

  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];
}

export class SkillVersionBody {
  @UuidField()
  id: string;

  @UuidField()
  skill_collection_id: string;

  @IntegerField()
  workspace_id: number;

  @IntegerField({ description: 'From 1, without gaps.' })
  number: number;

  @TextField()
  root_path_at_version: string;

  @TextField({ nullable: true })
  provider: string | null;

  @ListField('string', { description: 'Without the folder of the provider.' })
  file_paths: string[];

  @TextField({ nullable: true })
  commit_message: string | null;

  @TextField({ nullable: true })
  release_label: string | null;

  @BooleanField()
  archived: boolean;

  @IntegerField({ nullable: true, description: 'The API key that saved it.' })
  created_by: number | null;

  @TextField({ nullable: true, description: 'Of the owner of that key.' })
  user_email: string | null;

  @DateTimeField()
  created_at: string;
}

export class SkillCollectionsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [SkillCollectionBody] })
  skill_collections: SkillCollectionBody[];
}

export class SkillCollectionResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => SkillCollectionBody })
  skill_collection: SkillCollectionBody;
}

export class SkillCollectionCreatedResponse extends SkillCollectionResponse {
  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];

  @ApiProperty({ type: () => SkillVersionBody, nullable: true, description: 'null for a collection without files.' })
  version: SkillVersionBody | null;
}

export class SkillFilesResponse extends SkillCollectionResponse {
  @ApiProperty({ type: () => SkillVersionBody, nullable: true })
  version: SkillVersionBody | null;

  @JsonObjectField({
    values: { type: 'string' },
    description:
      'The text of each file by its path, with the folder of the provider. Files that are no text are only in the ZIP.',
  })
  files: Record<string, string>;
}

export class SkillVersionResponse extends SkillCollectionResponse {
  @ApiProperty({ type: () => SkillVersionBody })
  version: SkillVersionBody;
}

/** Throws skill_provider_unknown. */
function readProvider(name: string | null | undefined): SkillProvider | null | undefined {
  if (name === null || name === undefined) return undefined;
  const provider = providerNamed(name);
  if (provider === undefined) throw SkillErrors.skill_provider_unknown(name);
  return provider;
}

function toFiles(requests: SkillFileRequest[] | null | undefined): GivenFile[] {
  return (requests ?? []).map(({ path, content }) => {
    const bytes = Buffer.from(content ?? '');
    return { path, size: bytes.length, read: () => bytes };
  });
}

export function toNewCollection(body: CreateSkillCollectionRequest, archive: Archive | null): NewCollection {
  return {
    name: body.name,
    description: body.description || null,
    folderId: body.folder_id ?? null,
    provider: readProvider(body.provider),
    files: [...toFiles(body.files), ...(archive ? unwrapped(archive) : [])],
    commitMessage: body.commit_message || null,
    externalIds: body.external_ids ?? [],
  };
}

export function toFileChanges(body: SaveSkillVersionRequest, archive: Archive | null): FileChanges {
  return {
    files: toFiles(body.file_updates),
    archive,
    moves: (body.moves ?? []).map(toMove),
    deletes: body.deletes ?? [],
    commitMessage: body.commit_message || null,
    label: body.release_label?.trim() ?? null,
    provider: readProvider(body.provider),
  };
}

/** Throws a ValidationProblem where one of the paths is missing. */
function toMove({ old_path, new_path, from, to }: SkillMoveRequest, index: number): FileMove {
  const [first, second] = [old_path ?? from, new_path ?? to];
  const details = [missing(first, index, 'old_path'), missing(second, index, 'new_path')].filter(
    (each) => each !== null,
  );
  if (details.length > 0) throw new ValidationProblem(details);
  return { from: first!, to: second! };
}

function missing(path: string | null | undefined, index: number, field: string): Detail | null {
  if (path !== null && path !== undefined) return null;
  return { loc: ['body', 'moves', index, field], msg: 'Field required', type: 'missing' };
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
