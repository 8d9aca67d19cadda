import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { api } from '../api/client';
import { CallFilter } from '../logs/call-filter';
import { listOf, type LogState } from '../logs/log-state';
import { useLogCounts } from '../logs/use-logs';
import { readAdding, startAdding } from '../to-sheet/start-adding';
import { usePlaces } from '../to-sheet/use-places';
import { Field } from '../ui/form';
import { counted } from '../ui/format';
import { Options } from '../ui/options';
import { Failure, Refused, Waiting } from '../ui/parts';
import { readBase64 } from '../ui/read-file';
import { Choice } from '../ui/search-field';
import { useNow } from '../ui/use-now';
import { useProgress } from '../ui/use-progress';
import type { Wizard, WizardState } from './wizard-state';

const TABLES = '/api/public/v2/tables';
const SOURCES = { calls: 'Calls', sheet: 'A sheet', file: 'A file' };

/** The rows that are evaluated. */
export function SourceStep({ wizard }: { wizard: Wizard }) {
  const { state, set } = wizard;
  return (
    <section className="wizard-step" aria-label="Rows">
      <h2>Which rows are evaluated?</h2>
      <Choice label="Rows from" options={SOURCES} value={state.source} onChange={(source) => set({ source })} />
      {state.source === 'sheet' && <FromSheet wizard={wizard} />}
      {state.source === 'file' && <FromFile wizard={wizard} />}
      {state.source !== 'sheet' && state.source !== 'file' && <FromCalls wizard={wizard} />}
    </section>
  );
}

function FromSheet({ wizard: { state, set } }: { wizard: Wizard }) {
  const places = usePlaces(state.table);
  const choose = (change: Partial<WizardState>) => set({ column: '', ...change }, { replace: true });
  if (places.error) return <Failure error={places.error} onRetry={places.refetch} />;
  return (
    <>
      <Field label="Table">
        <select
          className="field"
          value={state.table}
          onChange={(event) => choose({ table: event.target.value, sheet: '' })}
        >
          <Options pairs={[['', 'Choose a table'], ...places.tables.map(({ id, title }) => [id, title] as const)]} />
        </select>
      </Field>
      <Field label="Sheet">
        <select className="field" value={state.sheet} onChange={(event) => choose({ sheet: event.target.value })}>
          <Options pairs={[['', 'Choose a sheet'], ...places.sheets.map(({ id, title }) => [id, title] as const)]} />
        </select>
      </Field>
      <div className="actions">
        <button className="button primary" disabled={state.sheet === ''} onClick={() => set({ step: 'run' })}>
          Use this sheet
        </button>
      </div>
    </>
  );
}

/** The steps of an import. A lost one goes on without reporting its progress. */
type ImportState =
  { step: 'none'; error: Error | null } | { step: 'starting' } | { step: 'running' | 'lost'; adding: string };

/** Starts an import, waits for its end, and continues with the filled sheet. */
function useImport({ set }: Wizard) {
  const [state, setState] = useState<ImportState>({ step: 'none', error: null });
  const fail = (error: Error) => setState({ step: 'none', error });
  const place = state.step === 'running' ? readAdding(state.adding) : null;
  const url = place && `${TABLES}/${place.tableId}/sheets/operations/${encodeURIComponent(place.operationId)}/events`;
  const progress = useProgress<{ status: string; progress: number; error_message: string | null }>(url, (last) => {
    if (state.step !== 'running' || !place) return;
    if (!last) return setState({ ...state, step: 'lost' });
    if (last.status === 'failed') return fail(new Error(last.error_message ?? 'The import failed.'));
    set({ table: place.tableId, sheet: place.sheetId, column: '', step: 'run' });
  });
  const begin = (work: () => Promise<string>) => (event: FormEvent) => {
    event.preventDefault();
    if (state.step !== 'none') return;
    setState({ step: 'starting' });
    work().then((adding) => setState({ step: 'running', adding }), fail);
  };
  const watchAgain = () => setState((now) => (now.step === 'lost' ? { ...now, step: 'running' } : now));
  return {
    begin,
    step: state.step,
    error: state.step === 'none' ? state.error : null,
    percent: progress?.progress ?? 0,
    watchAgain,
  };
}

