import './add-column.css';
import { useState } from 'react';
import { api } from '../api/client';
import type { ColumnTypeBody } from '../api/schema.gen';
import { Dialog } from '../ui/dialog';
import { Field, Form, type FormValues } from '../ui/form';
import { counted } from '../ui/format';
import { filledIn, isFilledIn, type Schema, type Values } from '../ui/schema-fields';
import { ColumnList } from './column-list';
import { ColumnTry, priceOf } from './column-try';
import { ConfigForm, useConfig } from './config-form';
import { SHEET, useSheet } from './sheet-data';
import { type ColumnTrial, useColumnTrial } from './use-column-trial';

/** The name of the button that adds a column without computing it. */
const ADD_ONLY = 'add-only';

/** A new column: its type, its form, and a preview of its first rows. */
export function AddColumn({ onClose }: { onClose: () => void }) {
  const { path, all, types, refresh } = useSheet();
  const [name, setName] = useState('TEXT');
  const [values, setValues] = useState<Values>({});
  const type = types.get(name);
  const { names, mapped } = useConfig(type, values, all);
  const schema = (type?.config_schema ?? {}) as Schema;
  const config = filledIn(schema, mapped);
  const trial = useColumnTrial(type, isFilledIn(schema, config) ? config : null);
  const choose = (next: string) => {
    setName(next);
    setValues({});
  };
  const add = async (form: FormValues) => {
    const compute = form.optional(ADD_ONLY) === null;
    const body = { title: form.text('title'), type: name, config: config as never, compute };
    await api(`POST ${SHEET}/columns`, { path, body });
    refresh();
  };
  return (
    <Dialog label="Add a column" className="add-column" onClose={onClose}>
      <h1 className="visually-hidden">Add a column</h1>
      <ColumnList types={[...types.values()]} chosen={name} onChoose={choose} />
      <div className="column-form">
        <Form
          submit={submitOf(type, trial)}
          onSubmit={add}
          onDone={onClose}
          onCancel={onClose}
          more={
            type?.computed && (
              <button className="button" name={ADD_ONLY} value="yes">
                Add only
              </button>
            )
          }
        >
          {type && <h2>{type.title}</h2>}
          {type && <p className="quiet-text">{type.description}</p>}
          <TitleField />
          {type && (
            <ConfigForm key={type.type} type={type} columns={all} values={mapped} names={names} onChange={setValues} />
          )}
        </Form>
      </div>
      <ColumnTry trial={trial} source={sourceOf(type, config)} output={type?.output ?? 'text'} />
    </Dialog>
  );
}

/** Text of the submit button, with the cost if it is known. */
function submitOf(type: ColumnTypeBody | undefined, { plan }: ColumnTrial): string {
  if (!type?.computed) return 'Add the column';
  if (!plan) return 'Add and compute all rows';
  return `Add and compute ${counted(plan.cell_count, 'row')}${priceOf(plan)}`;
}

/** The first column that the config reads. */
function sourceOf(type: ColumnTypeBody | undefined, config: Values): string | null {
  for (const key of type?.source_keys ?? []) {
    const value = config[key];
    const found = typeof value === 'object' && value !== null ? Object.values(value).find(Boolean) : value;
    if (typeof found === 'string' && found !== '') return found;
  }
  return null;
}

export function TitleField({ title }: { title?: string }) {
  return (
    <Field label="Title" isRequired>
      <input className="field" name="title" data-first="" required maxLength={255} defaultValue={title} />
    </Field>
  );
}
