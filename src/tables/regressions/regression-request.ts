import type { EntityManager } from 'typeorm';
import { readPromptNames, requirePromptVersion } from '../../prompts/index.js';
import { withPromptVersion } from '../../column-types/index.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { findVersion } from '../../grid/versions/find-version.js';
import { readColumnsAt } from '../../grid/versions/grid-at-version.queries.js';
import { VersionErrors } from '../../grid/versions/versions.errors.js';
import type { Scorecard } from '../scorecards/scorecard.entity.js';
import { findScorecard } from '../scorecards/stored-scorecard.queries.js';
import { ScorecardErrors } from '../scorecards/scorecards.errors.js';
import { configuredColumns, findConfiguration, type ScoreConfiguration, verdictColumns } from '../../scoring/index.js';
import type { RegressionRequest, RegressionScoring } from './regression.entity.js';
import { RegressionErrors } from './regressions.errors.js';

/** The request of a caller. */
export interface GivenRegression {
  /** The number or the id of a version of the sheet, or the number of a version of the prompt. */
  good: string;
  bad: string;
  promptId: number | null;
  scoredBy: 'score' | 'scorecard' | null;
  columnIds: string[] | null;
  /** US dollars; null for no limit. */
  maxCost: number | null;
}

/** Resolves a request and rejects an invalid one. The sheet must be locked. */
export async function readRequest(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  given: GivenRegression,
): Promise<RegressionRequest> {
  const columns = await SheetColumns.read(tx, types, sheet);
  const ends = given.promptId === null ? await sheetEnds(tx, sheet, given) : await promptEnds(tx, sheet, given);
  const { good, bad, name } = ends;
  if (good >= bad) throw RegressionErrors.regression_versions_reversed(good, bad);
  const prompt = name === null ? null : { id: given.promptId!, name, sheetVersion: sheet.version };
  if (prompt && !usesPrompt(columns, prompt.name)) throw RegressionErrors.regression_prompt_unused(prompt.name);
  const scoring = await readScoring(tx, sheet, columns, given);
  for (const version of prompt ? [] : [good, bad]) await requireScored(tx, sheet, scoring, version);
  return { good, bad, prompt, scoring };
}

interface Ends {
  good: number;
  bad: number;
  /** Name of the prompt; null where versions of the sheet are searched. */
  name: string | null;
}

async function sheetEnds(tx: EntityManager, sheet: Sheet, given: GivenRegression): Promise<Ends> {
  const { number: good } = await findVersion(tx, sheet, given.good);
  const { number: bad } = await findVersion(tx, sheet, given.bad);
  return { good, bad, name: null };
}

async function promptEnds(
  tx: EntityManager,
  { workspaceId }: Sheet,
  { good, bad, promptId: id }: GivenRegression,
): Promise<Ends> {
  const numbers: number[] = [];
  for (const reference of [good, bad]) {
    // Versions of prompts have no ids of this form.
    if (reference.includes('-')) throw VersionErrors.version_not_found(reference);
    const version = Number(reference);
    await requirePromptVersion(tx, workspaceId, { id, name: null, version, label: null });
    numbers.push(version);
  }
  const name = (await readPromptNames(tx, workspaceId, [id])).get(id!)!;
  return { good: numbers[0]!, bad: numbers[1]!, name };
}

function usesPrompt(columns: SheetColumns, name: string): boolean {
  return columns.computed.some(({ config }) => withPromptVersion(config, { name, version: 1 }) !== config);
}

/**
 * Returns the scoring that the caller names, or else that of the sheet: its configured score, its scorecard, or its
 * columns of verdicts.
 */
async function readScoring(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { scoredBy, columnIds }: GivenRegression,
): Promise<RegressionScoring> {
  if (columnIds) return byColumns(columnIds.map((id) => columns.require(id).id));
  const configuration = scoredBy === 'scorecard' ? null : await findConfiguration(tx, sheet);
  if (configuration || scoredBy === 'score') return byConfiguration(columns, configuration);
  const scorecard = await findScorecard(tx, sheet);
  if (scorecard) return byScorecard(sheet, scorecard);
  if (scoredBy === 'scorecard') throw ScorecardErrors.scorecard_not_configured();
  return byConfiguration(columns, null);
}

function byScorecard({ version }: Sheet, { steps }: Scorecard): RegressionScoring {
  if (steps.length === 0) throw ScorecardErrors.scorecard_without_steps();
  return { by: 'scorecard', version };
}

/** Uses the columns of verdicts without a configuration, or with one that names no columns. */
function byConfiguration(columns: SheetColumns, configuration: ScoreConfiguration | null): RegressionScoring {
  if (configuration?.scoreType === 'custom') throw RegressionErrors.regression_score_custom();
  const scored = (configuration && configuredColumns(columns, configuration)) ?? verdictColumns(columns);
  if (scored.length === 0) throw RegressionErrors.regression_without_score();
  const ids = scored.map(({ id }) => id);
  return byColumns(ids, configuration?.config);
}

/** The columns are in the ids; only the values that count as passed are kept of the configuration. */
function byColumns(columnIds: string[], { true_values, false_values }: ScoreTexts = {}): RegressionScoring {
  const config = { ...(true_values && { true_values }), ...(false_values && { false_values }) };
  return { by: 'columns', columnIds: [...new Set(columnIds)], config };
}

interface ScoreTexts {
  true_values?: string[];
  false_values?: string[];
}

/** A version in between may have none of the columns: it is skipped. */
async function requireScored(
  tx: EntityManager,
  sheet: Sheet,
  scoring: RegressionScoring,
  version: number,
): Promise<void> {
  if (scoring.by === 'scorecard') return;
  const { list } = await readColumnsAt(tx, sheet, version);
  const isThere = list.some(({ id }) => scoring.columnIds.includes(id));
  if (!isThere) throw RegressionErrors.regression_version_unscored(version);
}
