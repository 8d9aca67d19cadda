import { Field } from '../ui/form';
import { Options } from '../ui/options';
import { Failure } from '../ui/parts';
import { usePlaces } from './use-places';

/** A sheet in its table; empty while nothing is chosen. */
export interface Place {
  tableId: string;
  sheetId: string;
}

interface Props {
  place: Place;
  /** Called with the titles of both, if they are chosen. */
  onChange: (place: Place, title: string) => void;
}

/** The choice of a table and of a sheet of it. */
export function PlaceFields({ place: { tableId, sheetId }, onChange }: Props) {
  const { tables, sheets, error, refetch } = usePlaces(tableId);
  const titleOf = (known: Named['known'], id: string) => known.find((each) => each.id === id)?.title ?? '';
  return (
    <>
      <NamedField
        label="Table"
        known={tables}
        value={tableId}
        onChange={(id) => onChange({ tableId: id, sheetId: '' }, '')}
      />
      <NamedField
        label="Sheet"
        known={sheets}
        value={sheetId}
        onChange={(id) => onChange({ tableId, sheetId: id }, `${titleOf(tables, tableId)} › ${titleOf(sheets, id)}`)}
      />
      {error && <Failure error={error} onRetry={refetch} />}
    </>
  );
}

interface Named {
  label: string;
  known: { id: string; title: string }[];
  value: string;
  onChange: (id: string) => void;
}

function NamedField({ label, known, value, onChange }: Named) {
  return (
    <Field label={label} isRequired>
      <select className="field" required value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose</option>
        <Options pairs={known.map(({ id, title }) => [id, title])} />
      </select>
    </Field>
  );
}
