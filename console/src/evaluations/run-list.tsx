import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { SheetLink } from '../activity/sheet-job';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { ListedCalculationBody } from '../api/schema.gen';
import { count, dollars, UNKNOWN } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure } from '../ui/parts';
import { More, Table } from '../ui/table';
import { VerdictText } from './differences';
import { MOST_RUNS } from './runs-data';
import { estimateText } from './verdict';

const isUnderWay = ({ status }: ListedCalculationBody): boolean => status === 'queued' || status === 'running';

/** The runs of scorecards over sheets, newest first. Two to six are compared. */
export function RunList() {
  const [, navigate] = useLocation();
  const [ticked, setTicked] = useState<string[]>([]);
  const list = useCursorList(
    ['evaluation-runs', 'list'],
    (cursor, signal) => api('GET /api/public/v2/scorecard-calculations', { query: { cursor }, signal }),
    { isUnderWay },
  );
  const tick = (id: string) =>
    setTicked((before) => (before.includes(id) ? before.filter((each) => each !== id) : [...before, id]));
  // The older one is what the newer ones are compared with.
  const oldestFirst = list.items.map(({ calculation_id: id }) => id).toReversed();
  const chosen = oldestFirst.filter((id) => ticked.includes(id));
  return (
    <section className="page-list">
      <header className="actions">
        <h2>Runs over sheets</h2>
        <span className="spacer" />
        <button
          className="button"
          disabled={chosen.length < 2 || chosen.length > MOST_RUNS}
          onClick={() => navigate(`/evaluations/runs?ids=${chosen.join(',')}`)}
        >
          {chosen.length < 2 ? 'Compare runs' : `Compare ${chosen.length} runs`}
        </button>
      </header>
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && (
        <p className="quiet-text">
          No evaluations of sheets yet. “New evaluation” goes from rows to scores in four steps. Create pipelines over
          datasets with POST /reports.
        </p>
      )}
      {list.items.length > 0 && <RunTable runs={list.items} ticked={ticked} onTick={tick} />}
      <More list={list} />
    </section>
  );
}

function RunTable(props: { runs: ListedCalculationBody[]; ticked: string[]; onTick: (id: string) => void }) {
  const { runs, ticked, onTick } = props;
  return (
    <Table
      label="Runs over sheets"
      rows={runs}
      keyOf={({ calculation_id: id }) => id}
      columns={[
        {
          name: '',
          cell: ({ calculation_id: id, status, sheet_title: title }) => (
            <input
              type="checkbox"
              aria-label={`Choose the run of ${title}`}
              disabled={status !== 'completed'}
              checked={ticked.includes(id)}
              onChange={() => onTick(id)}
            />
          ),
        },
        {
          name: 'Run',
          cell: ({ calculation_id: id, created_at: at }) => (
            <Link className="link" href={`/evaluations/runs?ids=${id}`}>
              <Moment at={at} />
            </Link>
          ),
        },
        { name: 'Sheet', cell: (run) => <SheetLink {...run} side="score" /> },
        { name: 'Table', cell: ({ table_title: title }) => title },
        { name: 'State', cell: ({ status }) => status },
        { name: 'Score (95 % interval)', className: 'number', cell: (run) => estimateText(run, true) },
        { name: 'Verdict', cell: ({ verdict }) => <VerdictText verdict={verdict} /> },
        { name: 'Failed rows', className: 'number', cell: failedOf },
        {
          name: 'Cost of scoring',
          className: 'number',
          cell: ({ scoring_cost: cost }) => (cost === null ? UNKNOWN : dollars(cost)),
        },
      ]}
    />
  );
}

const failedOf = ({ verdict_counts: counts, verdict }: ListedCalculationBody): string =>
  verdict === null ? UNKNOWN : count((counts.fail ?? 0) + (counts.error ?? 0));
