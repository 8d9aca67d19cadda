import './to-sheet.css';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client';
import { Dialog } from '../ui/dialog';
import { Failure, Waiting } from '../ui/parts';
import { type Selection, startAdding, type Target } from './start-adding';

/** A selection and what it is called, such as "These 3 requests". */
export interface Offer {
  text: string;
  selection: Selection;
}

interface Props {
  /** The first one is what somebody most likely means. */
  offers: Offer[];
  title: string;
  onStarted: (adding: string) => void;
  onClose: () => void;
}

/** Asks which requests go into which sheet, and starts to add them. */
export function AddToSheet({ offers, title, onStarted, onClose }: Props) {
  const [offer, setOffer] = useState(0);
  const [target, setTarget] = useState<Target>({ tableId: '', sheetId: '', title });
  const [withFacts, setWithFacts] = useState(true);
  const change = (part: Partial<Target>) => setTarget((before) => ({ ...before, ...part }));
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      startAdding(offers[offer]!.selection, target, { withFacts, onTable: (tableId) => change({ tableId }) }),
    onSuccess: onStarted,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Dialog label="Add to a sheet" className="to-sheet" onClose={onClose}>
      <h1>Add to a sheet</h1>
      <Waiting on={isPending} />
      <form onSubmit={submit}>
        {offers.map(({ text }, at) => (
          <label key={text} className="check">
            <input type="radio" name="offer" checked={offer === at} onChange={() => setOffer(at)} />
            {text}
          </label>
        ))}
        <Where target={target} onChange={change} />
        <label className="check">
          <input type="checkbox" checked={withFacts} onChange={(event) => setWithFacts(event.target.checked)} />
          With columns for id, model, status, latency and cost
        </label>
        {error && <Failure error={error} />}
        <div className="actions">
          <button className="button" type="button" onClick={onClose}>
            Cancel
          </button>
          <button className="button primary" data-first="" disabled={isPending}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** As many tables and sheets as fit into a choice. */
const MOST = 100;

/** The table and the sheet; new ones get a title. */
function Where({ target, onChange }: { target: Target; onChange: (change: Partial<Target>) => void }) {
  const { tableId, sheetId, title } = target;
  const tables = useQuery({
    queryKey: ['tables', 'choice'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tables', { query: { limit: MOST }, signal }),
  });
  const sheets = useQuery({
    queryKey: ['sheets', 'choice', tableId],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/tables/{table_id}/sheets', {
        path: { table_id: tableId },
        query: { limit: MOST },
        signal,
      }),
    enabled: tableId !== '',
  });
  const error = tables.error ?? sheets.error;
  return (
    <>
      <Named
        label="Table"
        anew="A new table"
        known={tables.data?.data ?? []}
        value={tableId}
        onChange={(id) => onChange({ tableId: id, sheetId: '' })}
      />
      {tableId !== '' && (
        <Named
          label="Sheet"
          anew="A new sheet"
          known={sheets.data?.data ?? []}
          value={sheetId}
          onChange={(id) => onChange({ sheetId: id })}
        />
      )}
      {sheetId === '' && (
        <label>
          Title
          <input
            className="field"
            required
            maxLength={255}
            value={title}
            onChange={(event) => onChange({ title: event.target.value })}
          />
        </label>
      )}
      {error && <Failure error={error} onRetry={() => void Promise.all([tables.refetch(), sheets.refetch()])} />}
    </>
  );
}

interface NamedProps {
  label: string;
  anew: string;
  known: { id: string; title: string }[];
  value: string;
  onChange: (id: string) => void;
}

function Named({ label, anew, known, value, onChange }: NamedProps) {
  return (
    <label>
      {label}
      <select className="field" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{anew}</option>
        {known.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
