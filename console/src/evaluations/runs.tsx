import './evaluations.css';
import { useState } from 'react';
import { Link } from 'wouter';
import type { SideBySideRunBody } from '../api/schema.gen';
import type { SetState } from '../search/search-state';
import { counted, moment } from '../ui/format';
import { Back, Failure, Note, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { More } from '../ui/table';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { Differences, Totals } from './differences';
import { Lines } from './lines';
import { PublishRun } from './publish-run';
import { Reader } from './run-reader';
import {
  CHANGES,
  DEFAULTS,
  idsOf,
  MOST_RUNS,
  type RunsState,
  SCORES,
  useDifferences,
  useLines,
  useNamedRuns,
  VERDICTS,
} from './runs-data';

/** The rows of one run, or of two to six side by side. */
export default function Runs() {
  const [state, set] = useUrlState(DEFAULTS);
  const ids = idsOf(state);
  const known = useNamedRuns(ids);
  const found = useLines(state, known.isSuccess && !known.isWaiting);
  const differences = useDifferences(found.first?.runs, state.by);
  const runs = found.first?.runs ?? [];
  const shared = { state, set, ids, known, found, differences, runs };
  return (
    <>
      <Head {...shared} />
      <Waiting on={known.isFetching || found.isFetching || differences.isFetching} />
      <div className="screen-body">
        <div className="runs">
          {ids.length === 0 && <Note title="No run selected" />}
          <States known={known} />
          <Problem {...shared} />
          {runs.length > 0 && <Side {...shared} />}
        </div>
      </div>
    </>
  );
}

interface Shared {
  state: RunsState;
  set: SetState<RunsState>;
  ids: string[];
  known: Known;
  found: ReturnType<typeof useLines>;
  differences: ReturnType<typeof useDifferences>;
  runs: SideBySideRunBody[];
}

function Head({ state, set, ids, known, runs }: Shared) {
  const isSeveral = ids.length > 1;
  const title = isSeveral ? `${ids.length} runs` : `Run of ${known.named[0]?.sheet_title ?? 'a sheet'}`;
  useTitle(title);
  return (
    <header className="screen-head">
      <Back href="/evaluations" title="All evaluations" />
      <h1 dir="auto" className="ellipsis">
        {title}
      </h1>
      <Choice label="Verdict" options={VERDICTS} value={state.verdict} onChange={(verdict) => set({ verdict })} />
      <Choice label="Score" options={SCORES} value={state.score} onChange={(score) => set({ score })} />
      {isSeveral && (
        <Choice label="Changes" options={CHANGES} value={state.change} onChange={(change) => set({ change })} />
      )}
      {ids.length < MOST_RUNS && (
        <AddRun known={known} ids={ids} onAdd={(id) => set({ ids: [...ids, id].join(',') })} />
      )}
      {runs.length > 0 && <RunAgain run={runs.at(-1)!} />}
    </header>
  );
}

function Problem({ state, set, ids, known, found, differences, runs }: Shared) {
  const error = known.error ?? found.error ?? differences.error;
  if (!error) return null;
  const again = () => void Promise.all([known.refetch(), found.refetch(), differences.refetch()]);
  return (
    <Failure error={error} onRetry={again}>
      {runs.length === 0 && ids.length > 1 && <MatchBy state={state} onChange={(by) => set({ by })} />}
    </Failure>
  );
}

/** The runs, how they differ, and their rows. */
function Side({ state, set, ids, known, found, differences, runs }: Shared) {
  const [publishing, setPublishing] = useState<SideBySideRunBody | null>(null);
  const read = (place: string) => set({ read: place }, { replace: true });
  return (
    <>
      <Totals
        runs={runs}
        known={known.named}
        onPublish={setPublishing}
        onRemove={(id) => set({ ids: ids.filter((each) => each !== id).join(',') })}
      />
      {differences.data && <Differences compared={differences.data} />}
      <p role="status">{rowsText(state, found.first!.total_count)}</p>
      <Lines runs={runs} lines={found.lines} onRead={read} />
      <More list={found} />
      {state.read !== '' && <Reader runs={runs} lines={found.lines} read={state.read} onClose={() => read('')} />}
      {publishing && <PublishRun run={publishing} onClose={() => setPublishing(null)} />}
    </>
  );
}

function rowsText({ verdict, score, change }: RunsState, total: number): string {
  const isFiltered = verdict + score + change !== '';
  return `${counted(total, 'row')}${isFiltered ? ` ${total === 1 ? 'matches' : 'match'}` : ''}`;
}

type Known = ReturnType<typeof useNamedRuns>;

/** Runs that are not completed, and why. */
function States({ known }: { known: Known }) {
  return known.named
    .filter(({ status }) => status !== 'completed')
    .map(({ calculation_id: id, status, error_summary: problem }) => (
      <p key={id} role="status">
        {status === 'queued' || status === 'running'
          ? 'Computing outputs and scores. Rows appear when the run completes.'
          : `This run is ${status}. ${problem ?? ''}`}
      </p>
    ));
}

function AddRun({ known, ids, onAdd }: { known: Known; ids: string[]; onAdd: (id: string) => void }) {
  const others = known.all.filter(({ calculation_id: id, status }) => status === 'completed' && !ids.includes(id));
  if (others.length === 0) return null;
  const named = others.map((run) => [run.calculation_id, `${run.sheet_title}, ${moment(run.created_at)}`]);
  return (
    <Choice
      label="Compare with"
      options={{ '': 'Compare with …', ...(Object.fromEntries(named) as object) }}
      value=""
      onChange={(id) => id !== '' && onAdd(id)}
    />
  );
}

function RunAgain({
  run,
}: {
  run: { table_id: string; sheet_id: string; columns: { id: string; role: string; type: string }[] };
}) {
  const output = run.columns.find(({ role, type }) => role === 'output' && type === 'PROMPT_TEMPLATE');
  const query = new URLSearchParams({
    step: 'run',
    table: run.table_id,
    sheet: run.sheet_id,
    ...(output && { column: output.id }),
  });
  return (
    <Link className="button" href={`/evaluations/new?${query.toString()}`}>
      Run again with a change
    </Link>
  );
}

/** Chooses the column that matches rows, for runs of two sheets whose inputs differ. */
function MatchBy({ state, onChange }: { state: RunsState; onChange: (by: string) => void }) {
  const [title, setTitle] = useState(state.by);
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(title.trim());
      }}
    >
      <input
        className="field"
        aria-label="Match rows by column"
        placeholder="Title of a column"
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <button className="button">Match rows</button>
    </form>
  );
}
