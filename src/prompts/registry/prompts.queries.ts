import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonObject } from '../../platform/json.js';
import { chooseVersion, type Splits } from '../ab-releases/choose-version.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import type { VersionChoice as Choice } from '../../registry/index.js';
import { PromptRecord, type PromptVersion } from '../shared/prompt.entity.js';
import { PROMPTS } from './prompt.registry.js';

/** Chooses a version of a prompt. */
export interface VersionChoice extends Choice {
  /** Reads the identifier as a name, even if it consists of digits. */
  isName?: boolean;
  /** Metadata for the choice of an A/B release on the label. Without it the label means the version that it points to. */
  routedBy?: JsonObject;
}

export interface ChosenVersion {
  prompt: PromptRecord;
  version: PromptVersion;
}

/** Reads an identifier of digits as an id; null beyond 2^31, where PostgreSQL integers end. */
export function asPromptId(identifier: string): number | null {
  const id = /^\d{1,10}$/.test(identifier) ? Number(identifier) : 0;
  return id > 0 && id < 2 ** 31 ? id : null;
}

interface ChosenRow {
  prompt: string;
  version_found: boolean;
  number: number;
  id: number;
  provider_id: number | null;
  created_by: number | null;
  commit_message: string | null;
  split: Splits['split'] | null;
  segments: Splits['segments'];
  provider_base_url_name: string | null;
  inference_client_name: string | null;
  template: PromptVersion['template'];
  metadata: PromptVersion['metadata'];
  snippet_overrides: PromptVersion['snippetOverrides'];
  created_at: Date;
  p_id: number;
  p_folder_id: number | null;
  p_latest_version: number;
  p_created_by: number | null;
  p_is_snippet: boolean;
  p_type: PromptRecord['type'];
  p_name: string;
  p_tags: string[];
  p_created_at: Date;
  p_updated_at: Date;
}

const CHOOSE = (which: string) => `
  SELECT v.number IS NOT NULL AS version_found, v.number, v.id, v.provider_id, v.created_by, v.commit_message,
         v.provider_base_url_name, v.inference_client_name, v.template, v.metadata, v.snippet_overrides, v.created_at,
         p.id AS p_id, p.folder_id AS p_folder_id, p.latest_version AS p_latest_version, p.created_by AS p_created_by,
         p.is_snippet AS p_is_snippet, p.type AS p_type, p.name AS p_name, p.tags AS p_tags,
         p.created_at AS p_created_at, p.updated_at AS p_updated_at, r.split, r.segments
    FROM (${which}) p
    LEFT JOIN prompt_labels l ON l.workspace_id = $1 AND l.prompt_id = p.id AND normalize(l.name) = normalize($4::text)
    LEFT JOIN ab_releases r ON $5::boolean AND r.workspace_id = $1 AND r.prompt_label_id = l.id
    LEFT JOIN prompt_versions v ON v.workspace_id = $1 AND v.prompt_id = p.id
     AND v.number = CASE WHEN $4::text IS NOT NULL THEN l.version_number ELSE coalesce($3::int, p.latest_version) END
   ORDER BY l.name <> $4::text LIMIT 1`;

const BY_NAME = new Statement<ChosenRow>(
  CHOOSE('SELECT * FROM prompts WHERE workspace_id = $1 AND deleted_at IS NULL AND name = $2'),
);
/** An identifier of digits may be an id or a name. The id takes precedence. */
const BY_ID_OR_NAME = new Statement<ChosenRow>(
  CHOOSE(`SELECT * FROM prompts WHERE workspace_id = $1 AND deleted_at IS NULL AND (id = $2::int OR name = $2::int::text)
           ORDER BY id <> $2::int LIMIT 1`),
);

/**
 * Reads a prompt by its id or name, with the chosen version. Runs one statement, or two if an A/B release chooses.
 * Throws prompt_not_found, prompt_version_not_found and prompt_label_not_found.
 */
