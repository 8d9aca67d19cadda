import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import type { Sheet } from '../grid/sheet.entity.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { type PlannedStep, rowSteps } from './calculation-plan.js';
import { findCalculation, findPrevious } from './calculations.queries.js';
import { matchSteps } from './match-steps.js';
import { readPairedScores, type ScorePlace } from './paired-scores.queries.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { type Comparison, comparePaired } from './statistics/comparison.js';
import { findScorecard } from './stored-scorecard.queries.js';

export interface ComparedStep {
  step: PlannedStep;
  /** What it was in the calculation that is compared with. */
  other: PlannedStep;
  comparison: Comparison;
}

export interface ComparedCalculations {
  calculation: ScorecardCalculation;
  other: ScorecardCalculation;
  /** Of the scores of whole rows. */
  rows: Comparison;
  steps: ComparedStep[];
  /** Steps that the other calculation does not have. */
  unmatched: PlannedStep[];
}

/** Tells whether two calculations of a scorecard differ by more than chance. */
@Injectable()
export class ComparisonsService {
  constructor(private readonly reading: ReadingPool) {}

  /** With the one that completed before when no other is named. Throws calculation_not_found, calculation_not_completed and calculation_is_first. */
  compare(caller: Caller, path: SheetPath, ids: { id: string; with: string | null }): Promise<ComparedCalculations> {
    return this.reading.read(async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const calculation = await findCompleted(tx, sheet, ids.id);
      const other = ids.with === null ? await findPrevious(tx, calculation) : await findCompleted(tx, sheet, ids.with);
      if (!other) throw ScorecardErrors.calculation_is_first(ids.id);
      return compareCalculations(tx, calculation, other);
    });
  }
}

async function findCompleted(tx: EntityManager, sheet: Sheet, id: string): Promise<ScorecardCalculation> {
  const scorecard = await findScorecard(tx, sheet);
  const calculation = scorecard && (await findCalculation(tx, scorecard, id));
  if (!calculation) throw ScorecardErrors.calculation_not_found(id);
  if (calculation.status !== 'completed') throw ScorecardErrors.calculation_not_completed(id);
  return calculation;
}

async function compareCalculations(
  tx: EntityManager,
  calculation: ScorecardCalculation,
  other: ScorecardCalculation,
): Promise<ComparedCalculations> {
  const compare = async (before: number | null, now: number | null, among: number) => {
    const [first, second]: ScorePlace[] = [
      { calculation: other, place: before },
      { calculation, place: now },
    ];
    const scores = await readPairedScores(tx, first!, second!);
    return comparePaired(scores.first, scores.second, { among });
  };
  const [own, others] = [rowSteps(calculation.plan), rowSteps(other.plan)];
  const matches = matchSteps(own, others);
  const steps: ComparedStep[] = [];
  // One after the other: they share a connection.
  for (const [place, step] of own.entries()) {
    const match = matches.get(step.id);
    if (match)
      steps.push({ step, other: match, comparison: await compare(others.indexOf(match), place, matches.size) });
  }
  const unmatched = own.filter(({ id }) => !matches.has(id));
  return { calculation, other, rows: await compare(null, null, 1), steps, unmatched };
}
