import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { TraceBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { AddToSheet } from '../to-sheet/add-to-sheet';
import { Dialog } from '../ui/dialog';
import { count } from '../ui/format';
import { Failure, Waiting } from '../ui/parts';
import { useUrlState } from '../ui/url-state';

const ADDING = { adding: '' };

/** What can be done with a trace: its calls go into a sheet, and it is closed. */
export function TraceActions({ trace, calls }: { trace: TraceBody; calls: number[] }) {
  const [open, setOpen] = useState<'adding' | 'closing' | null>(null);
  const [, setUrl] = useUrlState(ADDING);
  return (
    <>
      {calls.length > 0 && (
        <GuardedButton permission="TABLE_EDIT" onClick={() => setOpen('adding')}>
          Add its calls to a sheet
        </GuardedButton>
      )}
      {!trace.is_closed && (
        <button className="button" onClick={() => setOpen('closing')}>
          Close the trace
        </button>
      )}
      {open === 'closing' && <CloseTrace id={trace.trace_id} onClose={() => setOpen(null)} />}
      {open === 'adding' && (
        <AddToSheet
          title={(trace.name || 'Calls of a trace').slice(0, 255)}
          offers={[{ text: offerOf(calls), selection: { request_log_ids: calls.slice(0, MOST_ADDED) } }]}
          onClose={() => setOpen(null)}
          onStarted={(adding) => {
            setOpen(null);
            setUrl({ adding }, { replace: true });
          }}
        />
      )}
    </>
  );
}

/** More requests than that are not imported at once. */
const MOST_ADDED = 50_000;

function offerOf({ length }: number[]): string {
  if (length === 1) return 'The call of this trace';
  return `The ${count(Math.min(length, MOST_ADDED))} calls of this trace`;
}

/** Asks before: a closed trace cannot be opened again. */
function CloseTrace({ id, onClose }: { id: string; onClose: () => void }) {
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => api('POST /api/public/v2/traces/{trace_id}/close', { path: { trace_id: id } }),
    onSuccess: async () => {
      await Promise.all(['trace', 'traces'].map((name) => queries.invalidateQueries({ queryKey: [name] })));
      onClose();
    },
  });
  return (
    <Dialog label="Close the trace" className="to-sheet" onClose={onClose}>
      <h1>Close the trace?</h1>
      <Waiting on={isPending} />
      <p>Spans that arrive for it from now on are rejected. It cannot be opened again.</p>
      {error && <Failure error={error} />}
      <div className="actions">
        <button className="button" onClick={onClose}>
          Leave it open
        </button>
        <button className="button primary" data-first="" disabled={isPending} onClick={() => mutate()}>
          Close it
        </button>
      </div>
    </Dialog>
  );
}
