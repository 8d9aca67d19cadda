import { useRef } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { readBase64 } from '../ui/read-file';

const TABLES = '/api/public/v2/tables';

/** A table with a blank sheet, or with one from a file. */
export function NewTable({ folder, onClose }: { folder: number | null; onClose: () => void }) {
  const [, navigate] = useLocation();
  const refresh = useRefresh('tables', 'folders');
  /** A table whose file was refused gets the next one. */
  const made = useRef<string | null>(null);
  const create = async (values: FormValues) => {
    const path = await createTable({ title: values.text('title'), file: values.file('file'), folder, made });
    void refresh();
    return path;
  };
  return (
    <FormDialog title="New table" submit="Create" onSubmit={create} onDone={(path) => navigate(path)} onClose={onClose}>
      <Field label="Title">
        <input className="field" name="title" data-first="" maxLength={255} placeholder="Untitled Table" />
      </Field>
      <Field
        label="CSV or JSON file (optional)"
        hint="For the first sheet. Without a file, the sheet starts with one column and one empty row."
      >
        <input className="file" name="file" type="file" accept=".csv,.json" />
      </Field>
    </FormDialog>
  );
}

/** Gives the path of the sheet. */
async function createTable(asked: {
  title: string;
  file: File | null;
  /** Null for the top level. */
  folder: number | null;
  made: { current: string | null };
}): Promise<string> {
  const { title, file, folder, made } = asked;
  const named = { folder_id: folder, ...(title !== '' && { title }) };
  if (!file) {
    const { table, default_sheet: sheet } = await api(`POST ${TABLES}`, { body: named });
    return `/tables/${table.id}/${sheet!.id}`;
  }
  const content = await readBase64(file);
  if (made.current === null) {
    const fromFile = { title: title || file.name.replace(/\.\w+$/, '') || file.name };
    const { table } = await api(`POST ${TABLES}`, {
      body: { ...fromFile, folder_id: folder, create_default_sheet: false },
    });
    made.current = table.id;
  }
  const source = { type: 'file' as const, file_name: file.name, file_content_base64: content };
  const answer = await api(`POST ${TABLES}/{table_id}/sheets`, {
    path: { table_id: made.current },
    body: { source } as never,
  });
  const { sheet, operation_id: id } = answer as { sheet: { id: string }; operation_id: string };
  return `/tables/${made.current}/${sheet.id}?import=${encodeURIComponent(id)}`;
}
