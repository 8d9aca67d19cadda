import { useEffect, useState } from 'react';
import { api } from '../api/client';
import type { OperationBody } from '../api/schema.gen';
import { NoWorker } from '../shell/no-worker';
import { count, counted } from '../ui/format';
import { isGone, useProgress } from '../ui/use-progress';
import { noticeOf, type Overview, SHEET, useSheet } from './sheet-data';

/** Progress of all running operations of the sheet, and the result of the last one. */
export function RunBar({ overview, onResume }: { overview: Overview | undefined; onResume: () => void }) {
  // An operation is followed to its end, although the overview may drop it sooner.
  const [followed, setFollowed] = useState<OperationBody[]>([]);
  const [ended, setEnded] = useState<OperationBody[]>([]);
  const active = overview?.active_operations;
  useEffect(() => {
    const isNew = ({ operation_id: id }: OperationBody) =>
      ![...followed, ...ended].some((each) => each.operation_id === id);
    const found = (active ?? []).filter(isNew);
    if (found.length > 0) setFollowed([...followed, ...found]);
  }, [active, followed, ended]);
  const inOverview = ({ operation_id: wanted }: OperationBody) => active?.find(({ operation_id: id }) => id === wanted);
  const leave = (operation: OperationBody) =>
    setFollowed((all) => all.filter(({ operation_id: id }) => id !== operation.operation_id));
  const end = (last: OperationBody) => {
    leave(last);
    setEnded((all) => [...all, last]);
  };
  const last = followed.length === 0 ? ended.at(-1) : undefined;
  const [dismissed, setDismissed] = useState<string | null>(null);
  return (
    <>
      {followed.map((operation, at) => (
        <Run
          key={operation.operation_id}
          operation={inOverview(operation) ?? operation}
          hasStream={at === 0 || (active !== undefined && !inOverview(operation))}
          onEnd={end}
          onLost={leave}
        />
      ))}
      {last && last.status !== 'completed' && last.operation_id !== dismissed && (
        <Ended operation={last} onResume={onResume} onClose={() => setDismissed(last.operation_id)} />
      )}
    </>
  );
}

interface RunProps {
  operation: OperationBody;
  /** One running operation has a stream, since browsers open six connections to a server. Others have one when they end. */
  hasStream: boolean;
  onEnd: (state: OperationBody) => void;
  /** The progress is unknown. The operation is followed again while the overview has it. */
  onLost: (operation: OperationBody) => void;
}

function Run({ operation: first, hasStream, onEnd, onLost }: RunProps) {
  const { path, refresh, notify, canEdit, store } = useSheet();
  const url = hasStream ? `${first.status_url}/events` : null;
  const state = useProgress<OperationBody>(url, (last, error) => {
    refresh();
    // An operation that is gone is over for this screen: the overview still counts the cells.
    if (!last) return isGone(error) ? onEnd({ ...first, status: 'completed' }) : onLost(first);
    // A cancelled run counts only the cells that it has computed.
    onEnd({ ...last, cell_count: Math.max(first.cell_count, last.cell_count) });
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
    <div className="notice" role="group" aria-label="Recalculation">
      <progress max={Math.max(1, operation.cell_count)} value={done} aria-label="Cells done" />
      <span role="status">{`Recalculating: ${count(done)} of ${counted(operation.cell_count, 'cell')}`}</span>
      <NoWorker />
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
    <div className="notice" role="status">
      <span>
        {isCancelled
          ? `Cancelled after ${count(done)} of ${count(operation.cell_count)} cells. The others are unchanged.`
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
