import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type EntityManager, In, IsNull } from 'typeorm';
import type { Sheet } from '../grid/shared/sheet.entity.js';
import { ScoreCalculation } from './score-calculation.entity.js';
import type { ScoreConfig, ScoringType } from './score-config.js';
import { ScoreConfiguration } from './score-configuration.entity.js';

type SheetKey = Pick<Sheet, 'workspaceId' | 'id'>;

/** The current score settings of a sheet; null without any. */
export function findConfiguration(
  tx: EntityManager,
  { workspaceId, id: sheetId }: SheetKey,
): Promise<ScoreConfiguration | null> {
  return tx.findOneBy(ScoreConfiguration, { workspaceId, sheetId, versionTo: IsNull() });
}

/** The configurations at versions of a sheet, by version. */
export async function configurationsAt(
  tx: EntityManager,
  { workspaceId, id: sheetId }: SheetKey,
  versions: number[],
): Promise<Map<number, ScoreConfiguration>> {
  const found = await tx
    .createQueryBuilder(ScoreConfiguration, 'c')
    .where('c.workspaceId = :workspaceId AND c.sheetId = :sheetId', { workspaceId, sheetId })
    .andWhere('c.versionFrom <= :last AND (c.versionTo IS NULL OR c.versionTo > :first)', {
      first: Math.min(...versions),
      last: Math.max(...versions),
    })
    .getMany();
  const at = (version: number) =>
    found.find(({ versionFrom, versionTo }) => versionFrom <= version && (versionTo === null || versionTo > version));
  return new Map(versions.flatMap((version) => (at(version) ? [[version, at(version)!] as const] : [])));
}

/**
 * Sets or deletes the configuration of a locked sheet from its present version on. Calculations with another one end.
 */
export async function replaceConfiguration(
  tx: EntityManager,
  sheet: Sheet,
  next: { scoreType: ScoringType; config: ScoreConfig } | null,
): Promise<ScoreConfiguration | null> {
  const { workspaceId, id: sheetId, version } = sheet;
  await tx.update(ScoreConfiguration, { workspaceId, sheetId, versionTo: IsNull() }, { versionTo: version });
  await tx.update(
    ScoreCalculation,
    { workspaceId, sheetId, status: In(['queued', 'running']) },
    { status: 'cancelled', claim: null },
  );
  if (!next) return null;
  const { scoreType, config } = next;
  const configuration = { workspaceId, sheetId, versionFrom: version, versionTo: null, id: randomUUID() };
  await tx.insert(ScoreConfiguration, { ...configuration, scoreType, config });
  return findConfiguration(tx, sheet);
}

/** Restores the score settings of a locked sheet at one of its versions. */
export async function restoreConfiguration(tx: EntityManager, sheet: Sheet, source: number): Promise<void> {
  const before = await findConfiguration(tx, sheet);
  const after = (await configurationsAt(tx, sheet, [source])).get(source) ?? null;
  const content = (configuration: ScoreConfiguration | null) =>
    configuration && { scoreType: configuration.scoreType, config: configuration.config };
  if (!isDeepStrictEqual(content(before), content(after))) await replaceConfiguration(tx, sheet, content(after));
}
