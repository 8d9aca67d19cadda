import type { ConfigureScorecardRequest, JsonObject, ScorecardBody, ScorecardStepInput } from '../api/schema.gen';
import { isSame } from './kept-edits';
import { type Aim, keptScorers, type ReadStep, requireFields, type Scorer, sourcesOf, stepOf } from './scorers';
import type { Draft, SheetColumn } from './wizard-state';

interface Outputs {
  /** The column with the outputs. */
  column: SheetColumn;
  columns: SheetColumn[];
}

type Config = Pick<
  ScorecardBody,
  'name' | 'aggregation' | 'evaluated_column_ids' | 'display_config' | 'baseline_config' | 'steps'
>;
type Step = Config['steps'][number];

const newScorecard = (title: string): Config => ({
  name: title.trim() || 'Evaluation',
  // The defaults of the API.
  aggregation: {
    method: 'weighted_mean',
    required_step_failure_behavior: 'fail',
    pass_threshold: 0.8,
    warn_threshold: 0.6,
  },
  evaluated_column_ids: [],
  display_config: null,
  baseline_config: null,
  steps: [],
});

/**
 * The scorecard as the sheet has it now, with only the edits of the draft. Settings that the wizard does not show stay as
 * they are, and so do steps that were added after the draft was filled. Throws an Error that names an empty field.
 */
export function mergedScorecard(
  draft: Pick<Draft, 'title' | 'scorers' | 'filled' | 'aim'>,
  read: Config | null,
  { column, columns }: Outputs,
): ConfigureScorecardRequest {
  const { name, aggregation, evaluated_column_ids, display_config, baseline_config, steps } =
    read ?? newScorecard(draft.title);
  const shown = draft.filled?.steps ?? [];
  const before = draft.aim === column.id ? undefined : columns.find(({ id }) => id === draft.aim);
  const aim = { output: column.title, before: before ? [before.id, before.title] : [] };
  const known = new Set([...shown, ...draft.scorers].map(({ id }) => id));
  const all = [...draft.scorers, ...keptScorers(steps.filter(({ id }) => !known.has(id)))];
  const evaluated = evaluated_column_ids.map((id) => (id === before?.id ? column.id : id));
  return {
    name,
    aggregation,
    evaluated_column_ids: [...new Set([...evaluated, column.id])],
    display_config,
    baseline_config,
    steps: all.flatMap((scorer) => mergedStep(scorer, { steps, aggregation, shown, aim, columns })),
  };
}

interface Merge extends Pick<Config, 'steps' | 'aggregation'> {
  /** The steps that the draft was filled with. */
  shown: ReadStep[];
  aim: Aim;
  columns: SheetColumn[];
}

function mergedStep(scorer: Scorer, { steps, aggregation, shown, aim, columns }: Merge): ScorecardStepInput[] {
  const now = steps.find(({ id }) => id === scorer.id);
  const was = shown.find(({ id }) => id === scorer.id) ?? now;
  const isRetitled = scorer.title !== was?.title;
  const isChanged = !isSame(scorer.config, was?.primitive_config);
  const isEdited = isRetitled || isChanged;
  if (isEdited) requireFields(scorer);
  // An unedited step that was deleted meanwhile stays deleted.
  if (!now) return isEdited ? [stepOf(scorer, aim)] : [];
  const title = isRetitled ? scorer.title : now.title;
  const config = isChanged ? scorer.config : now.primitive_config;
  const step = stepOf({ ...scorer, title, config }, aim);
  const thresholds = ownThresholds(now, aggregation);
  const sources = furtherSources(now, step.primitive_config ?? {}, columns);
  return [{ ...now, ...step, order_index: null, thresholds, source_column_ids: sources }];
}

/** null where a step has those of the scorecard. */
function ownThresholds({ thresholds }: Step, aggregation: Config['aggregation']): Step['thresholds'] | null {
  const { pass_threshold: pass, warn_threshold: warn } = aggregation;
  return thresholds.pass === pass && thresholds.warn === warn ? null : thresholds;
}

/** The columns that a step depends on, without those that its config has ceased to name. */
function furtherSources(
  { source_column_ids: ids, primitive_config: before }: Step,
  config: JsonObject,
  columns: SheetColumn[],
): string[] {
  const named = namesIn(config);
  const dropped = namesIn(before).filter((name) => !named.includes(name));
  const isKept = ({ id, title }: SheetColumn) => !dropped.includes(id) && !dropped.includes(title);
  return ids.filter((id) => columns.some((column) => column.id === id && isKept(column)));
}

const namesIn = (config: Record<string, unknown>): string[] => [String(config.source ?? ''), ...sourcesOf(config)];
