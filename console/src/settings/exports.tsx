import { useState } from 'react';
import { api } from '../api/client';
import { useCursorList, useRefresh } from '../api/lists';
import type { CreateExportRequest, ExportBody } from '../api/schema.gen';
import { NoWorker } from '../shell/no-worker';
import { GuardedButton } from '../shell/permissions';
import { useMe } from '../shell/session-context';
import { Field, FormDialog, type FormValues, SelectField } from '../ui/form';
import { bytes, count, DAYS, daysBefore, moment, UNKNOWN } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure, Waiting } from '../ui/parts';
import { More, Table } from '../ui/table';

export const SOURCES = { requests: 'Request logs', traces: 'Traces', spans: 'Spans' };
const FORMATS = { csv: 'CSV', jsonl: 'JSONL (one JSON object per line)', parquet: 'Parquet' };

export const isUnderWay = ({ status }: { status: string }) => status === 'queued' || status === 'running';

/** Files of request logs, traces and spans. */
export function Exports() {
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const list = useCursorList(
    ['exports'],
    (cursor, signal) => api('GET /api/public/v2/exports', { query: { cursor }, signal }),
    { isUnderWay, told: 'export' },
  );
  const failure = error ?? list.error;
  return (
    <section className="setting">
      <Waiting on={list.isPending} />
      <header>
        <h2>Exports</h2>
        <button className="button primary" onClick={() => setOpen(true)}>
          New export
        </button>
      </header>
      <p className="quiet-text">A file is a snapshot: data stored after the export began is not included.</p>
      {failure && <Failure error={failure} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && <p>No exports yet.</p>}
      {list.items.length > 0 && <ExportTable exports={list.items} onError={setError} />}
      <More list={list} />
      {isOpen && <NewExport onClose={() => setOpen(false)} />}
    </section>
  );
}

function ExportTable({ exports, onError }: { exports: ExportBody[]; onError: (error: Error) => void }) {
  return (
    <Table
      label="Exports"
      rows={exports}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Started', cell: ({ created_at }) => <Moment at={created_at} /> },
        { name: 'Data', cell: ({ source }) => SOURCES[source] },
        {
          name: 'Format',
          cell: ({ format, compression }) => `${format.toUpperCase()}${compression === 'gzip' ? ', gzip' : ''}`,
        },
        { name: 'Rows', className: 'number', cell: ({ row_count }) => count(row_count) },
        {
          name: 'Size',
          className: 'number',
          cell: (item) => (item.status === 'completed' ? bytes(item.bytes) : UNKNOWN),
        },
        { name: 'State', cell: (item) => <ExportState item={item} /> },
        { name: '', className: 'buttons', cell: (item) => <ExportButtons item={item} onError={onError} /> },
      ]}
    />
  );
}

/** Progress of an export, or the reason of its failure. */
export function ExportState({ item }: { item: ExportBody }) {
  if (item.status === 'running') {
    return (
      <>
        <progress max={100} value={item.progress} aria-label="Progress" /> {Math.round(item.progress)} % <NoWorker />
      </>
    );
  }
  if (item.status === 'failed') return <span className="bad breaks">failed: {item.error_message}</span>;
  if (item.status === 'completed' && item.expires_at) return <>ready until {moment(item.expires_at)}</>;
  return (
    <>
      {item.status} {item.status === 'queued' && <NoWorker />}
    </>
  );
}

/** Download, cancel, delete: whatever can be done with an export in its state. */
export function ExportButtons({ item, onError }: { item: ExportBody; onError: (error: Error) => void }) {
  const refresh = useRefresh('exports');
  const [isAsking, setAsking] = useState(false);
  const isOwn = useMe().key_id === item.created_by;
  const remove = async () => {
    await api('DELETE /api/public/v2/exports/{export_id}', { path: { export_id: item.id } });
    await refresh();
  };
  return (
    <>
      {item.status === 'completed' && (
        <a className="button" href={item.download_url} download>
          Download
        </a>
      )}
      <GuardedButton
        permission={isOwn ? null : 'ADMIN'}
        onClick={() => (item.status === 'completed' ? setAsking(true) : void remove().catch(onError))}
      >
        {isUnderWay(item) ? 'Cancel' : 'Delete'}
      </GuardedButton>
      {isAsking && (
        <FormDialog
          title="Delete this export?"
          submit="Delete"
          isDangerous
          onSubmit={remove}
          onClose={() => setAsking(false)}
        >
          <p>The file is deleted. The exported data stays.</p>
        </FormDialog>
      )}
    </>
  );
}

function NewExport({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh('exports');
  const start = async (values: FormValues) => {
    const source = values.text('source') as CreateExportRequest['source'];
    const days = values.number('days');
    const body = {
      source,
      format: values.text('format') as CreateExportRequest['format'],
      compression: values.all('gzip').length > 0 ? 'gzip' : 'none',
      q: values.optional('q'),
      ...(days !== null && { filters: [since(source, days)] }),
    } as CreateExportRequest;
    await api('POST /api/public/v2/exports', { body });
    await refresh();
  };
  return (
    <FormDialog title="New export" submit="Start" onSubmit={start} onClose={onClose}>
      <SelectField label="Data" name="source" options={SOURCES} />
      <SelectField label="Format" name="format" options={FORMATS} />
      <SelectField label="Period" name="days" options={DAYS} />
      <Field label="Words" hint="If empty, the file contains the whole period.">
        <input className="field" name="q" maxLength={1000} />
      </Field>
      <label className="tick">
        <input type="checkbox" name="gzip" /> Compress the file with gzip
      </label>
    </FormDialog>
  );
}

function since(source: CreateExportRequest['source'], days: number): object {
  const field = source === 'requests' ? 'request_start_time' : 'trace_start';
  return { field, operator: 'after', value: daysBefore(days, Date.now()) };
}
