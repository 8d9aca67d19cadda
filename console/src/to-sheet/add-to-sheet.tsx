import { useState } from 'react';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Options } from '../ui/options';
import { Failure } from '../ui/parts';
import { type Selection, startAdding, type Target } from './start-adding';
import { usePlaces } from './use-places';

/** A selection and what it is called, such as "These 3 requests". */
export interface Offer {
  text: string;
  /** A function where it has to be looked for first. */
  selection: Selection | (() => Promise<Selection>);
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
  const [target, setTarget] = useState<Target>({ tableId: '', sheetId: '', title });
  const change = (part: Partial<Target>) => setTarget((before) => ({ ...before, ...part }));
  const add = async (values: FormValues) => {
    const { selection } = offers[values.number('offer')!]!;
    const withFacts = values.all('facts').length > 0;
    const asked = { ...target, title: values.text('title') };
    const wanted = typeof selection === 'function' ? await selection() : selection;
    onStarted(await startAdding(wanted, asked, { withFacts, onTable: (tableId) => change({ tableId }) }));
  };
  return (
    <FormDialog title="Add to a sheet" submit="Add" onSubmit={add} onDone={() => undefined} onClose={onClose}>
      {offers.map(({ text }, at) => (
        <label key={text} className="tick">
          <input
            type="radio"
            name="offer"
            value={at}
            defaultChecked={at === 0}
            data-first={at === 0 ? '' : undefined}
          />
          {text}
        </label>
      ))}
      <Where target={target} onChange={change} />
      <label className="tick">
        <input type="checkbox" name="facts" defaultChecked />
        With columns for id, model, status, latency and cost
      </label>
    </FormDialog>
  );
}

/** The table and the sheet; new ones get a title. */
function Where({ target, onChange }: { target: Target; onChange: (change: Partial<Target>) => void }) {
  const { tableId, sheetId, title } = target;
  const { tables, sheets, error, refetch } = usePlaces(tableId);
  return (
    <>
      <Named
        label="Table"
        anew="A new table"
        known={tables}
        value={tableId}
        onChange={(id) => onChange({ tableId: id, sheetId: '' })}
      />
      {tableId !== '' && (
        <Named
          label="Sheet"
          anew="A new sheet"
          known={sheets}
          value={sheetId}
          onChange={(id) => onChange({ sheetId: id })}
        />
      )}
      {sheetId === '' && (
        <Field label="Title">
          <input className="field" name="title" required maxLength={255} defaultValue={title} />
        </Field>
      )}
      {error && <Failure error={error} onRetry={refetch} />}
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
    <Field label={label}>
      <select className="field" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{anew}</option>
        <Options pairs={known.map(({ id, title }) => [id, title])} />
      </select>
    </Field>
  );
}