const LOST = new Error(
  'The server reports no progress of the import, which may go on. Try again, or choose its sheet under “A sheet” later.',
);

/** The button that starts an import, or its progress. */
function ImportPart({ running, children }: { running: ReturnType<typeof useImport>; children: ReactNode }) {
  const { step, error, percent, watchAgain } = running;
  if (step === 'lost') return <Failure error={LOST} onRetry={watchAgain} />;
  return (
    <>
      <Refused error={error} />
      {step === 'none' ? <div className="actions">{children}</div> : <Importing percent={percent} />}
    </>
  );
}

function Importing({ percent }: { percent: number }) {
  return (
    <p role="status">
      <progress max={100} value={percent} aria-label="Added, in percent" /> The rows are being added to a sheet.
    </p>
  );
}

function FromFile({ wizard }: { wizard: Wizard }) {
  const file = useRef<HTMLInputElement>(null);
  /** A table whose file was refused gets the next one. */
  const made = useRef<string | null>(null);
  const running = useImport(wizard);
  const upload = running.begin(async () => {
    const chosen = file.current?.files?.[0];
    if (!chosen) throw new Error('Choose a file.');
    const title = wizard.draft.title.trim() || chosen.name.replace(/\.\w+$/, '') || chosen.name;
    const content = await readBase64(chosen);
    made.current ??= (await api(`POST ${TABLES}`, { body: { title, create_default_sheet: false } })).table.id;
    const source = { type: 'file' as const, file_name: chosen.name, file_content_base64: content };
    const answer = await api(`POST ${TABLES}/{table_id}/sheets`, {
      path: { table_id: made.current },
      body: { source } as never,
    });
    const { sheet, operation_id: id } = answer as { sheet: { id: string }; operation_id: string };
    return [made.current, sheet.id, id].join('.');
  });
  return (
    <form className="form" onSubmit={upload}>
      <TitleField wizard={wizard} />
      <Field label="CSV or JSON file" hint="Its columns become columns of a new sheet.">
        <input ref={file} className="file" type="file" accept=".csv,.json" />
      </Field>
      <ImportPart running={running}>
        <button className="button primary">Make a sheet of the file</button>
      </ImportPart>
    </form>
  );
}

function FromCalls({ wizard }: { wizard: Wizard }) {
  const { state, draft } = wizard;
  const made = useRef('');
  const searched = state as unknown as LogState;
  const { now } = useNow(JSON.stringify(listOf(searched)));
  const counts = useLogCounts(searched, now);
  const running = useImport(wizard);
  const total = counts.data?.total ?? 0;
  const calls = counted(total, 'call', counts.data?.isPartial ? '+' : '');
  const add = running.begin(() =>
    startAdding(
      counts.wanted,
      { tableId: made.current, sheetId: '', title: draft.title.trim() || 'Failing calls' },
      { withFacts: true, onTable: (id) => (made.current = id) },
    ),
  );
  return (
    <form className="form" onSubmit={add}>
      <CallFilter state={searched} onChange={(change) => wizard.set(change, { replace: true })} />
      <TitleField wizard={wizard} />
      <Waiting on={counts.isFetching} />
      {counts.error && <Failure error={counts.error} onRetry={() => void counts.refetch()} />}
      {counts.data && (
        <p role="status">
          {`${calls} ${total === 1 ? 'matches' : 'match'}. Each becomes a row with its input, output and variables.`}
        </p>
      )}
      <ImportPart running={running}>
        <button className="button primary" disabled={total === 0}>
          {`Make a sheet of ${calls}`}
        </button>
      </ImportPart>
    </form>
  );
}

function TitleField({ wizard: { draft, change } }: { wizard: Wizard }) {
  return (
    <Field label="Title of the table (optional)">
      <input
        className="field"
        maxLength={255}
        value={draft.title}
        onChange={(event) => change({ title: event.target.value })}
      />
    </Field>
  );
}
