import { useState } from 'react';
import type { ImportOperationBody } from '../api/schema.gen';
import { NoWorker } from '../shell/no-worker';
import { counted } from '../ui/format';
import { isGone, useProgress } from '../ui/use-progress';
import { useSheet } from './sheet-data';

/** Progress of an import. */
export function ImportBar({ id, onEnd }: { id: string; onEnd: () => void }) {
  const { path, refresh, notify } = useSheet();
  const [url] = useState(`/api/public/v2/tables/${path.table_id}/sheets/operations/${encodeURIComponent(id)}/events`);
  const state = useProgress<ImportOperationBody>(url, (last, error) => {
    if (isGone(error)) notify({ isBad: true, text: 'Import not found.' });
    else if (!last) notify({ text: 'The import continues. Its rows appear when it completes.' });
    else if (last.status !== 'failed') notify({ text: `Imported ${counted(last.rows_added ?? 0, 'row')}.` });
    else notify({ isBad: true, text: last.error_message ?? 'The import failed.' });
    refresh();
    onEnd();
  });
  return (
    <div className="notice" role="group" aria-label="Import">
      <progress max={100} value={state?.progress ?? 0} aria-label="Imported, in percent" />
      <span role="status">{state?.file_name ? `Importing ${state.file_name}` : 'Importing'}</span>
      <NoWorker />
    </div>
  );
}
