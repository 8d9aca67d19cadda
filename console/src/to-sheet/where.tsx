import { Field } from '../ui/form';
import { Options } from '../ui/options';
import { Failure } from '../ui/parts';
import type { Target } from './start-adding';
import { usePlaces } from './use-places';

/** The table and the sheet; new ones get a title. */
export function Where({ target, onChange }: { target: Target; onChange: (change: Partial<Target>) => void }) {
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
