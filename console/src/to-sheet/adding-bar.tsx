import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { ImportOperationBody } from '../api/schema.gen';
import { NoWorker } from '../shell/no-worker';
import { GuardedButton } from '../shell/permissions';
import { count } from '../ui/format';
import { Icon } from '../ui/icons';
import { useProgress } from '../ui/use-progress';
import { type Adding, readAdding } from './start-adding';

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
  // Null when the server refuses the stream: no more events will come.
  const [last, setLast] = useState<ImportOperationBody | null>();
  const state = useProgress<ImportOperationBody>(`${path}/events`, setLast);
  const isLost = last === null;
  const hasFailed = isLost || state?.status === 'failed';
  const isOver = last !== undefined;
  return (
    <div className="notice" role="status">
      {!isOver && <progress aria-label="Progress" max={100} value={state?.progress ?? 0} />}
      <span className={hasFailed ? 'bad' : undefined}>{textOf(state, isLost)}</span>
      {!isOver && <NoWorker />}
      {isOver ? (
        <>
          {!hasFailed && (
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

function textOf(state: ImportOperationBody | null, isLost: boolean): string {
  if (isLost) return 'Import not found. Its table may have been deleted.';
  if (state?.status === 'failed') return `No rows were added. ${state.error_message ?? ''}`;
  if (state?.status !== 'completed') return `Adding requests to a sheet: ${state?.progress ?? 0} %`;
  const added = state.rows_added ?? 0;
  return `${count(added)} ${added === 1 ? 'row was' : 'rows were'} added to the sheet.`;
}
