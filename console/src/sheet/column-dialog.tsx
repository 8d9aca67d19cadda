import { type FormEvent, useState } from 'react';
import { api } from '../api/client';
import type { ColumnBody } from '../api/schema.gen';
import { Dialog } from '../ui/dialog';
import { Failure } from '../ui/parts';
import { filledIn, type Schema, type Values } from '../ui/schema-fields';
import { ConfigForm, TitleField } from './add-column';
import { useSheet } from './sheet-data';

const COLUMN = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns/{column_id}';

/** What a column is called and how it is computed. */
export function ColumnDialog({ column, onClose }: { column: ColumnBody; onClose: () => void }) {
  const [isDeleting, setDeleting] = useState(false);
  if (isDeleting) return <DeleteColumn column={column} onClose={onClose} />;
  return <EditColumn column={column} onClose={onClose} onDelete={() => setDeleting(true)} />;
}

/** Does what a form says, closes it, or shows why not. */
function useAttempt(act: () => Promise<unknown>, onClose: () => void) {
  const { refresh } = useSheet();
  const [error, setError] = useState<Error | null>(null);
  const attempt = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await act();
      refresh();
      onClose();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return { error, onSubmit: (event: FormEvent) => void attempt(event) };
}

function DeleteColumn({ column, onClose }: { column: ColumnBody; onClose: () => void }) {
  const { path } = useSheet();
  const { error, onSubmit } = useAttempt(
    () => api(`DELETE ${COLUMN}`, { path: { ...path, column_id: column.id } }),
    onClose,
  );
  return (
    <Dialog label="Delete the column" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <h1>{`Delete “${column.title}”?`}</h1>
        <p>Its cells go with it, and what was computed from it becomes stale. An earlier version brings it back.</p>
        {error && <Failure error={error} />}
        <div className="actions">
          <button className="button primary" data-first="">
            Delete it
          </button>
          <button type="button" className="button" onClick={onClose}>
            Keep it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function EditColumn({ column, onClose, onDelete }: { column: ColumnBody; onClose: () => void; onDelete: () => void }) {
  const { path, all, types, canEdit } = useSheet();
  const type = types.get(column.type);
  const [title, setTitle] = useState(column.title);
  const [before] = useState(() => withIds(column.config, type?.source_keys ?? [], all));
  const [values, setValues] = useState<Values>(before);
  const save = () => {
    const config = type ? mended(type.config_schema as Schema, values) : values;
    const isChanged = JSON.stringify(values) !== JSON.stringify(before);
    const body = { title: title.trim(), ...(isChanged && { config: config as never }) };
    return api(`PATCH ${COLUMN}`, { path: { ...path, column_id: column.id }, body });
  };
  const { error, onSubmit } = useAttempt(save, onClose);
  return (
    <Dialog label="Column" className="add-column" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <h1>{type?.title ?? column.type}</h1>
        {type && <p className="quiet-text">{type.description}</p>}
        <fieldset className="plain" disabled={!canEdit}>
          <TitleField value={title} onChange={setTitle} />
          {type && <ConfigForm type={type} values={values} onChange={setValues} without={column.id} />}
        </fieldset>
        {error && <Failure error={error} />}
        <div className="actions">
          {canEdit && <button className="button primary">Save</button>}
          <button type="button" className="button" onClick={onClose}>
            {canEdit ? 'Cancel' : 'Close'}
          </button>
          <span className="spacer" />
          {canEdit && !column.is_system && (
            <button type="button" className="button quiet bad" onClick={onDelete}>
              Delete the column
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** What the form does not know stays as it is. */
function mended(schema: Schema, values: Values): Values {
  const known = Object.keys(schema.properties ?? {});
  const others = Object.entries(values).filter(([key]) => !known.includes(key));
  return { ...Object.fromEntries(others), ...filledIn(schema, values) };
}

/** Configs name columns by title or id; the form knows ids alone. */
function withIds(config: Values, sourceKeys: string[], columns: ColumnBody[]): Values {
  const ids = new Map(columns.map(({ id, title }) => [title, id]));
  const idOf = (name: unknown) => (typeof name === 'string' ? (ids.get(name) ?? name) : name);
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(idOf);
    if (typeof value !== 'object' || value === null) return idOf(value);
    return Object.fromEntries(Object.entries(value).map(([key, name]) => [key, idOf(name)]));
  };
  const entries = Object.entries(config);
  return Object.fromEntries(entries.map(([key, value]) => [key, sourceKeys.includes(key) ? replaced(value) : value]));
}
