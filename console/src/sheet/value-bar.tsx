import { count } from '../ui/format';
import { shownIn, wordOf } from './cell-line';
import { useSheet } from './sheet-data';

/** The selected cell, with more of its text than fits into the cell. */
export function ValueBar({ row, column }: { row: number; column: number }) {
  const { store, columns, types } = useSheet();
  const cell = store.cell(row, column);
  const type = types.get(columns[column]?.type ?? '');
  const word = cell && wordOf(cell);
  return (
    <div className="value-bar" role="group" aria-label="Selected cell">
      <span className="place ellipsis">
        <bdi>{columns[column]?.title}</bdi>
        {` · ${cell ? count(cell.index + 1) : '…'}`}
      </span>
      {word && <span className={cell.status === 'error' ? 'bad' : 'quiet-text'}>{word}</span>}
      <span dir="auto" className="ellipsis value">
        {cell && shownIn(cell, type?.output)}
      </span>
    </div>
  );
}
