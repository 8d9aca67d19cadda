import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { Target } from '../to-sheet/start-adding';
import { Where } from '../to-sheet/where';
import { FormDialog, type FormValues } from '../ui/form';
import { describeTaken, newDraft, type Taken } from './feed-draft';

const TABLES = '/api/public/v2/tables';

/** Asks which sheet a feed fills, and opens its form there. */
export function ChooseSheet({ taken, onClose }: { taken: Taken; onClose: () => void }) {
  const [, navigate] = useLocation();
  const refresh = useRefresh('tables', 'sheets');
  const [target, setTarget] = useState<Target>({ tableId: '', sheetId: '', title: `Live ${taken.source}` });
  const change = (part: Partial<Target>) => setTarget((before) => ({ ...before, ...part }));
  const choose = async (values: FormValues) => {
    const place = await sheetOf({ ...target, title: values.text('title') });
    void refresh();
    const query = new URLSearchParams({ side: 'feeds', feed: 'new', take: JSON.stringify(taken) });
    return `/tables/${place}?${query.toString()}`;
  };
  return (
    <FormDialog
      title={`Judge these ${taken.source} from now on`}
      submit={target.sheetId === '' ? 'Create the sheet and go on' : 'Go on'}
      onSubmit={choose}
      onDone={navigate}
      onClose={onClose}
    >
      <p dir="auto" className="breaks">
        {describeTaken(newDraft(taken.source, taken))}
      </p>
      <p className="quiet-text">They become rows of a sheet as they arrive, and its columns judge them.</p>
      <Where target={target} onChange={change} />
    </FormDialog>
  );
}

/** Gives the path of the sheet; one that does not exist yet is created blank. */
async function sheetOf({ tableId, sheetId, title }: Target): Promise<string> {
  if (sheetId !== '') return `${tableId}/${sheetId}`;
  if (tableId === '') {
    const { table, default_sheet: sheet } = await api(`POST ${TABLES}`, { body: { title } });
    return `${table.id}/${sheet!.id}`;
  }
  const { sheet } = await api(`POST ${TABLES}/{table_id}/sheets`, { path: { table_id: tableId }, body: { title } });
  return `${tableId}/${sheet.id}`;
}
