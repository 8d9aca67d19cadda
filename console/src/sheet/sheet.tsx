import './sheet.css';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { sentenceOf } from '../api/client';
import type { ColumnBody } from '../api/schema.gen';
import { useMe } from '../shell/session-context';
import { useKeys } from '../ui/keys';
import { Failure, Note, Waiting } from '../ui/parts';
import { useUnsaved } from '../ui/unsaved';
import { useUrlState } from '../ui/url-state';
import { AddColumn } from './add-column';
import { addCondition } from './add-condition';
import type { Editor } from './cell-editor';
import { CellPanel } from './cell-panel';
import { ColumnDialog } from './column-dialog';
import { ConditionBar } from './condition-bar';
import { DraftBar } from './draft-bar';
import { Drafts } from './drafts';
import { Foot } from './foot';
import { Grid } from './grid';
import { ImportBar } from './import-bar';
import { Recalculate } from './recalculate';
import { RowFilter } from './row-filter';
import type { Condition } from './row-look';
import { RunBar } from './run-bar';
import { type Selection, type Spot, within } from './selection';
import {
  type Notice,
  type Overview,
  SheetContext,
  type SheetPath,
  type SheetTools,
  useColumns,
  useColumnTypes,
  useForget,
  useOverview,
  useSheet,
  useStoreRevision,
  useTiles,
} from './sheet-data';
import { SheetHead } from './sheet-head';
import { SidePanel } from './side-panel';
import type { TileStore } from './tiles';
import { DEFAULTS, type Open, type SetState, type SheetState } from './state';
import type { View } from './arrange';
import { type Edits, useEdits } from './use-edits';
import { useFailingColumn } from './use-failing-column';
import { useArranging, useSheetView } from './use-view';
import { ValueBar } from './value-bar';

/** One sheet: its cells, its operations, and its versions at the side. */
export default function Sheet({ table, sheet }: { table: string; sheet: string }) {
  const path = useMemo<SheetPath>(() => ({ table_id: table, sheet_id: sheet }), [table, sheet]);
  const [state, set] = useUrlState(DEFAULTS);
  const head = useColumns(path, state.at);
  const types = useColumnTypes();
  const view = useSheetView(path);
  const drafts = useDrafts();
  const failed = [head, types, view].find(({ error }) => error);
  const isReady = head.data && types.data && view.data;
  return (
    <>
      {!isReady && <SheetHead path={path} state={state} set={set} onOpen={() => undefined} />}
      {!isReady && <Waiting on={!failed} />}
      {!isReady && failed && <Failure error={failed.error!} onRetry={() => void failed.refetch()} />}
      {isReady && (
        <Loaded
          path={path}
          drafts={drafts}
          all={head.data!.columns}
          view={view.data!}
          knownRows={head.data!.row_count ?? 0}
          knownVersion={head.data!.version}
          lastIndex={head.data!.data[0]?.row_index}
          types={types.types}
          state={state}
          set={set}
        />
      )}
    </>
  );
}

interface LoadedProps extends Pick<SheetTools, 'path' | 'drafts' | 'all' | 'types'> {
  view: View;
  knownRows: number;
  /** Version of the sheet from which the columns were read. */
  knownVersion: number;
  /** Index of the last known row. */
  lastIndex: number | undefined;
  state: SheetState;
  set: SetState;
}

