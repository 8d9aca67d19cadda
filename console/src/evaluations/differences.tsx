import type { ComparisonResponse, ListedCalculationBody, SideBySideRunBody } from '../api/schema.gen';
import { SheetLink } from '../activity/sheet-job';
import { useMayPublish } from '../playground/publish-variant';
import { costOf, counted, duration, UNKNOWN } from '../ui/format';
import { Moment } from '../ui/moment';
import { Table } from '../ui/table';
import { letterOf } from './runs-data';
import { type Compared, correctionText, estimateText, scoreText, verdictText } from './verdict';

interface TotalsProps {
  runs: SideBySideRunBody[];
  known: ListedCalculationBody[];
  onPublish: (run: SideBySideRunBody) => void;
  onRemove: (id: string) => void;
}

/** The runs with their scores, costs and latencies over all rows. */
export function Totals({ runs, known, onPublish, onRemove }: TotalsProps) {
  const mayPublish = useMayPublish();
  const rows = runs.map((run, place) => ({
    run,
    place,
    listed: known.find(({ calculation_id: id }) => id === run.calculation_id),
  }));
  return (
    <Table
      label="Runs"
      rows={rows}
      keyOf={({ run }) => run.calculation_id}
      columns={[
        { name: 'Run', cell: ({ place }) => letterOf(place) },
        { name: 'Sheet', cell: ({ listed }) => (listed ? <SheetLink {...listed} side="score" /> : UNKNOWN) },
        { name: 'Started', cell: ({ listed }) => (listed ? <Moment at={listed.created_at} /> : UNKNOWN) },
        {
          name: 'Score (95 % interval)',
          className: 'number',
          cell: ({ run, listed }) => (listed ? estimateText(listed, true) : scoreText(run.score, true)),
        },
        { name: 'Verdict', cell: ({ run }) => <VerdictText verdict={run.verdict} /> },
        {
          name: 'Cost',
          className: 'number',
          cell: ({ run }) => (run.cost === null ? UNKNOWN : costOf(run.cost, run.unpriced_row_count)),
        },
        { name: 'Time per row', className: 'number', cell: ({ run }) => duration(run.latency_ms) },
        { name: 'Rows matched by', cell: matchText },
        {
          name: '',
          className: 'buttons',
          cell: ({ run, place }) => (
            <>
              {isPrompt(run) && (
                <button
                  className="button"
                  disabled={!mayPublish}
                  title={mayPublish ? undefined : 'This needs the permission PROMPT_CREATE or PROMPT_EDIT.'}
                  onClick={() => onPublish(run)}
                >
                  {`Publish the prompt of ${letterOf(place)}`}
                </button>
              )}
              {runs.length > 1 && (
                <button className="button" onClick={() => onRemove(run.calculation_id)}>
                  {`Remove run ${letterOf(place)}`}
                </button>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

const isPrompt = ({ columns }: SideBySideRunBody): boolean =>
  columns.some(({ role, type }) => role === 'output' && type === 'PROMPT_TEMPLATE');

function matchText({ run, place }: { run: SideBySideRunBody; place: number }): string {
  if (place === 0) return UNKNOWN;
  const by = run.matched_by.length === 0 ? 'their place in the sheet' : run.matched_by.join(', ');
  return run.unmatched_row_count === 0 ? by : `${by}; ${counted(run.unmatched_row_count, 'row')} not in A`;
}

export function VerdictText({ verdict }: { verdict: string | null }) {
  return <span className={verdict === 'fail' || verdict === 'error' ? 'bad' : undefined}>{verdict ?? UNKNOWN}</span>;
}

/** Whether each of the other runs is better than the first, or only by chance. */
export function Differences({ compared }: { compared: ComparisonResponse[] }) {
  return compared.map((one, at) => <Difference key={one.calculation_id} compared={one} name={letterOf(at + 1)} />);
}

const asShare = <T extends object>(comparison: T) => ({ ...comparison, scale: 'share' as const });

function Difference({ compared, name }: { compared: ComparisonResponse; name: string }) {
  const steps = Object.values(compared.criteria);
  return (
    <article className="verdict box" aria-label={`${name} against A`}>
      <h2>{`${name} against A`}</h2>
      {compared.scorer_changed && <ChangedScorers compared={compared} />}
      <Sentence what="All scorers" compared={asShare(compared.aggregate)} changed={compared.scorer_changed} />
      {steps.map((step) => (
        <Sentence key={step.step_id} what={step.title} compared={asShare(step)} changed={step.scorer_changed} />
      ))}
      {steps.length > 1 && <p className="quiet-text">{correctionText(steps, 'scorers')}</p>}
    </article>
  );
}

function Sentence({ what, compared, changed }: { what: string; compared: Compared; changed: boolean }) {
  const isWorse = !changed && compared.conclusion === 'difference' && (compared.difference ?? 0) < 0;
  return (
    <p>
      <strong>
        <bdi>{what}</bdi>:
      </strong>{' '}
      <span className={isWorse ? 'bad' : undefined}>{verdictText(compared)}</span>
    </p>
  );
}

const CHANGED: Record<string, string> = {
  config: 'its settings',
  columns: 'the columns that it reads',
  versions: 'the version of a prompt or the model behind it',
};

/**
 * Names scorers that changed between the runs. Shown before the verdicts, because a change of a scorer also changes
 * scores.
 */
function ChangedScorers({ compared }: { compared: ComparisonResponse }) {
  const changed = Object.values(compared.criteria)
    .filter((step) => step.scorer_changed)
    .map(({ title, scorer_changes: parts }) => `“${title}” (${parts.map((part) => CHANGED[part]).join(', ')})`);
  const what = changed.length > 0 ? changed.join(', ') : 'The steps, or how their scores become one,';
  return (
    <p className="needs" role="note">
      <strong>The scorer changed.</strong> <bdi>{what}</bdi>
      {changed.length > 1 || changed.length === 0 ? ' were' : ' was'}
      {' different in run A. A difference may come from the scorer, not from what was scored.'}
    </p>
  );
}
