import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { parseConfig } from '../../grid/column-type/parse-config.js';
import { stateOf } from '../../grid/columns/column-state.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { recordVersion } from '../../grid/shared/record-version.js';
import {
  findConfiguration,
  replaceConfiguration,
  type ScoreConfiguration,
  verdictColumns,
} from '../../scoring/index.js';
import { lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { MAX_STEPS, readAggregation } from './given-scorecard.js';
import { type ScorecardStep, stepsOf } from './plan-calculation.js';
import type { Scorecard } from './scorecard.entity.js';
import type { SkippedScore } from './scorecards.dto.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { ScorecardsService, type ScorecardView } from './scorecards.service.js';
import { isPrimitive, type PreparedStep, type StepPlace } from './step-columns.js';
import { findScorecard } from './stored-scorecard.queries.js';

export interface MigratedScore {
  view: ScorecardView | null;
  /** Number of added steps. */
  converted: number;
  skipped: SkippedScore[];
  isDeleted: boolean;
  version: number;
}

const NAME = 'Migrated score';

/** Converts the configured scores of sheets to scorecards. */
@Injectable()
export class MigrationsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly scorecards: ScorecardsService,
  ) {}

  /** Adds a step for each scored column without one. Throws legacy_score_missing. */
  migrate(caller: Caller, path: SheetPath, deletesScore: boolean): Promise<MigratedScore> {
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const configuration = await findConfiguration(tx, sheet);
      if (!configuration) throw ScorecardErrors.legacy_score_missing();
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const before = await findScorecard(tx, sheet);
      const { found, skipped } = convertible(columns, configuration);
      const known = new Set(before?.steps.map(({ backingColumnId }) => backingColumnId));
      const fresh = found.filter(({ id }) => !known.has(id));
      const place = { types: this.types, sheet, columns, existing: before?.steps ?? [] };
      const written = fresh.length > 0 ? await this.append(tx, caller, place, { before, fresh }) : null;
      const isDeleted = deletesScore && found.length > 0;
      if (isDeleted) {
        const delta = { type: 'score.delete', before: { score_type: configuration.scoreType } };
        await recordVersion(tx, sheet, { deltas: [delta], createdBy: caller.keyName });
        await replaceConfiguration(tx, sheet, null);
      }
      const view = written ?? (before && (await this.scorecards.read(tx, sheet, before)));
      return { view, converted: fresh.length, skipped, isDeleted, version: sheet.version };
    });
  }

  private async append(
    tx: EntityManager,
    caller: Caller,
    place: StepPlace,
    { before, fresh }: { before: Scorecard | null; fresh: SheetColumn[] },
  ): Promise<ScorecardView> {
    const { columns } = place;
    const kept = before ? stepsOf(before, columns).map((step) => toKept(columns, step)) : [];
    const next = Math.max(-1, ...kept.map(({ settings }) => settings.orderIndex)) + 1;
    const added = fresh.map((column, at) => toStep(columns, column, next + at));
    if (kept.length + added.length > MAX_STEPS) {
      throw ScorecardErrors.scorecard_invalid('steps', `A scorecard has at most ${MAX_STEPS} steps.`);
    }
    const content = before ?? {
      name: NAME,
      aggregation: readAggregation({}),
      evaluatedColumnIds: [],
      displayConfig: null,
      baselineConfig: null,
    };
    const { name, aggregation, evaluatedColumnIds, displayConfig, baselineConfig } = content;
    return this.scorecards.write(tx, caller, place, {
      before,
      content: { name, aggregation, evaluatedColumnIds, displayConfig, baselineConfig },
      steps: [...kept, ...added],
    });
  }
}

/** An unchanged step. */
function toKept(columns: SheetColumns, { column, settings }: ScorecardStep): PreparedStep {
  return { column, type: columns.type(column), parsed: column.config, state: stateOf(columns, column), settings };
}

/** A step with the config and the sources of a column. */
function toStep(columns: SheetColumns, column: SheetColumn, orderIndex: number): PreparedStep {
  const type = columns.type(column);
  const now = new Date().toISOString();
  return {
    column: null,
    type,
    parsed: parseConfig(type, column.config),
    state: { ...stateOf(columns, column), isOutputColumn: false },
    settings: {
      weight: 1,
      required: false,
      thresholds: null,
      scoreAdapter: null,
      description: null,
      evidenceMode: null,
      orderIndex,
      targetColumnId: null,
      backingColumnId: column.id,
      createdAt: now,
      updatedAt: now,
    },
  };
}

/** The scored columns of a sheet that can be steps, and the reasons why others cannot. */
function convertible(
  columns: SheetColumns,
  { scoreType, config }: ScoreConfiguration,
): { found: SheetColumn[]; skipped: SkippedScore[] } {
  const skip = (reason: SkippedScore['reason'], more: Partial<SkippedScore> = {}): SkippedScore => ({
    reason,
    score_type: scoreType,
    ...more,
  });
  if (scoreType === 'custom') return { found: [], skipped: [skip('custom_code')] };
  const ids = config.column_ids ?? verdictColumns(columns).map(({ id }) => id);
  if (ids.length === 0) return { found: [], skipped: [skip('missing_columns')] };
  const skipped: SkippedScore[] = [];
  const found = ids.flatMap((id) => {
    const column = columns.find(id);
    if (column && canBeStep(columns, column)) return [column];
    const details = column ? { column_id: id, column_name: column.title } : { column_id: id };
    skipped.push(skip(column ? 'unsupported_column_type' : 'column_not_found', details));
    return [];
  });
  return { found, skipped };
}

/** Whether the type of a column may be a step and accepts the column's config. */
function canBeStep(columns: SheetColumns, column: SheetColumn): boolean {
  const type = columns.type(column);
  if (!isPrimitive(type)) return false;
  try {
    parseConfig(type, column.config);
    return true;
  } catch {
    return false;
  }
}
