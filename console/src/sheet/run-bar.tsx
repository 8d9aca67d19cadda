import { useEffect, useState } from 'react';
import { api } from '../api/client';
import type { OperationBody } from '../api/schema.gen';
import { count } from '../ui/format';
import { useProgress } from '../ui/use-progress';
import { noticeOf, type Overview, useSheet } from './sheet-data';

const SHEET = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}';

/** What is being computed, whoever has started it, and how the last run here ended. */
export function RunBar({ overview, onResume }: { overview: Overview | undefined; onResume: () => void }) {
  const [ended, setEnded] = useState<OperationBody[]>([]);
  const active = (overview?.active_operations ?? []).filter(
    ({ operation_id: id }) => !ended.some((each) => each.operation_id === id),
  );
  const last = active.length === 0 ? ended.at(-1) : undefined;
  return (
    <>
      {active.map((operation) => (
        <Run key={operation.operation_id} operation={operation} onEnd={(state) => setEnded((all) => [...all, state])} />
      ))}
      {last && last.status !== 'completed' && (
        <Ended operation={last} onResume={onResume} onClose={() => setEnded([])} />
      )}
    </>
  );
}

function Run({ operation: first, onEnd }: { operation: OperationBody; onEnd: (state: OperationBody) => void }) {
  const { path, refresh, notify, canEdit, store } = useSheet();
  const state = useProgress<OperationBody>(`${first.status_url}/events`, (last) => {
    refresh();
    onEnd(last);
  });
  const operation = state ?? first;
  const done = operation.completed_count + operation.failed_count;
  useEffect(() => store.refresh(), [store, done]);
  const cancel = async () => {
    try {
      await api(`DELETE ${SHEET}/operations/{operation_id}`, {
        path: { ...path, operation_id: operation.operation_id },
      });
    } catch (error) {
      notify(noticeOf(error));
    }
  };
  return (
    <div className="run-bar" role="group" aria-label="Recalculation">
      <progress max={Math.max(1, operation.cell_count)} value={done} aria-label="Cells done" />
      <span role="status">{`${count(done)} of ${count(operation.cell_count)} cells`}</span>
      {operation.failed_count > 0 && <span className="bad">{`${count(operation.failed_count)} failed`}</span>}
      <span className="spacer" />
      {canEdit && (
        <button className="button" onClick={() => void cancel()}>
          Cancel
        </button>
      )}
    </div>
  );
}

interface EndedProps {
  operation: OperationBody;
  onResume: () => void;
  onClose: () => void;
}

function Ended({ operation, onResume, onClose }: EndedProps) {
  const { canEdit } = useSheet();
  const done = operation.completed_count + operation.failed_count;
  const isCancelled = operation.status === 'cancelled';
  return (
    <div className="run-bar" role="status">
      <span>
        {isCancelled
          ? `Cancelled after ${count(done)} of ${count(operation.cell_count)} cells. The others are as they were.`
          : `${count(operation.failed_count)} of ${count(operation.cell_count)} cells failed.`}
      </span>
      <span className="spacer" />
      {isCancelled && canEdit && (
        <button className="button" onClick={onResume}>
          Resume
        </button>
      )}
      <button className="button quiet" onClick={onClose}>
        Dismiss
      </button>
    </div>
  );
}
