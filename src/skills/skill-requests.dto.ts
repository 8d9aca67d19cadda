import { CommonListQuery } from '../entity-lists/index.js';
import { ExternalIdBody, ExternalIdsField } from '../external-ids/index.js';
import { OwnWorkspaceField } from '../folders/index.js';
import { type Detail, ValidationProblem } from '../platform/errors/problem.js';
import { ListField, TextField } from '../platform/http/fields.js';
import { type Archive, unwrapped } from './archives/read-archive.js';
import type { NewCollection } from './collections/skill-collections.service.js';
import type { FileChanges } from './collections/skill-versions.service.js';
import type { FileMove } from './files/change-files.js';
import { providerNamed, type SkillProvider } from './files/layouts.js';
import type { GivenFile } from './files/skill-contents.js';
import { SkillErrors } from './shared/skills.errors.js';
import {
  BodyIdField,
  LabelQueryField,
  NewCommitMessageField,
  VersionQueryField,
} from '../platform/http/common-fields.js';

/** Far more than any plan allows. */
const MOST_FILES = 10_000;

const ProviderField = (description: string) =>
  TextField({ optional: true, nullable: true, maxLength: 100, description, example: 'claude_code' });

export class WorkspaceQuery {
  @OwnWorkspaceField({ query: true })
  workspace_id?: number;
}

export class ListSkillsQuery extends CommonListQuery {
  @OwnWorkspaceField({ query: true })
  workspace_id?: number;
}

export class SkillCollectionPath {
  @TextField({ query: true, minLength: 1, description: 'The id of the collection, its name, or its root path.' })
  skill_collection: string;
}

export class ReadSkillsQuery extends WorkspaceQuery {
  @TextField({
    optional: true,
    query: true,
    maxLength: 100,
    description: 'The format of the response: `json` (default) or `zip`.',
  })
  format?: string;

  @LabelQueryField()
  label?: string;

  @VersionQueryField()
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

  @TextField({
    optional: true,
    nullable: true,
    description: 'The text of the file. Default: empty.',
    example: '# Greet people',
  })
  content?: string | null;
}

export class SkillMoveRequest {
  @TextField({
    optional: true,
    nullable: true,
    description: 'The present path of the file or folder. `from` is accepted as well.',
    example: 'a/SKILL.md',
  })
  old_path?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    description: 'The new path of the file or folder. `to` is accepted as well.',
    example: 'b/SKILL.md',
  })
  new_path?: string | null;

  @TextField({ optional: true, nullable: true, description: 'Another name of `old_path`.' })
  from?: string | null;

  @TextField({ optional: true, nullable: true, description: 'Another name of `new_path`.' })
  to?: string | null;
}

export class CreateSkillCollectionRequest {
  @TextField({
    minLength: 1,
    maxLength: 255,
    description: 'The name of the collection. If it is taken, a number is appended.',
    example: 'support-skills',
  })
  name: string;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 4000,
    description: 'The purpose of the collection, for display.',
  })
  description?: string | null;

  @BodyIdField('The folder to put the collection into. Default: the top level.')
  folder_id?: number | null;

  @ProviderField(
    'The program the files are for: `claude_code`, `openai`, `openclaw` or `universal`. Default: recognised by the paths.',
  )
  provider?: string | null;

  @ListField(() => SkillFileRequest, {
    optional: true,
    nullable: true,
    maxItems: MOST_FILES,
    description: 'The files of the first version. Without files, and without an archive, there is no version yet.',
  })
  files?: SkillFileRequest[] | null;

  @NewCommitMessageField('First version')
  commit_message?: string | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class UpdateSkillCollectionRequest {
  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'The new name, which has to be one that a folder can have. Without it, or with null, the name stays.',
  })
  name?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 4000,
    description: 'The new description; an empty text removes it.',
    example: 'For those who answer customers.',
  })
  description?: string | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class SaveSkillVersionRequest {
  @ListField(() => SkillFileRequest, {
    optional: true,
    nullable: true,
    maxItems: MOST_FILES,
    description: 'Files to add or replace.',
  })
  file_updates?: SkillFileRequest[] | null;

  @ListField(() => SkillMoveRequest, {
    optional: true,
    nullable: true,
    maxItems: MOST_FILES,
    description: 'Files and folders to move, all at once, before any other change.',
  })
  moves?: SkillMoveRequest[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MOST_FILES,
    description: 'Paths of files and folders to delete, after the moves.',
  })
  deletes?: string[] | null;

  @NewCommitMessageField('First version')
  commit_message?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'A release label for the new version. A version that has the label loses it.',
    example: 'production',
  })
  release_label?: string | null;

  @ProviderField('The program the files are for. Default: no change.')
  provider?: string | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
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