function Loaded(props: LoadedProps) {
  const { path, drafts, all, view, types, knownRows, knownVersion, lastIndex, state, set } = props;
  const [notice, notify] = useState<Notice | null>(null);
  const [open, setOpen] = useState<Open>(null);
  const tools = useTools({ path, drafts, all, view, types, notify, set }, state);
  const { store, columns } = tools;
  useStoreRevision(store);
  const { data: overview } = useOverview(path);
  useNewVersions(tools, knownVersion, overview?.version);
  const rowCount = store.rowCount ?? knownRows;
  const edits = useEdits(tools, rowCount);
  const selection = useSelection(state, rowCount, columns.length);
  const editor = useRef<Editor>(null);
  const select = (next: Selection) => set(toState(next), { replace: true });
  const { row, column } = selection.head;
  useFailingColumn(tools, selection.head);
  useKeys({ Escape: () => set({ panel: '', side: '' }, { replace: true }) });
  const isKnown = store.rowCount !== null || knownRows === 0;
  return (
    <SheetContext value={tools}>
      <SheetHead path={path} state={state} set={set} onOpen={setOpen} />
      <Waiting on={store.isLoading} />
      <Importing state={state} set={set} />
      <RunBar overview={overview} onResume={() => setOpen('recalculate')} />
      {notice && <NoticeLine notice={notice} onClose={() => notify(null)} />}
      <DraftBar editor={editor} onSelect={(spot) => select(spotAt(spot.row, spot.column))} />
      <ConditionBar state={state} set={set} />
      {rowCount > 0 && <ValueBar row={row} column={column} />}
      <div className="sheet-body">
        <div className="sheet-main">
          <Cells rowCount={rowCount} isKnown={isKnown} set={set} onOpen={setOpen} edits={edits}>
            <Grid
              rowCount={rowCount}
              selection={selection}
              onSelect={select}
              onPanel={() => set({ panel: state.panel === '' ? '1' : '' }, { replace: true })}
              onBeside={() => set({ panel: '1' }, { replace: true })}
              onColumn={(id) => setOpen({ column: id })}
              onFilter={(id) => setOpen({ filter: id })}
              edits={edits}
              editor={editor}
            />
          </Cells>
        </div>
        <Beside spot={selection.head} rowCount={rowCount} state={state} set={set} />
      </div>
      <Foot
        overview={overview}
        rowCount={rowCount}
        knownRows={knownRows}
        isWithoutGaps={rowCount === knownRows && lastIndex === knownRows - 1}
        state={state}
        set={set}
        onRow={(at) => select(spotAt(at, column))}
        edits={edits}
      />
      <Dialogs open={open} overview={overview} column={columns[column]} onClose={() => setOpen(null)} />
    </SheetContext>
  );
}

const lookOf = ({ status, where, sort, order, at }: SheetState) => [status, where, sort, order, at];

/** Drafts survive every refresh and end with the sheet. */
function useDrafts(): Drafts {
  const [drafts] = useState(() => new Drafts());
  const keeper = useMemo(() => ({ isUnsaved: () => drafts.isUnsaved, settled: () => drafts.settled() }), [drafts]);
  useUnsaved(keeper);
  useEffect(() => () => drafts.drop(), [drafts]);
  return drafts;
}

type Given = Pick<SheetTools, 'path' | 'drafts' | 'all' | 'types' | 'notify' | 'set'> & { view: View };

function useTools({ view, ...given }: Given, state: SheetState): SheetTools {
  const { path, drafts, all, types, notify, set } = given;
  const { permissions } = useMe();
  const forget = useForget(path);
  const stored = useRef<TileStore>(null);
  const refresh = useCallback(() => {
    stored.current?.refresh();
    void forget();
  }, [forget]);
  const canEdit = state.at === '' && permissions.includes('TABLE_EDIT');
  const arranging = useArranging({ path, all, view, canEdit, notify, refresh });
  const columns = arranging.shown;
  const store = useTiles(given, columns, state);
  stored.current = store;
  return useMemo(
    () => ({ path, drafts, all, columns, arranging, types, store, canEdit, refresh, notify, set, state }),
    // The state is a new object in every render.
    [path, drafts, all, columns, arranging, types, store, canEdit, refresh, notify, set, JSON.stringify(lookOf(state))],
  );
}

/** The import of the URL; each has a bar of its own. */
function Importing({ state: { import: id }, set }: Pick<LoadedProps, 'state' | 'set'>) {
  return id === '' ? null : <ImportBar key={id} id={id} onEnd={() => set({ import: '' }, { replace: true })} />;
}

interface BesideProps extends Pick<LoadedProps, 'state' | 'set'> {
  spot: Spot;
  rowCount: number;
}

/** The panels at the side. */
function Beside({ spot: { row, column }, rowCount, state, set }: BesideProps) {
  const { columns } = useSheet();
  const hasCell = rowCount > 0 && columns[column] !== undefined;
  return (
    <>
      {state.panel !== '' && hasCell && (
        <CellPanel row={row} column={column} onClose={() => set({ panel: '' }, { replace: true })} />
      )}
      {state.side !== '' && <SidePanel state={state} set={set} />}
    </>
  );
}

interface DialogsProps {
  open: Open;
  overview: Overview | undefined;
  /** The column of the selected cell. */
  column: ColumnBody | undefined;
  onClose: () => void;
}

