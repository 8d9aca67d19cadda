import { type EntityManager, In } from 'typeorm';
import { Statement } from '../platform/database/statement.js';
import type { Sheet } from '../grid/shared/sheet.entity.js';
import type { ScoreConfiguration } from './score-configuration.entity.js';
import { configurationsAt } from './score-configurations.queries.js';
import { VersionScore } from './version-score.entity.js';

/** The scores of versions and their configurations, by version number. */
export interface VersionScores {
  scores: Map<number, VersionScore>;
  configurations: Map<number, ScoreConfiguration>;
}

const ATTACH = new Statement(`
  INSERT INTO version_scores (workspace_id, sheet_id, version, score, score_type, source, calculated_at)
  VALUES ($1, $2, $3, $4, $5, $6, now())
  ON CONFLICT (workspace_id, sheet_id, version) DO UPDATE SET
    score = excluded.score, score_type = excluded.score_type, source = excluded.source, calculated_at = excluded.calculated_at`);

/** Attaches a score to the version that it was calculated from, in place of any earlier one. */
export async function attachScore(
  tx: EntityManager,
  { workspaceId, id, version }: Sheet,
  { score, scoreType, source }: { score: number | null } & Pick<VersionScore, 'scoreType' | 'source'>,
): Promise<void> {
  if (score !== null) await ATTACH.run(tx, [workspaceId, id, version, score, scoreType, source]);
}

/** The scores of some versions of a sheet, with the settings at that time. */
export async function readVersionScores(
  tx: EntityManager,
  sheet: Pick<Sheet, 'workspaceId' | 'id'>,
  versions: number[],
): Promise<VersionScores> {
  if (versions.length === 0) return { scores: new Map(), configurations: new Map() };
  const { workspaceId, id: sheetId } = sheet;
  const scores = await tx.findBy(VersionScore, { workspaceId, sheetId, version: In(versions) });
  return {
    scores: new Map(scores.map((score) => [score.version, score])),
    configurations: await configurationsAt(tx, sheet, versions),
  };
}
