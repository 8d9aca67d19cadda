import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { CellDetailBody, ColumnBody, StaleCauseBody } from '../api/schema.gen';
import { type Fact, FactList } from '../ui/facts';
import { CredentialHelp } from '../ui/credential-help';
import { count, dollars, duration, moment } from '../ui/format';
import { Moment } from '../ui/moment';
import { Panel } from '../ui/panel';
import { CopyButton, Failure } from '../ui/parts';
import { STATE_WORDS } from './cell-line';
import type { CellOf } from './drafts';
import { Judgements, judgementsOf } from './judgements';
import type { Spot } from './selection';
import { noticeOf, readRowsAt, SHEET, type SheetPath, useSheet } from './sheet-data';

interface Props {
  row: number;
  column: number;
  onClose: () => void;
}

/** Everything about one cell: its whole value, why it failed, why it is stale. */
export function CellPanel({ row, column, onClose }: Props) {
  const { path, columns, store, state } = useSheet();
  const { at } = state;
  const body = columns[column]!;
  const cell = store.cell(row, column);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['sheet', path, 'cell', body.id, cell?.index, at, store.version, cell?.status],
    queryFn: ({ signal }) =>
      at === ''
        ? api(`GET ${SHEET}/cells`, { path, query: { row_index: cell!.index, column: body.id }, signal })
        : readCellAt({ path, at }, { row, column: body.id }, signal),
    enabled: cell !== null,
    placeholderData: (last) =>
      last?.cell.column_id === body.id && last.cell.row_index === cell?.index ? last : undefined,
  });
  return (
    <Panel
      label="Cell"
      title={body.title}
      hint={<span className="quiet-text">row {cell ? count(cell.index + 1) : '…'}</span>}
      isWaiting={isFetching}
      onClose={onClose}
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && <Details key={data.cell.id} cell={data.cell} column={body} spot={{ row, column }} />}
    </Panel>
  );
}

/** A cell of an earlier version, which has no reasons for being stale. */
async function readCellAt(
  version: { path: SheetPath; at: string },
  { row, column }: { row: number; column: string },
  signal: AbortSignal,
): Promise<{ cell: CellDetailBody }> {
  const [line] = await readRowsAt(version, { from: row, limit: 1, columns: [column] }, signal);
  const cell = line?.cells[column];
  if (!cell) throw new Error(`The cell is not in version ${version.at}.`);
  return { cell: { ...cell, stale_cause: null } };
}

interface DetailsProps {
  cell: CellDetailBody;
  column: ColumnBody;
  spot: Spot;
}

function Details({ cell, column, spot }: DetailsProps) {
  const { types, canEdit } = useSheet();
  const type = types.get(column.type);
  const text = wholeText(cell);
  const isEditable = canEdit && Boolean(type?.edits);
  return (
    <>
      {cell.stale_cause && <WhyStale cause={cell.stale_cause} />}
      <Warning cell={cell} />
      {cell.error_message && <WhyFailed message={cell.error_message} hasValue={text !== ''} />}
      <Value cell={cell} column={column} text={text} isEditable={isEditable} spot={spot} />
      <div className="actions">
        {text !== '' && !isEditable && <CopyButton text={text} />}
        {canEdit && type?.computed && <RecalculateCell column={column} row={cell.row_index} />}
      </div>
      <Facts cell={cell} type={type?.title ?? column.type} />
    </>
  );
}

/** Warns of a value, such as an answer that was cut off. */
function Warning({ cell }: { cell: CellDetailBody }) {
  const warning = metricsOf(cell)?.warning;
  return warning ? (
    <p dir="auto" className="why box text">
      {warning}
    </p>
  ) : null;
}

function WhyFailed({ message, hasValue }: { message: string; hasValue: boolean }) {
  return (
    <section className="why box">
      <h3 className="bad">Why it failed</h3>
      <p dir="auto" className="text bad">
        {message}
      </p>
      <CredentialHelp message={message} />
      {hasValue && <p className="quiet-text">The last good value is shown below.</p>}
    </section>
  );
}

/** Lists and objects over several lines. */
function wholeText({ value, display_value: display }: CellDetailBody): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : (display ?? '');
}

function WhyStale({ cause }: { cause: StaleCauseBody }) {
  return (
    <section className="why box">
      <h3>Why it is stale</h3>
      <p dir="auto" className="text">
        {cause.message}
      </p>
      <p className="quiet-text">
        <Moment at={cause.at} />
        {` · ${cause.by ?? 'the server'} · version ${cause.version}`}
      </p>
    </section>
  );
}

