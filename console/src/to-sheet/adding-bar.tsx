import './to-sheet.css';
import { Link } from 'wouter';
import { useProgress } from '../api/progress';
import type { ImportOperationBody } from '../api/schema.gen';
import { count } from '../ui/format';
import { Icon } from '../ui/icons';
import { type Adding, readAdding } from './start-adding';

interface Props {
  /** As it stands in the URL. */
  text: string;
  onClose: () => void;
}

/** How far an import into a sheet is, at the top of the screen that started it. */
export function AddingBar({ text, onClose }: Props) {
  const adding = readAdding(text);
  return adding && <Bar key={text} adding={adding} onClose={onClose} />;
}

function Bar({ adding, onClose }: { adding: Adding; onClose: () => void }) {
  const { tableId, sheetId, operationId } = adding;
  const path = `/api/public/v2/tables/${encodeURIComponent(tableId)}/sheets/operations/${encodeURIComponent(operationId)}`;
  const { state, hasEnded, isLost } = useProgress<ImportOperationBody>(`${path}/events`);
  const hasFailed = isLost || state?.status === 'failed';
  return (
    <div className="long-work" role="status">
      {!hasEnded && !isLost && <progress aria-label="Progress" max={100} value={state?.progress ?? 0} />}
      <span className={hasFailed ? 'bad' : undefined}>{textOf(state, isLost)}</span>
      {state?.status === 'completed' && (
        <Link className="button" href={`/tables/${tableId}/${sheetId}`}>
          Open the sheet
        </Link>
      )}
      <span className="spacer" />
      {(hasEnded || isLost) && (
        <button className="button quiet" aria-label="Close this message" onClick={onClose}>
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

function textOf(state: ImportOperationBody | null, isLost: boolean): string {
  if (isLost) return 'This import is not known here. It may belong to a table that was deleted.';
  if (state?.status === 'failed') return `Nothing was added. ${state.error_message ?? ''}`;
  if (state?.status !== 'completed') return `Adding requests to a sheet: ${state?.progress ?? 0} %`;
  const added = state.rows_added ?? 0;
  return `${count(added)} ${added === 1 ? 'row was' : 'rows were'} added to the sheet.`;
}
