import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { canonicalJson } from '../../grid/column-type/values.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { readColumnsAt } from '../../grid/versions/grid-at-version.queries.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { type PlannedStep, rowSteps } from './calculation-plan.js';
import { type CompletedCalculation, findBefore, findCompleted, findNamed } from './completed-calculation.js';
import { matchSteps } from './match-steps.js';
import { pairRows } from './pair-calculations.js';
import { CalculationScores, pairedScores } from './paired-scores.queries.js';
import { printOf, type ScoredSheet, type ScorerChange, scorerChanges } from './scorer-print.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { type Comparison, comparePaired } from '../../platform/statistics/comparison.js';

export interface ComparedStep {
  step: PlannedStep;
  /** The matching step of the calculation that this one is compared with. */
  other: PlannedStep;
  comparison: Comparison;
  /** Parts in which the scorer changed; empty for the same scorer. */
  scorerChanges: ScorerChange[];
}

export interface ComparedCalculations {
  own: CompletedCalculation;
  other: CompletedCalculation;
  /** Titles of the columns that match the rows of two sheets; empty for calculations of one sheet. */
  matchedBy: string[];
  /** Comparison of the scores of whole rows. */
  rows: Comparison;
  steps: ComparedStep[];
  /** Steps without a match in the other calculation. */
  unmatched: PlannedStep[];
  /**
   * Whether the scores of whole rows follow different rules: another scorer, more or fewer steps, another aggregation.
   */
  scorerChanged: boolean;
}

/** The calculation to compare, the other one, and the columns that match rows of another sheet. */
export interface AskedComparison {
  id: string;
  /** null for the one that completed before. */
  with: string | null;
  matchBy: string[] | null;
}

/** Compares two calculations of scorecards and tests whether they differ by more than chance. */
@Injectable()
export class ComparisonsService {
  constructor(
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
  ) {}

  /**
   * Compares with a named calculation, or with the one that completed before. Throws calculation_not_found,
   * calculation_not_completed, calculation_is_first and calculations_not_comparable.
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
    const { pairs, matchedBy } = await pairRows(tx, this.types, { own, other, now, before, matchBy });
    const compare = async (first: number | null, second: number | null, among: number) => {
      // Yields to other work, because there are many rows.
      await setImmediate();
      const scores = pairedScores(pairs, { scores: before, place: first }, { scores: now, place: second });
      return comparePaired(scores.first, scores.second, { among });
    };
    const compared: ComparedStep[] = [];
    const changesOf = await this.scorers(tx, own, other);
    for (const [place, step] of steps.entries()) {
      const match = matches.get(step.id);
      if (!match) continue;
      const comparison = await compare(others.indexOf(match), place, matches.size);
      compared.push({ step, other: match, comparison, scorerChanges: changesOf(step, match) });
    }
    const unmatched = steps.filter(({ id }) => !matches.has(id));
    const isSameRule = unmatched.length === 0 && matches.size === others.length && isAggregatedAlike(own, other);
    const scorerChanged = !isSameRule || compared.some(({ scorerChanges: changes }) => changes.length > 0);
    return { own, other, matchedBy, rows: await compare(null, null, 1), steps: compared, unmatched, scorerChanged };
  }

  /** Lists the changes between a step of one calculation and the matching one of the other. */
  private async scorers(tx: EntityManager, own: CompletedCalculation, other: CompletedCalculation) {
    const isSameSheet = own.sheet.id === other.sheet.id;
    const [now, before] = [await this.scoredSheet(tx, own), await this.scoredSheet(tx, other)];
    return (step: PlannedStep, match: PlannedStep) =>
      scorerChanges(printOf(now, step, isSameSheet), printOf(before, match, isSameSheet));
  }

  private async scoredSheet(
    tx: EntityManager,
    { sheet, scorecard, calculation }: CompletedCalculation,
  ): Promise<ScoredSheet> {
    const columns = SheetColumns.of(await readColumnsAt(tx, sheet, calculation.version), this.types);
    return { columns, evaluated: scorecard.evaluatedColumnIds, result: calculation.result! };
  }
}

const isAggregatedAlike = (own: CompletedCalculation, other: CompletedCalculation): boolean =>
  canonicalJson(own.calculation.plan.aggregation) === canonicalJson(other.calculation.plan.aggregation);

function withoutCommonSteps(steps: PlannedStep[], others: PlannedStep[]) {
  const namesOf = (list: PlannedStep[]) => list.map(({ title, type }) => `"${title}" (${type})`).join(', ') || 'none';
  return ScorecardErrors.calculations_not_comparable(
    `Their scorecards have no step of the same title and type. This one has: ${namesOf(steps)}. The other one has: ${namesOf(others)}.`,
  );
}
