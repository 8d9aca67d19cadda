import type { EntityManager } from 'typeorm';
import { auditAll, type Caller } from '../../access/index.js';
import { emit } from '../../events/index.js';
import { PromptEvents } from '../shared/prompt-events.js';
import type { AbRelease } from './ab-release.entity.js';

/** A release with the label that it is on. */
export type ShownAbRelease = Pick<
  AbRelease,
  'id' | 'promptLabelId' | 'split' | 'segments' | 'createdAt' | 'updatedAt'
> & { promptId: number; promptName: string; labelName: string; baseVersion: number };

const FROM = `
  FROM ab_releases r
  JOIN prompt_labels l ON l.workspace_id = $1 AND l.id = r.prompt_label_id
  JOIN prompts p ON p.workspace_id = $1 AND p.id = l.prompt_id AND p.deleted_at IS NULL
 WHERE r.workspace_id = $1`;

const SHOWN = `
  SELECT r.id, r.prompt_label_id AS "promptLabelId", r.split, r.segments, r.created_at AS "createdAt",
         r.updated_at AS "updatedAt", p.id AS "promptId", p.name AS "promptName", l.name AS "labelName",
         l.version_number AS "baseVersion" ${FROM}`;

/** Null when there is none. */
export async function findAbRelease(
  tx: EntityManager,
  workspaceId: number,
  id: number,
): Promise<ShownAbRelease | null> {
  const [found = null] = await tx.query<ShownAbRelease[]>(`${SHOWN} AND r.id = $2`, [workspaceId, id]);
  return found;
}

/** The newest come first. */
export async function listAbReleases(
  tx: EntityManager,
  workspaceId: number,
  { promptId, limit, offset }: { promptId: number | null; limit: number; offset: number },
): Promise<{ total: number; releases: ShownAbRelease[] }> {
  const matching = 'AND ($2::int IS NULL OR p.id = $2)';
  const [{ total }] = await tx.query<[{ total: number }]>(`SELECT count(*)::int AS total ${FROM} ${matching}`, [
    workspaceId,
    promptId,
  ]);
  const releases = await tx.query<ShownAbRelease[]>(`${SHOWN} ${matching} ORDER BY r.id DESC LIMIT $3 OFFSET $4`, [
    workspaceId,
    promptId,
    limit,
    offset,
  ]);
  return { total, releases };
}

const DELETED = `
  RETURNING r.id AS ab_release_id, l.name AS prompt_template_label, p.id AS prompt_template_id,
            p.name AS prompt_template_name`;

type DeletedRelease = ReturnType<typeof releaseDetails>;

/** Deletes the release on a label, or those on all labels of prompts, and announces it. */
export async function deleteAbReleases(
  tx: EntityManager,
  caller: Caller,
  { labelId = null, promptIds = null }: { labelId?: number | null; promptIds?: string[] | null },
): Promise<void> {
  const [deleted] = await tx.query<[DeletedRelease[], number]>(
    `DELETE FROM ab_releases r USING prompt_labels l, prompts p
      WHERE r.workspace_id = $1 AND l.workspace_id = $1 AND l.id = r.prompt_label_id
        AND p.workspace_id = $1 AND p.id = l.prompt_id AND (l.id = $2 OR l.prompt_id = ANY ($3::int[])) ${DELETED}`,
    [caller.workspaceId, labelId, promptIds],
  );
  await emit(tx, caller, ...deleted.map((details) => PromptEvents.abReleaseDeleted(details)));
  const deeds = deleted.map(({ ab_release_id: entityId, ...details }) => ({
    action: 'ab_release.delete',
    entityId,
    details,
  }));
  await auditAll(tx, caller, deeds);
}

/** Details of a release for events and the audit trail. */
export function releaseDetails(id: number, prompt: { id: number; name: string }, label: { name: string }) {
  return {
    ab_release_id: id,
    prompt_template_id: prompt.id,
    prompt_template_name: prompt.name,
    prompt_template_label: label.name,
  };
}
