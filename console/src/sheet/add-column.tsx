import { type FormEvent, useState } from 'react';
import { api } from '../api/client';
import type { ColumnTypeBody } from '../api/schema.gen';
import { Dialog } from '../ui/dialog';
import { Failure } from '../ui/parts';
import { filledIn, type Schema, type Values } from '../ui/schema-fields';
import { SchemaForm } from '../ui/schema-form';
import { useSheet } from './sheet-data';

const COLUMNS = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns';

/** In which order kinds of columns are offered, and what they are called. Kinds that are not here come last, under their own name. */
const KINDS: Record<string, string> = {
  input: 'Written by people',
  manual: 'Written by people',
  external: 'Computed by models, code and services',
  deterministic: 'Computed by the server',
};

/** A new column. Its form is made of the JSON Schema of its type, so types of extensions are here by themselves. */
export function AddColumn({ onClose }: { onClose: () => void }) {
  const { path, types, refresh } = useSheet();
  const [name, setName] = useState('TEXT');
  const [title, setTitle] = useState('');
  const [values, setValues] = useState<Values>({});
  const [error, setError] = useState<Error | null>(null);
  const [isSending, setSending] = useState(false);
  const type = types.get(name);
  const choose = (next: string) => {
    setName(next);
    setValues({});
    setError(null);
  };
  const add = async (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    try {
      const config = filledIn((type?.config_schema ?? {}) as Schema, values);
      await api(`POST ${COLUMNS}`, { path, body: { title: title.trim(), type: name, config: config as never } });
      refresh();
      onClose();
    } catch (failure) {
      setError(failure as Error);
      setSending(false);
    }
  };
  return (
    <Dialog label="Add a column" className="add-column" onClose={onClose}>
      <form onSubmit={(event) => void add(event)}>
        <h1>Add a column</h1>
        <TitleField value={title} onChange={setTitle} />
        <TypeField name={name} onChange={choose} />
        {type && <ConfigForm key={type.type} type={type} values={values} onChange={setValues} />}
        {error && <Failure error={error} />}
        <div className="actions">
          <button className="button primary" disabled={isSending}>
            Add the column
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function TitleField({ value, onChange }: { value: string; onChange: (title: string) => void }) {
  return (
    <div className="form-field">
      <label htmlFor="column-title">
        Title <span className="quiet-text">required</span>
      </label>
      <input
        id="column-title"
        className="field"
        data-first=""
        required
        maxLength={255}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

function TypeField({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  const { types } = useSheet();
  const description = types.get(name)?.description;
  return (
    <div className="form-field">
      <label htmlFor="column-type">Type</label>
      <select id="column-type" className="field" value={name} onChange={(event) => onChange(event.target.value)}>
        {groupsOf([...types.values()]).map(([label, members]) => (
          <optgroup key={label} label={label}>
            {members.map((each) => (
              <option key={each.type} value={each.type}>
                {each.title}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {description && <p className="quiet-text">{description}</p>}
    </div>
  );
}

interface ConfigProps {
  type: ColumnTypeBody;
  values: Values;
  onChange: (values: Values) => void;
  /** A column cannot read itself. */
  without?: string;
}

export function ConfigForm({ type, values, onChange, without }: ConfigProps) {
  const { all } = useSheet();
  const offered = all.filter(({ id }) => id !== without).map(({ id, title }) => ({ value: id, title }));
  const choices = Object.fromEntries(type.source_keys.map((key) => [key, offered]));
  return <SchemaForm schema={type.config_schema as Schema} values={values} onChange={onChange} choices={choices} />;
}

function groupsOf(types: ColumnTypeBody[]): [string, ColumnTypeBody[]][] {
  const order = Object.keys(KINDS);
  const place = ({ kind }: ColumnTypeBody) => (order.includes(kind) ? order.indexOf(kind) : order.length);
  const offered = types
    .filter(({ creatable }) => creatable)
    .toSorted((a, b) => place(a) - place(b) || a.title.localeCompare(b.title));
  return [...Map.groupBy(offered, ({ kind }) => KINDS[kind] ?? 'Others')];
}
