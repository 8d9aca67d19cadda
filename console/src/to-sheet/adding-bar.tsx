import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { ImportOperationBody } from '../api/schema.gen';
import { NoWorker } from '../shell/no-worker';
import { GuardedButton } from '../shell/permissions';
import { count } from '../ui/format';
import { Icon } from '../ui/icons';
import { isGone, useProgress } from '../ui/use-progress';
import { type Adding, readAdding } from './start-adding';

/** How the stream of an import ended: with its last state, without one, or because there is no such import. */
type End = 'reported' | 'unknown' | 'gone';

interface Props {
  /** The import, as the URL has it. */
  text: string;
  onClose: () => void;
}

/** Progress of an import into a sheet, at the top of the screen that started it. */
export function AddingBar({ text, onClose }: Props) {
  const adding = readAdding(text);
  return adding && <Bar key={text} adding={adding} onClose={onClose} />;
}

function Bar({ adding, onClose }: { adding: Adding; onClose: () => void }) {
  const { tableId, sheetId, operationId } = adding;
  const path = `/api/public/v2/tables/${encodeURIComponent(tableId)}/sheets/operations/${encodeURIComponent(operationId)}`;
  const [end, setEnd] = useState<End | null>(null);
  const state = useProgress<ImportOperationBody>(`${path}/events`, (last, error) =>
    setEnd(last ? 'reported' : isGone(error) ? 'gone' : 'unknown'),
  );
  const hasFailed = end === 'gone' || end === 'unknown' || state?.status === 'failed';
  const isOver = end !== null;
  return (
    <div className="notice" role="status">
      {!isOver && <progress aria-label="Progress" max={100} value={state?.progress ?? 0} />}
      <span className={hasFailed ? 'bad' : undefined}>{textOf(state, end)}</span>
      {!isOver && <NoWorker />}
      {isOver ? (
        <>
          {(!hasFailed || end === 'unknown') && (
            <Link className="button" href={`/tables/${tableId}/${sheetId}`}>
              Open the sheet
            </Link>
          )}
          <span className="spacer" />
          <button className="button quiet" aria-label="Close this message" onClick={onClose}>
            <Icon name="close" />
          </button>
        </>
      ) : (
        <CancelButton adding={adding} />
      )}
    </div>
  );
}

/** Requests the cancellation. The import ends when its worker notices; an event reports that. */
function CancelButton({ adding: { tableId, operationId } }: { adding: Adding }) {
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: () =>
      api('DELETE /api/public/v2/tables/{table_id}/sheets/operations/{operation_id}', {
        path: { table_id: tableId, operation_id: operationId },
      }),
  });
  return (
    <>
      <GuardedButton permission="TABLE_EDIT" disabled={isPending || isSuccess} onClick={() => mutate()}>
        {isSuccess ? 'Cancelling' : 'Cancel'}
      </GuardedButton>
      {error && <span className="bad">{error.message}</span>}
    </>
  );
}

function textOf(state: ImportOperationBody | null, end: End | null): string {
  if (end === 'gone') return 'Import not found. Its table may have been deleted.';
  if (end === 'unknown') return 'The server reports no progress of the import, which may go on.';
  if (state?.status === 'failed') return `No rows were added. ${state.error_message ?? ''}`;
  if (state?.status !== 'completed') return `Adding requests to a sheet: ${state?.progress ?? 0} %`;
  const added = state.rows_added ?? 0;
  return `${count(added)} ${added === 1 ? 'row was' : 'rows were'} added to the sheet.`;
}