export async function getVersion(
  tx: EntityManager,
  workspaceId: number,
  identifier: string,
  choice: VersionChoice,
): Promise<ChosenVersion> {
  // Some clients send an empty label instead of none.
  const [version, label] = [choice.version ?? null, choice.label || null];
  const id = asPromptId(identifier);
  // Leading zeros make a name, never an id.
  const byId = !choice.isName && id !== null && String(id) === identifier;
  const rows = await (byId ? BY_ID_OR_NAME : BY_NAME).run(tx, [
    workspaceId,
    byId ? id : identifier,
    version,
    label,
    choice.routedBy !== undefined,
  ]);
  const [row] = rows;
  if (!row) throw PromptErrors.prompt_not_found(identifier);
  const routed = routedVersion(row, choice.routedBy);
  // Reads by id and without the label, because the A/B release could draw another version.
  if (routed !== row.number) return getVersion(tx, workspaceId, String(row.p_id), { version: routed });
  if (row.version_found) return toChosen(workspaceId, row);
  throw label === null
    ? PromptErrors.prompt_version_not_found(row.p_name, version!)
    : PromptErrors.prompt_label_not_found(row.p_name, label);
}

/** The version that an A/B release on the label chooses. Without a release it is the version that was found. */
function routedVersion({ number, split, segments }: ChosenRow, metadata: JsonObject = {}): number {
  return split ? chooseVersion({ split, segments }, metadata) : number;
}

export interface PromptHead {
  name: string;
  type: PromptRecord['type'];
  isSnippet: boolean;
  tags: string[];
  folderId: number | null;
}

/**
 * Takes the next version number of the prompt with this name, and locks the prompt. Creates the prompt if there is none.
 * Concurrent calls get different numbers: the second waits for the first.
 */
export async function takeVersionOf(
  tx: EntityManager,
  caller: Caller,
  head: PromptHead,
): Promise<{ prompt: PromptRecord; created: boolean }> {
  const [{ id, created }] = await tx.query<[{ id: number; created: boolean }]>(
    `INSERT INTO prompts (workspace_id, name, type, is_snippet, tags, folder_id, created_by, latest_version)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 1)
     ON CONFLICT (workspace_id, name) WHERE deleted_at IS NULL DO UPDATE SET ${NEXT_VERSION}
     RETURNING id, xmax = 0 AS created`,
    [caller.workspaceId, head.name, head.type, head.isSnippet, head.tags, head.folderId, caller.keyId],
  );
  const prompt = await tx.findOneByOrFail(PromptRecord, { workspaceId: caller.workspaceId, id });
  return { prompt, created };
}

/** Update of an existing prompt by a publication. Without tags or a folder the old ones stay. */
const NEXT_VERSION = `
  latest_version = prompts.latest_version + 1, type = excluded.type, updated_at = excluded.updated_at,
  tags = CASE WHEN cardinality(excluded.tags) > 0 THEN excluded.tags ELSE prompts.tags END,
  folder_id = coalesce(excluded.folder_id, prompts.folder_id)`;

/** Takes the next version number of a prompt by its id, and renames it to the name of the head. Throws prompt_name_taken. */
export function takeVersionById(
  tx: EntityManager,
  prompt: PromptRecord,
  head: Partial<PromptHead> & { type: PromptRecord['type'] },
): Promise<PromptRecord> {
  const { name = prompt.name, type, tags = [], folderId = null } = head;
  return PROMPTS.takeNumber(tx, prompt, {
    name,
    type,
    tags: tags.length > 0 ? tags : prompt.tags,
    folderId: folderId ?? prompt.folderId,
  });
}

function toChosen(workspaceId: number, row: ChosenRow): ChosenVersion {
  const prompt = {
    workspaceId,
    id: row.p_id,
    folderId: row.p_folder_id,
    latestVersion: row.p_latest_version,
    createdBy: row.p_created_by,
    isSnippet: row.p_is_snippet,
    type: row.p_type,
    name: row.p_name,
    tags: row.p_tags,
    createdAt: row.p_created_at,
    updatedAt: row.p_updated_at,
    deletedAt: null,
  };
  const version = {
    workspaceId,
    promptId: row.p_id,
    number: row.number,
    id: row.id,
    providerId: row.provider_id,
    createdBy: row.created_by,
    commitMessage: row.commit_message,
    providerBaseUrlName: row.provider_base_url_name,
    inferenceClientName: row.inference_client_name,
    template: row.template,
    metadata: row.metadata,
    snippetOverrides: row.snippet_overrides,
    createdAt: row.created_at,
  };
  return { prompt, version };
}
