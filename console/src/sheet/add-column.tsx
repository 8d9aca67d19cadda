import { useState } from 'react';
import { api } from '../api/client';
import type { ColumnTypeBody } from '../api/schema.gen';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Options } from '../ui/options';
import { filledIn, type Schema, type Values } from '../ui/schema-fields';
import { SchemaForm } from '../ui/schema-form';
import { SHEET, useSheet } from './sheet-data';

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
  const [values, setValues] = useState<Values>({});
  const type = types.get(name);
  const choose = (next: string) => {
    setName(next);
    setValues({});
  };
  const add = async (form: FormValues) => {
    const config = filledIn((type?.config_schema ?? {}) as Schema, values) as never;
    await api(`POST ${SHEET}/columns`, { path, body: { title: form.text('title'), type: name, config } });
    refresh();
  };
  return (
    <FormDialog title="Add a column" submit="Add the column" onSubmit={add} onClose={onClose}>
      <TitleField />
      <TypeField name={name} onChange={choose} />
      {type && <ConfigForm key={type.type} type={type} values={values} onChange={setValues} />}
    </FormDialog>
  );
}

export function TitleField({ title }: { title?: string }) {
  return (
    <Field label="Title" isRequired>
      <input className="field" name="title" data-first="" required maxLength={255} defaultValue={title} />
    </Field>
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
            <Options pairs={members.map((each) => [each.type, each.title])} />
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
