import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { TraceBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { AddToSheet } from '../to-sheet/add-to-sheet';
import { FormDialog } from '../ui/form';
import { count } from '../ui/format';
import { useUrlState } from '../ui/url-state';

const ADDING = { adding: '' };

/** Actions on a trace: adding its calls to a sheet, and closing it. */
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
          Seal the trace
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

/** Maximum number of requests of an import. */
const MOST_ADDED = 50_000;

function offerOf({ length }: number[]): string {
  if (length === 1) return 'The call of this trace';
  return `The ${count(Math.min(length, MOST_ADDED))} calls of this trace`;
}

/** Asks for confirmation, because a closed trace cannot be opened again. */
function CloseTrace({ id, onClose }: { id: string; onClose: () => void }) {
  const refresh = useRefresh('trace', 'traces');
  const close = async () => {
    await api('POST /api/public/v2/traces/{trace_id}/close', { path: { trace_id: id } });
    await refresh();
  };
  return (
    <FormDialog
      title="Seal this trace permanently?"
      submit="Seal trace"
      cancel="Cancel"
      isDangerous
      onSubmit={close}
      onClose={onClose}
    >
      <p>New spans for it are rejected from now on. This cannot be undone.</p>
    </FormDialog>
  );
}
