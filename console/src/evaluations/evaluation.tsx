import './evaluations.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { readAllNumbered, useRefresh } from '../api/lists';
import type { EvaluationRunBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { moment } from '../ui/format';
import { Moment } from '../ui/moment';
import { Back, Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { Table } from '../ui/table';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { Comparison } from './comparison';
import { RunState, Score } from './run-parts';

const DEFAULTS = { run: '', against: '', row: '' };
const POLL_MS = 1000;

/** A pipeline with its runs. Only the list of pipelines returns runs, so the pipeline is looked up in it by name. */
function usePipeline(id: number) {
  return useQuery({
    queryKey: ['evaluations', 'one', id],
    queryFn: async ({ signal }) => {
      const { report } = await api('GET /reports/{report_id}', { path: { report_id: id }, signal });
      const found = await readAllNumbered(async (page) => {
        const query = { name: report.name, include_runs: true, page, per_page: 100 };
        const { evaluations: items, pages } = await api('GET /api/public/v2/evaluations', { query, signal });
        return { items, pages };
      });
      return { name: report.name, runs: found.find((each) => each.id === id)?.runs ?? [] };
    },
    refetchInterval: ({ state }) => (state.data?.runs.some(({ status }) => status === 'RUNNING') ? POLL_MS : false),
  });
}

/** One evaluation: its runs, and the changes between two of them. */
export default function Evaluation({ id }: { id: number }) {
  const [state, set] = useUrlState(DEFAULTS);
  const [isOpen, setOpen] = useState(false);
  const { data, error, isFetching, refetch } = usePipeline(id);
  useTitle(data?.name ?? 'Evaluation');
  return (
    <>
      <header className="screen-head">
        <Back href="/evaluations" title="All evaluations" />
        <h1 dir="auto" className="ellipsis" title={data?.name}>
          {data?.name ?? id}
        </h1>
        <GuardedButton permission="REPORT_EDIT" disabled={!data} onClick={() => setOpen(true)}>
          Start a run
        </GuardedButton>
      </header>
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && data && <Results runs={data.runs} state={state} set={set} />}
      </div>
      {isOpen && <StartRun id={id} onClose={() => setOpen(false)} onStarted={() => set(DEFAULTS)} />}
    </>
  );
}

interface ResultsProps {
  runs: EvaluationRunBody[];
  state: typeof DEFAULTS;
  set: (change: Partial<typeof DEFAULTS>) => void;
}

/** The runs, and the changes up to the one that is shown: by default the newest completed one. */
function Results({ runs, state, set }: ResultsProps) {
  const shown = runs.find((run) => String(run.id) === state.run) ?? runs.find(({ status }) => status === 'COMPLETED');
  if (runs.length === 0) {
    return <p className="page-list">No runs yet. A run computes every row of the dataset and scores the outputs.</p>;
  }
  return (
    <>
      <Runs runs={runs} shown={shown?.id} onShow={(run) => set({ run: String(run), against: '', row: '' })} />
      {shown?.status === 'COMPLETED' && (
        <section className="version">
          <header>
            <h2 dir="auto">{shown.name}</h2>
            <Choice
              label="Compare with"
              options={othersOf(runs, shown)}
              value={state.against}
              onChange={(against) => set({ run: String(shown.id), against, row: '' })}
            />
          </header>
          <Comparison
            key={`${shown.id} ${state.against}`}
            run={shown}
            against={state.against}
            row={state.row}
            onRow={(row) => set({ row })}
          />
        </section>
      )}
    </>
  );
}

function othersOf(runs: EvaluationRunBody[], shown: EvaluationRunBody): Record<string, string> {
  const others = runs.filter(({ id, status }) => id !== shown.id && status === 'COMPLETED');
  const named = others.map(({ id, name, created_at }) => [id, `${name}, ${moment(created_at)}`]);
  return { '': 'Compared with the previous run', ...Object.fromEntries(named) };
}

interface RunsProps {
  runs: EvaluationRunBody[];
  shown: number | undefined;
  onShow: (run: number) => void;
}

function Runs({ runs, shown, onShow }: RunsProps) {
  return (
    <div className="page-list">
      <Table
        label="Runs"
        rows={runs}
        keyOf={({ id }) => id}
        classOf={({ id }) => (id === shown ? 'chosen' : undefined)}
        columns={[
          {
            name: 'Run',
            cell: ({ id, name }) => (
              <button className="link" aria-pressed={id === shown} onClick={() => onShow(id)}>
                {name}
              </button>
            ),
          },
          { name: 'Started', cell: ({ created_at }) => <Moment at={created_at} /> },
          { name: 'State', cell: (run) => <RunState run={run} /> },
          { name: 'Score of 100', className: 'number', cell: (run) => <Score run={run} /> },
        ]}
      />
    </div>
  );
}

function StartRun({ id, onClose, onStarted }: { id: number; onClose: () => void; onStarted: () => void }) {
  const refresh = useRefresh('evaluations');
  const start = async (values: FormValues) => {
    await api('POST /reports/{report_id}/run', { path: { report_id: id }, body: { name: values.text('name') } });
    await refresh();
    onStarted();
  };
  return (
    <FormDialog title="Start a run" submit="Start" onSubmit={start} onClose={onClose}>
      <p>Computes every row of the dataset. Prompts and judges call their models, which is billed.</p>
      <Field label="Name" isRequired>
        <input
          className="field"
          name="name"
          required
          maxLength={255}
          data-first=""
          placeholder="With the shorter prompt"
        />
      </Field>
    </FormDialog>
  );
}
