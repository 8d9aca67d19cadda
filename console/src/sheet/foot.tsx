import { type FormEvent, useRef } from 'react';
import { count, counted } from '../ui/format';
import { Choice } from '../ui/search-field';
import { placeOf } from './place-of';
import { noticeOf, type Overview, useSheet } from './sheet-data';
import { filterOf } from './row-look';
import { ROW_HEIGHTS, type SheetState } from './state';
import type { Edits } from './use-edits';

interface Props {
  overview: Overview | undefined;
  /** Number of rows in the current look. */
  rowCount: number;
  /** Number of rows of the sheet. */
  knownRows: number;
  /** No row before the last one was deleted, so a row's number is its position. */
  isWithoutGaps: boolean;
  state: SheetState;
  set: (change: Partial<SheetState>) => void;
  /** Goes to a row by its position. */
  onRow: (at: number) => void;
  edits: Edits;
}

/** Numbers of rows and cells by state, and a field to go to a row. */
export function Foot({ overview, rowCount, knownRows, isWithoutGaps, state, set, onRow, edits }: Props) {
  const { columns, canEdit, store, arranging } = useSheet();
  const counts = overview?.status_counts;
  const isFiltered = state.at === '' && filterOf(state) !== null;
  const rows = isFiltered ? `${count(rowCount)} of ${counted(knownRows, 'row')}` : counted(rowCount, 'row');
  const pending = counts ? counts.QUEUED + counts.DISPATCHED : 0;
  const states: [status: string, count: number, word: string][] = counts
    ? [
        ['stale', counts.STALE, 'stale'],
        ['error', counts.FAILED, 'failed'],
        ['queued', pending, 'queued'],
        ['running', counts.RUNNING, 'running'],
      ]
    : [];
  return (
    <footer className="list-foot sheet-foot">
      <span role="status">{`${rows} × ${counted(columns.length, 'column')}`}</span>
      {state.at === '' &&
        states.map(([status, number, word]) =>
          number > 0 || state.status === status ? (
            <button
              key={status}
              className={`state ${status}`}
              aria-pressed={state.status === status}
              title={`Show only rows with a cell that is ${word}`}
              onClick={() => set({ status: state.status === status ? '' : status, cell: '1.1', to: '' })}
            >
              {`${count(number)} ${word}`}
            </button>
          ) : null,
        )}
      <span className="spacer" />
      {canEdit && !store.isSelecting && (
        <button className="button quiet" onClick={() => void edits.addRow()}>
          Add a row
        </button>
      )}
      <Choice
        label="Row height"
        options={Object.fromEntries(Object.entries(ROW_HEIGHTS))}
        value={String(arranging.lines)}
        onChange={(lines) => arranging.setLines(Number(lines))}
      />
      {state.sort === '' && (
        <JumpToRow onRow={onRow} isByPlace={isWithoutGaps && !isFiltered} filter={filterOf(state)} />
      )}
    </footer>
  );
}

interface JumpProps {
  onRow: (at: number) => void;
  isByPlace: boolean;
  /** The filter of the rows that are shown. */
  filter: ReturnType<typeof filterOf>;
}

function JumpToRow({ onRow, isByPlace, filter: shown }: JumpProps) {
  const { path, notify } = useSheet();
  const field = useRef<HTMLInputElement>(null);
  const go = async (event: FormEvent) => {
    event.preventDefault();
    const number = Math.floor(Number(field.current!.value));
    if (!Number.isFinite(number) || number < 1) return;
    try {
      onRow(isByPlace ? number - 1 : await placeOf(path, number - 1, shown));
      document.querySelector<HTMLElement>('[role=grid]')?.focus();
    } catch (error) {
      notify(noticeOf(error));
    }
  };
  return (
    <form className="jump" onSubmit={(event) => void go(event)}>
      <label htmlFor="jump">Go to row</label>
      <input id="jump" ref={field} className="field" inputMode="numeric" autoComplete="off" />
    </form>
  );
}
