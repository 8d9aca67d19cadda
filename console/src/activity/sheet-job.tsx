import { Link } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { SheetImportBody, SheetOperationBody } from '../api/schema.gen';
import { isUnderWay } from '../settings/exports';
import { NoWorker } from '../shell/no-worker';
import { GuardedButton } from '../shell/permissions';
import { count } from '../ui/format';
import type { Happening } from './use-activity';

type Job = Extract<Happening, { kind: 'operations' | 'imports' }>;

/** A computation or an import of a sheet: its progress, who started it, and a button to cancel it. */
export function SheetJob({ job, onError }: { job: Job; onError: (error: Error) => void }) {
  const refresh = useRefresh(job.kind);
  const { operation_id, table_id, sheet_id, started_by } = job.item;
  const cancel = async () => {
    const path = { table_id, sheet_id, operation_id };
    if (job.kind === 'imports') {
      await api('DELETE /api/public/v2/tables/{table_id}/sheets/operations/{operation_id}', { path });
    } else await api('DELETE /api/public/v2/tables/{table_id}/sheets/{sheet_id}/operations/{operation_id}', { path });
    await refresh();
  };
  return (
    <>
      <span className="breaks">
        <SheetPlace {...job.item} />
        {': '}
        {job.kind === 'imports' ? <ImportState item={job.item} /> : <OperationState item={job.item} />}
        {started_by !== null && <span className="quiet-text"> by {started_by}</span>}
        {isUnderWay(job.item) && <NoWorker />}
      </span>
      <span className="buttons">
        {isUnderWay(job.item) && (
          <GuardedButton permission="TABLE_EDIT" onClick={() => void cancel().catch(onError)}>
            Cancel
          </GuardedButton>
        )}
      </span>
    </>
  );
}

type Place = Pick<SheetOperationBody, 'table_id' | 'sheet_id' | 'sheet_title'>;

/** `side` is the panel that is open beside the grid. */
export function SheetLink({ table_id, sheet_id, sheet_title, side }: Place & { side?: string }) {
  return (
    <Link className="link" href={`/tables/${table_id}/${sheet_id}${side ? `?side=${side}` : ''}`}>
      {sheet_title}
    </Link>
  );
}

/** A sheet with its table, because many sheets keep their default name. */
export function SheetPlace({ table_title, ...place }: Place & Pick<SheetOperationBody, 'table_title'>) {
  return (
    <>
      <SheetLink {...place} />
      {` in ${table_title}`}
    </>
  );
}

export function OperationState({ item }: { item: SheetOperationBody }) {
  const { status, cell_count: cells, failed_count: failed, message } = item;
  const done = item.completed_count + failed;
  return (
    <>
      {isUnderWay(item) && <progress max={Math.max(1, cells)} value={done} aria-label="Cells done" />}
      <span className={status === 'failed' ? 'bad' : undefined}>{` ${status}`}</span>
      {`, ${isUnderWay(item) ? `${count(done)} of ` : ''}${cells === 1 ? '1 cell' : `${count(cells)} cells`}`}
      {failed > 0 && ', '}
      {failed > 0 && <span className="bad">{`${failed === cells ? 'all' : count(failed)} failed`}</span>}
      {message !== null && <span className="quiet-text"> {message}</span>}
    </>
  );
}

export function ImportState({ item }: { item: SheetImportBody }) {
  const { status, progress, rows_added: rows, file_name: file, error_message: problem } = item;
  return (
    <>
      {isUnderWay(item) && <progress max={100} value={progress} aria-label="Progress" />}
      <span className={status === 'failed' ? 'bad' : undefined}>{` ${status}`}</span>
      {rows !== null && `, ${rows === 1 ? '1 row' : `${count(rows)} rows`}`}
      {file !== null && ` of ${file}`}
      {problem !== null && <span className="quiet-text"> {problem}</span>}
    </>
  );
}
