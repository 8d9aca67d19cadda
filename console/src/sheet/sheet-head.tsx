import { useQuery, useQueryClient } from '@tanstack/react-query';
import { use, useRef } from 'react';
import { useLocation } from 'wouter';
import { sheetsKey, useSheetChoice } from '../api/choices';
import { api } from '../api/client';
import { FeedsButton } from '../feeds/feeds-button';
import { useMay } from '../shell/permissions';
import { counted } from '../ui/format';
import { Options } from '../ui/options';
import { Back } from '../ui/parts';
import { readBase64 } from '../ui/read-file';
import { useTitle } from '../ui/title';
import type { Open, SheetState } from './state';
import { noticeOf, type SheetPath, SheetContext } from './sheet-data';

const TABLE = '/api/public/v2/tables/{table_id}';

interface Props {
  path: SheetPath;
  state: SheetState;
  set: (change: Partial<SheetState>) => void;
  onOpen: (open: Open) => void;
}

/** The name of the table, its sheets, and what can be done with this one. */
export function SheetHead({ path, state, set, onOpen }: Props) {
  const tools = use(SheetContext);
  const table = useQuery({
    queryKey: ['table', path.table_id],
    queryFn: ({ signal }) => api(`GET ${TABLE}`, { path, signal }),
  });
  const mayEdit = useMay('TABLE_EDIT');
  const title = table.data?.table.title ?? 'Table';
  useTitle(title);
  const toggle = (side: string) => set({ side: state.side === side ? '' : side, panel: '' });
  return (
    <header className="screen-head">
      <Back href="/tables" title="All tables" />
      <h1 dir="auto" className="ellipsis" title={title}>
        {title}
      </h1>
      <Sheets path={path} />
      {state.at !== '' && (
        <>
          <span className="quiet-text">{`Version ${state.at}, read only`}</span>
          <button className="button" onClick={() => set({ at: '' })}>
            Back to now
          </button>
        </>
      )}
      {!mayEdit && state.at === '' && (
        <span className="quiet-text" title="To edit sheets, you need the permission TABLE_EDIT.">
          Read only
        </span>
      )}
      <Hidden />
      <div className="actions">
        {tools?.canEdit && (
          <>
            <button className="button" onClick={() => onOpen('column')}>
              Add a column
            </button>
            <button className="button primary" onClick={() => onOpen('recalculate')}>
              Recalculate
            </button>
            <ImportButton path={path} onStart={(id) => set({ import: id })} />
          </>
        )}
        <Export path={path} at={state.at} />
        <FeedsButton path={path} isOpen={state.side === 'feeds'} onClick={() => toggle('feeds')} />
        <button className="button" aria-pressed={state.side === 'versions'} onClick={() => toggle('versions')}>
          Versions
        </button>
        <button className="button" aria-pressed={state.side === 'score'} onClick={() => toggle('score')}>
          Score
        </button>
        <button className="button" aria-pressed={state.side === 'scorecard'} onClick={() => toggle('scorecard')}>
          Scorecard
        </button>
      </div>
    </header>
  );
}

/** The columns that are not shown, by name. */
function Hidden() {
  const arranging = use(SheetContext)?.arranging;
  if (!arranging || arranging.hidden.length === 0) return null;
  const { hidden, toggleHidden, showAll } = arranging;
  return (
    <details className="menu">
      <summary className="button">{`${counted(hidden.length, 'column')} hidden`}</summary>
      <ul>
        {hidden.map(({ id, title }) => (
          <li key={id}>
            <button onClick={() => toggleHidden(id)}>{`Show “${title}”`}</button>
          </li>
        ))}
        {hidden.length > 1 && (
          <li>
            <button onClick={showAll}>Show all columns</button>
          </li>
        )}
      </ul>
    </details>
  );
}

const NEW = 'new';

function Sheets({ path }: { path: SheetPath }) {
  const [, navigate] = useLocation();
  const mayEdit = useMay('TABLE_EDIT');
  const tools = use(SheetContext);
  const client = useQueryClient();
  const { data } = useSheetChoice(path.table_id);
  const open = async (id: string) => {
    if (id !== NEW) return navigate(`/tables/${path.table_id}/${id}`);
    try {
      const { sheet } = await api(`POST ${TABLE}/sheets`, { path, body: {} });
      await client.invalidateQueries({ queryKey: sheetsKey(path.table_id) });
      navigate(`/tables/${path.table_id}/${sheet.id}`);
    } catch (error) {
      tools?.notify(noticeOf(error));
    }
  };
  const isListed = data?.some(({ id }) => id === path.sheet_id);
  return (
    <select
      className="field"
      aria-label="Sheet"
      value={path.sheet_id}
      onChange={(event) => void open(event.target.value)}
    >
      <Options pairs={(data ?? []).map(({ id, title }) => [id, title])} />
      {/* Without an option of its own, the first sheet of the list would be shown. */}
      {!isListed && <option value={path.sheet_id}>{data ? 'This sheet' : '…'}</option>}
      {mayEdit && <option value={NEW}>New sheet…</option>}
    </select>
  );
}

/** Imports the rows of a CSV below the existing ones. */
function ImportButton({ path, onStart }: { path: SheetPath; onStart: (id: string) => void }) {
  const tools = use(SheetContext);
  const field = useRef<HTMLInputElement>(null);
  const send = async (file: File) => {
    try {
      const body = { file_name: file.name, file_content_base64: await readBase64(file) };
      const { operation_id: id } = await api(`POST ${TABLE}/sheets/{sheet_id}/imports/file`, { path, body });
      onStart(id);
    } catch (error) {
      tools?.notify(noticeOf(error));
    }
  };
  return (
    <>
      <button className="button" onClick={() => field.current!.click()}>
        Import CSV
      </button>
      <input
        ref={field}
        type="file"
        accept=".csv,text/csv"
        aria-label="CSV file"
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void send(file);
          target.value = '';
        }}
      />
    </>
  );
}

function Export({ path, at }: { path: SheetPath; at: string }) {
  const link = (format: string) =>
    `/api/public/v2/tables/${path.table_id}/sheets/${path.sheet_id}/export?format=${format}${at === '' ? '' : `&version=${at}`}`;
  return (
    <details className="menu">
      <summary className="button">Export</summary>
      <ul>
        {['csv', 'jsonl', 'xlsx'].map((format) => (
          <li key={format}>
            <a href={link(format)} download>
              {format.toUpperCase()}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
