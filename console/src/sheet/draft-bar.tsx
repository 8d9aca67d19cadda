import type { RefObject } from 'react';
import { sentenceOf } from '../api/client';
import { counted } from '../ui/format';
import type { Editor } from './cell-editor';
import type { Spot } from './selection';
import { useSheet } from './sheet-data';

/** The texts that are on their cells but not stored, why that is so, and what can be done. */
export function DraftBar({ editor, onSelect }: { editor: RefObject<Editor | null>; onSelect: (spot: Spot) => void }) {
  const { columns, drafts, store } = useSheet();
  const { unsaved } = drafts;
  const [first] = unsaved;
  if (!first) return null;
  const column = columns.findIndex(({ id }) => id === first.column);
  const isShown = column >= 0 && first.row < (store.rowCount ?? 0);
  const edit = () => {
    onSelect({ row: first.row, column });
    editor.current?.start({ row: first.row, column }, first);
  };
  const error = unsaved.find((draft) => draft.error)?.error;
  return (
    <div className="notice bad" role="alert">
      <span>{`${counted(unsaved.length, 'cell')} not saved.${error ? ` ${sentenceOf(error)}` : ''}`}</span>
      <span className="spacer" />
      <button className="button" onClick={() => drafts.retry()}>
        {error ? 'Retry' : 'Save'}
      </button>
      {isShown && (
        <button className="button" onClick={edit}>
          Edit
        </button>
      )}
      <button className="button quiet" onClick={() => drafts.discard()}>
        Discard
      </button>
    </div>
  );
}