interface ValueProps extends DetailsProps {
  text: string;
  isEditable: boolean;
}

function Value({ cell, column, text, isEditable, spot }: ValueProps) {
  const edited = { ...spot, index: cell.row_index, column: column.id };
  if (isEditable) return <ValueField text={text} cell={edited} />;
  if (text === '') return cell.error_message === null ? <p className="quiet-text">The cell is empty.</p> : null;
  const judgements = judgementsOf(cell.value);
  if (judgements.length > 0) return <Judgements judgements={judgements} />;
  return (
    <pre dir="auto" className="text box">
      {text}
    </pre>
  );
}

/** Typed text is a draft of the cell, and stays on it when the panel is closed or shows another cell. */
function ValueField({ text: stored, cell }: { text: string; cell: CellOf }) {
  const { drafts } = useSheet();
  const typedIn = () => {
    const typed = drafts.typedIn(cell);
    return typed && !typed.before ? (typed.text ?? '') : stored;
  };
  const [text, setText] = useState(typedIn);
  const current = useRef(cell);
  current.current = cell;
  useEffect(() => () => drafts.leave(current.current), [drafts]);
  const [shown, setShown] = useState(stored);
  if (shown !== stored) {
    setShown(stored);
    setText(typedIn);
  }
  const type = (next: string) => {
    setText(next);
    drafts.type({ ...cell, text: next === '' ? null : next });
  };
  return (
    <form
      className="value-field"
      onSubmit={(event) => {
        event.preventDefault();
        type(text);
        drafts.commit(cell);
      }}
    >
      <textarea
        dir="auto"
        className="field"
        aria-label="Whole value"
        rows={10}
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      <div className="actions">
        <button className="button" disabled={text === stored}>
          Save
        </button>
        {stored !== '' && <CopyButton text={stored} />}
      </div>
    </form>
  );
}

function RecalculateCell({ column, row }: { column: ColumnBody; row: number }) {
  const { path, notify, refresh } = useSheet();
  const start = async () => {
    try {
      const body = { column_ids: [column.id], row_indices: [row] };
      await api(`POST ${SHEET}/cells/recalculations`, { path, body });
      refresh();
    } catch (error) {
      notify(noticeOf(error));
    }
  };
  return (
    <button className="button" onClick={() => void start()}>
      Recalculate this cell
    </button>
  );
}

interface Metrics {
  /** Calls of models, and those that are in no log. */
  request_count?: number;
  unlogged_count?: number;
  price?: number | null;
  latency_ms?: number | null;
  input_tokens?: number | null;
  output_tokens?: number | null;
  trace_ids?: string[];
  warning?: string;
  reused_from?: string;
}

const metricsOf = ({ request_metrics: metrics }: CellDetailBody) => metrics as Metrics | null;

/** Duration of the computation, with tokens and cost of model calls. */
function spending({ latency_ms, request_count, unlogged_count, price, input_tokens, output_tokens }: Metrics): Fact[] {
  const took: Fact = ['Took', duration(latency_ms ?? null)];
  if (!request_count && !unlogged_count) return [took];
  const tokens = `${count(input_tokens ?? null)} in, ${count(output_tokens ?? null)} out`;
  return [took, ['Cost', dollars(price ?? null)], ['Tokens', tokens]];
}

function Facts({ cell, type }: { cell: CellDetailBody; type: string }) {
  const metrics = metricsOf(cell);
  const facts: Fact[] = [
    ['State', STATE_WORDS[cell.status] ?? cell.status],
    ['Type', type],
    ['Changed', <Moment key="changed" at={cell.updated_at} />],
  ];
  if (cell.last_computed_version !== null) facts.push(['Computed in', `version ${cell.last_computed_version}`]);
  if (metrics?.reused_from) facts.push(['Reused', `computed ${moment(metrics.reused_from)} from the same inputs`]);
  if (metrics) facts.push(...spending(metrics));
  const traces = (metrics?.trace_ids ?? []).map((id) => (
    <Link key={id} className="link" href={`/traces/${id}`}>
      {id.slice(0, 12)}…{' '}
    </Link>
  ));
  if (traces.length > 0) facts.push([traces.length === 1 ? 'Trace' : 'Traces', traces]);
  return <FactList facts={[...facts, ['Cell id', <code key="id">{cell.id}</code>]]} />;
}
