import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { type PlannedStep, rowSteps } from './calculation-plan.js';
import { type CompletedCalculation, findBefore, findCompleted, findNamed } from './completed-calculation.js';
import { matchSteps } from './match-steps.js';
import { pairByIndex, type RowPairs } from './pair-rows.js';
import { pairRowsOfSheets } from './pair-sheets.js';
import { CalculationScores, pairedScores } from './paired-scores.queries.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { type Comparison, comparePaired } from './statistics/comparison.js';

export interface ComparedStep {
  step: PlannedStep;
  /** What it was in the calculation that is compared with. */
  other: PlannedStep;
  comparison: Comparison;
}

export interface ComparedCalculations {
  own: CompletedCalculation;
  other: CompletedCalculation;
  /** Titles of the columns that say which rows of two sheets are the same; empty for calculations of one sheet. */
  matchedBy: string[];
  /** Of the scores of whole rows. */
  rows: Comparison;
  steps: ComparedStep[];
  /** Steps that the other calculation does not have. */
  unmatched: PlannedStep[];
}

/** Which calculation is compared, with which other one, and by which columns rows of another sheet are known again. */
export interface AskedComparison {
  id: string;
  /** null for the one that completed before. */
  with: string | null;
  matchBy: string[] | null;
}

/** Tells whether two calculations of scorecards differ by more than chance. */
@Injectable()
export class ComparisonsService {
  constructor(
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
  ) {}

  /**
   * With the one that completed before when no other is named. Throws calculation_not_found, calculation_not_completed,
   * calculation_is_first and calculations_not_comparable.
   */
  compare(caller: Caller, path: SheetPath, asked: AskedComparison): Promise<ComparedCalculations> {
    return this.reading.read(async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const own = await findCompleted(tx, sheet, asked.id);
      const other = asked.with === null ? await findBefore(tx, own) : await findNamed(tx, sheet, asked.with);
      return this.compareCalculations(tx, own, other, asked.matchBy);
    });
  }

  private async compareCalculations(
    tx: EntityManager,
    own: CompletedCalculation,
    other: CompletedCalculation,
    matchBy: string[] | null,
  ): Promise<ComparedCalculations> {
    const [steps, others] = [own, other].map(({ calculation }) => rowSteps(calculation.plan)) as [
      PlannedStep[],
      PlannedStep[],
    ];
    const matches = matchSteps(steps, others);
    if (own.sheet.id !== other.sheet.id && matches.size === 0) throw withoutCommonSteps(steps, others);
    const now = await CalculationScores.read(tx, own.calculation);
    const before = await CalculationScores.read(tx, other.calculation);
    const { pairs, matchedBy } = await this.pairRows(tx, { own, other, now, before, matchBy });
    const compare = async (first: number | null, second: number | null, among: number) => {
      // Rows are many: others have their turn in between.
      await setImmediate();
      const scores = pairedScores(pairs, { scores: before, place: first }, { scores: now, place: second });
      return comparePaired(scores.first, scores.second, { among });
    };
    const compared: ComparedStep[] = [];
    for (const [place, step] of steps.entries()) {
      const match = matches.get(step.id);
      if (!match) continue;
      compared.push({ step, other: match, comparison: await compare(others.indexOf(match), place, matches.size) });
    }
    const unmatched = steps.filter(({ id }) => !matches.has(id));
    return { own, other, matchedBy, rows: await compare(null, null, 1), steps: compared, unmatched };
  }

  private async pairRows(
    tx: EntityManager,
    { own, other, now, before, matchBy }: Pairing,
  ): Promise<{ pairs: RowPairs; matchedBy: string[] }> {
    if (own.sheet.id === other.sheet.id) return { pairs: pairByIndex(before.rows, now.rows), matchedBy: [] };
    const first = { ...other, rows: before.rows };
    return pairRowsOfSheets(tx, this.types, { first, second: { ...own, rows: now.rows }, matchBy });
  }
}

interface Pairing {
  own: CompletedCalculation;
  other: CompletedCalculation;
  now: CalculationScores;
  before: CalculationScores;
  matchBy: string[] | null;
}

function withoutCommonSteps(steps: PlannedStep[], others: PlannedStep[]) {
  const namesOf = (list: PlannedStep[]) => list.map(({ title, type }) => `"${title}" (${type})`).join(', ') || 'none';
  return ScorecardErrors.calculations_not_comparable(
    `Their scorecards have no step of the same title and type. This one has: ${namesOf(steps)}. The other one has: ${namesOf(others)}.`,
  );
}
