import { useState } from 'react';
import { api } from '../api/client';
import type { ColumnBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { FormDialog, type FormValues } from '../ui/form';
import { mended, type Schema, type Values } from '../ui/schema-fields';
import { TitleField } from './add-column';
import { ConfigForm } from './config-form';
import { withIds } from './config-values';
import { SHEET, useSheet } from './sheet-data';

const COLUMN = `${SHEET}/columns/{column_id}` as const;

/** Edits the title and the config of a column. */
export function ColumnDialog({ column, onClose }: { column: ColumnBody; onClose: () => void }) {
  const [isDeleting, setDeleting] = useState(false);
  if (isDeleting) return <DeleteColumn column={column} onClose={onClose} />;
  return <EditColumn column={column} onClose={onClose} onDelete={() => setDeleting(true)} />;
}

function DeleteColumn({ column, onClose }: { column: ColumnBody; onClose: () => void }) {
  const { path, refresh } = useSheet();
  const remove = async () => {
    await api(`DELETE ${COLUMN}`, { path: { ...path, column_id: column.id } });
    refresh();
  };
  return (
    <FormDialog
      title={`Delete “${column.title}”?`}
      submit="Delete"
      isDangerous
      cancel="Cancel"
      onSubmit={remove}
      onClose={onClose}
    >
      <p>Its cells are deleted and dependent cells become stale. You can restore it from an earlier version.</p>
    </FormDialog>
  );
}

function EditColumn({ column, onClose, onDelete }: { column: ColumnBody; onClose: () => void; onDelete: () => void }) {
  const { path, all, types, canEdit, refresh } = useSheet();
  const type = types.get(column.type);
  const [before] = useState(() => withIds(column.config, type?.source_keys ?? [], all));
  const [values, setValues] = useState<Values>(before);
  const save = async (form: FormValues) => {
    const config = type ? mended(type.config_schema as Schema, values) : values;
    const isChanged = JSON.stringify(values) !== JSON.stringify(before);
    const body = { title: form.text('title'), ...(isChanged && { config: config as never }) };
    await api(`PATCH ${COLUMN}`, { path: { ...path, column_id: column.id }, body });
    refresh();
  };
  const remove = canEdit && !column.is_system && (
    <>
      <span className="spacer" />
      <GuardedButton permission="TABLE_DELETE" className="button quiet bad" onClick={onDelete}>
        Delete the column
      </GuardedButton>
    </>
  );
  return (
    <FormDialog
      title={`Column “${column.title}”`}
      submit="Save"
      onSubmit={save}
      onClose={onClose}
      disabled={!canEdit}
      more={remove}
    >
      <TitleField title={column.title} />
      <p className="quiet-text">{type?.description ?? column.type}</p>
      {type && (
        <ConfigForm
          type={type}
          columns={all.filter(({ id }) => id !== column.id)}
          values={values}
          onChange={setValues}
        />
      )}
    </FormDialog>
  );
}