function Dialogs({ open, overview, column, onClose }: DialogsProps) {
  const tools = useSheet();
  if (open === null) return null;
  if (open === 'column') return <AddColumn onClose={onClose} />;
  if (open === 'recalculate') return <Recalculate overview={overview} column={column} onClose={onClose} />;
  const isFilter = 'filter' in open;
  const id = isFilter ? open.filter : open.column;
  const opened = tools.all.find((each) => each.id === id);
  if (!opened) return <ColumnGone onClose={onClose} />;
  if (!isFilter) return <ColumnDialog key={id} column={opened} onClose={onClose} />;
  const filter = (condition: Condition) => addCondition(tools, condition);
  return <RowFilter key={id} column={opened} onFilter={filter} onClose={onClose} />;
}

/** Closes the dialog of a column that somebody else has deleted. */
function ColumnGone({ onClose }: { onClose: () => void }) {
  const { notify } = useSheet();
  useEffect(() => {
    notify({ text: 'The column was deleted meanwhile.', isBad: true });
    onClose();
    // oxlint-disable-next-line exhaustive-deps -- once
  }, []);
  return null;
}

function NoticeLine({ notice, onClose }: { notice: Notice; onClose: () => void }) {
  return (
    <div className={notice.isBad ? 'notice bad' : 'notice'} role={notice.isBad ? 'alert' : 'status'}>
      <span>{notice.text}</span>
      <span className="spacer" />
      <button className="button quiet" onClick={onClose}>
        Dismiss
      </button>
    </div>
  );
}

interface CellsProps extends Pick<LoadedProps, 'set'> {
  rowCount: number;
  isKnown: boolean;
  onOpen: (open: Open) => void;
  edits: Edits;
  children: ReactNode;
}

/** The grid, or a hint when the sheet has no cells. */
function Cells({ rowCount, isKnown, set, onOpen, edits, children }: CellsProps) {
  const { store, canEdit } = useSheet();
  if (store.error && store.rowCount === null) return <Failure error={store.error} onRetry={() => store.refresh()} />;
  if (rowCount > 0 || !isKnown) {
    return (
      <>
        {store.error && <ReadError error={store.error} onRetry={() => store.refresh()} />}
        {children}
      </>
    );
  }
  if (store.isSelecting) {
    const clear = () => set({ status: '', where: '', sort: '', order: 'asc' });
    return (
      <Note title="No row matches" action={{ label: 'Show all rows', act: clear }}>
        <p>No rows match the filters above the grid.</p>
      </Note>
    );
  }
  return (
    <Note title="This sheet has no rows">
      {canEdit && <p>Add one and type into it, paste lines from a spreadsheet, or import a CSV.</p>}
      {canEdit && (
        <div className="actions">
          <button className="button" onClick={() => void edits.addRow()}>
            Add a row
          </button>
          <button className="button" onClick={() => onOpen('column')}>
            Add a column
          </button>
        </div>
      )}
    </Note>
  );
}

/** Cells that could not be read stay grey, beside others that were read. */
function ReadError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div className="notice bad" role="alert">
      <span>{`Some cells could not be read. ${sentenceOf(error)}`}</span>
      <span className="spacer" />
      <button className="button" onClick={onRetry}>
        Retry
      </button>
    </div>
  );
}

/** Reads the view again after somebody else, or the server, has changed the sheet. */
function useNewVersions({ store, refresh, state: { at } }: SheetTools, known: number, newest = 0): void {
  useEffect(() => {
    // Cells of a sheet without rows are not read.
    if (at === '' && newest > (store.version ?? known)) refresh();
  }, [store, refresh, known, newest, at]);
}

function useSelection({ cell, to }: SheetState, rows: number, columns: number): Selection {
  return useMemo(() => {
    const size = { rows: Math.max(1, rows), columns: Math.max(1, columns) };
    const head = within(readSpot(to === '' ? cell : to), size);
    return { anchor: within(readSpot(cell), size), head };
  }, [cell, to, rows, columns]);
}

function readSpot(text: string) {
  const [row, column] = text.split('.').map((part) => Math.max(1, Math.floor(Number(part)) || 1) - 1);
  return { row: row ?? 0, column: column ?? 0 };
}

const spotAt = (row: number, column: number): Selection => ({ anchor: { row, column }, head: { row, column } });

function toState({ anchor, head }: Selection): Partial<SheetState> {
  const write = ({ row, column }: { row: number; column: number }) => `${row + 1}.${column + 1}`;
  const [cell, to] = [write(anchor), write(head)];
  return { cell, to: to === cell ? '' : to };
}
