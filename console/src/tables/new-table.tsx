import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import { Dialog } from '../ui/dialog';
import { Failure } from '../ui/parts';
import { readBase64 } from '../ui/read-file';

const TABLES = '/api/public/v2/tables';

/** A table with a blank sheet, or with one from a file. */
export function NewTable({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [title, setTitle] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isSending, setSending] = useState(false);
  /** A table whose file was refused gets the next one. */
  const made = useRef<string | null>(null);
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    try {
      navigate(await createTable({ title: title.trim(), file, made }));
      void queries.invalidateQueries({ queryKey: ['tables'] });
    } catch (failure) {
      setError(failure as Error);
      setSending(false);
    }
  };
  return (
    <Dialog label="New table" className="new-table" onClose={onClose}>
      <form onSubmit={(event) => void create(event)}>
        <h1>New table</h1>
        <div className="form-field">
          <label htmlFor="table-title">Title</label>
          <input
            id="table-title"
            className="field"
            data-first=""
            maxLength={255}
            placeholder="Untitled Table"
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </div>
        <div className="form-field">
          <label htmlFor="table-file">
            CSV or JSON file <span className="quiet-text">for the first sheet</span>
          </label>
          <input
            id="table-file"
            type="file"
            accept=".csv,.json"
            onChange={({ target }) => setFile(target.files?.[0] ?? null)}
          />
          <p className="quiet-text">Without a file the sheet has one column and one empty row.</p>
        </div>
        {error && <Failure error={error} />}
        <div className="actions">
          <button className="button primary" disabled={isSending}>
            Create
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Gives the path of the sheet. */
async function createTable(asked: {
  title: string;
  file: File | null;
  made: { current: string | null };
}): Promise<string> {
  const { title, file, made } = asked;
  const named = title === '' ? {} : { title };
  if (!file) {
    const { table, default_sheet: sheet } = await api(`POST ${TABLES}`, { body: named });
    return `/tables/${table.id}/${sheet!.id}`;
  }
  const content = await readBase64(file);
  if (made.current === null) {
    const fromFile = { title: title || file.name.replace(/\.\w+$/, '') || file.name };
    const { table } = await api(`POST ${TABLES}`, { body: { ...fromFile, create_default_sheet: false } });
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
