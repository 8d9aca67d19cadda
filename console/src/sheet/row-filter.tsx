import { useState } from 'react';
import type { ColumnBody } from '../api/schema.gen';
import { Field, FormDialog } from '../ui/form';
import { Options, pairsOf } from '../ui/options';
import { type Condition, isComplete, takesText, type Test, TESTS } from './row-look';
import { useSheet } from './sheet-data';

interface Props {
  column: ColumnBody;
  onFilter: (condition: Condition) => void;
  onClose: () => void;
}

/** Asks which rows are shown, by the cells of one column. */
export function RowFilter({ column, onFilter, onClose }: Props) {
  const { types } = useSheet();
  const type = types.get(column.type);
  const [test, setTest] = useState<Test>(type?.output === 'number' ? 'between' : 'contains');
  const [value, setValue] = useState('');
  const [to, setTo] = useState('');
  const offered = Object.entries(TESTS).filter(([name]) => type?.computed || !STATES.includes(name));
  const condition = { column: column.id, test, ...usedValues(test, { value, to }) };
  const filter = () => {
    if (!isComplete(condition))
      return Promise.reject(new Error(`Enter ${test === 'between' ? 'a number' : 'a text'}.`));
    onFilter(condition);
    return Promise.resolve();
  };
  return (
    <FormDialog title={`Filter rows by “${column.title}”`} submit="Filter rows" onSubmit={filter} onClose={onClose}>
      <Field label="Show rows where the cell">
        <select className="field" data-first="" value={test} onChange={(event) => setTest(event.target.value as Test)}>
          <Options pairs={pairsOf(Object.fromEntries(offered))} />
        </select>
      </Field>
      {takesText(test) && (
        <Field label="Text" hint="Case-sensitive only for “is” and “is not”.">
          <input className="field" maxLength={1000} value={value} onChange={(event) => setValue(event.target.value)} />
        </Field>
      )}
      {test === 'between' && (
        <div className="columns">
          <NumberField label="From" value={value} onChange={setValue} />
          <NumberField label="To" value={to} onChange={setTo} />
        </div>
      )}
    </FormDialog>
  );
}

/** States that only computed cells have. */
const STATES: readonly string[] = ['failed', 'stale', 'waiting'];

function usedValues(test: Test, { value, to }: Pick<Condition, 'value' | 'to'>): Pick<Condition, 'value' | 'to'> {
  if (test === 'between') return { value, to };
  return { value: takesText(test) ? value : '', to: '' };
}

function NumberField(props: { label: string; value: string; onChange: (value: string) => void }) {
  const { label, value, onChange } = props;
  return (
    <Field label={label}>
      <input
        type="number"
        step="any"
        className="field"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
