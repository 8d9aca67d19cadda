import { useState } from 'react';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { ColumnBody, GridRowBody, GridRowsResponse, RowsResponse } from '../api/schema.gen';
import { mappedByName } from '../sheet/column-names';
import { ofRows } from '../sheet/sheet-data';
import { type Place, PlaceFields } from '../to-sheet/place-fields';
import { Field, FormDialog } from '../ui/form';
import { count, counted } from '../ui/format';
import { Options } from '../ui/options';
import { Failure, Waiting } from '../ui/parts';
import { More, Table } from '../ui/table';
import type { Case, Filled } from './draft';
import { caseOf, type Mapping, MOST_ROWS } from './rows';

const ROWS = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows';
const PAGE = 20;

interface Props {
  variables: string[];
  onFill: (cases: Case[], from: Filled) => void;
  onClose: () => void;
}

const pathOf = ({ tableId, sheetId }: Place) => ({ table_id: tableId, sheet_id: sheetId });

/** Makes a case of each row that is picked, with the values of its cells. */
export function FillFromRows({ variables, onFill, onClose }: Props) {
  const [place, setPlace] = useState<Place>({ tableId: '', sheetId: '' });
  const [title, setTitle] = useState('');
  const [picked, setPicked] = useState<number[]>([]);
  const [chosen, setChosen] = useState<Mapping>({});
  const { list, columns } = useSheetRows(place);
  const mapping = mappedByName(variables, columns, chosen);
  const fill = async (): Promise<Case[]> => {
    if (picked.length === 0) throw new Error('Pick at least one row.');
    if (!Object.values(mapping).some(Boolean)) throw new Error('Choose a column for at least one variable.');
    const ids = [...new Set(Object.values(mapping).flatMap((id) => id || []))];
    const body = { filter: ofRows(picked), columns: ids, limit: MOST_ROWS };
    const { data } = (await api(`POST ${ROWS}/search`, { path: pathOf(place), body })) as RowsResponse;
    return data.map(({ cells }) => caseOf(cells, mapping));
  };
  const filled = { key: place.sheetId, title, href: `/tables/${place.tableId}/${place.sheetId}` };
  return (
    <FormDialog
      title="Fill cases from a sheet"
      submit={picked.length === 0 ? 'Fill cases' : `Fill ${counted(picked.length, 'case')}`}
      isWide
      isChanged={picked.length > 0}
      onSubmit={fill}
      onDone={(cases) => onFill(cases, filled)}
      onClose={onClose}
    >
      <PlaceFields
        place={place}
        onChange={(next, named) => {
          setPlace(next);
          setTitle(named);
          setPicked([]);
          setChosen({});
        }}
      />
      <Waiting on={list.isFetching} />
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {columns.length > 0 && (
        <>
          <div className="columns">
            {variables.map((name) => (
              <Field key={name} label={`Column of ${name}`}>
                <select
                  className="field"
                  value={mapping[name] ?? ''}
                  onChange={({ target }) => setChosen({ ...chosen, [name]: target.value || null })}
                >
                  <Options pairs={[['', 'None'], ...columns.map((column) => [column.id, column.title] as const)]} />
                </select>
              </Field>
            ))}
          </div>
          <PickedRows rows={list.items} columns={columns} mapping={mapping} picked={picked} onPick={setPicked} />
          <More list={list} />
        </>
      )}
    </FormDialog>
  );
}

function useSheetRows(place: Place) {
  const list = useCursorList(
    ['playground-rows', place.sheetId],
    async (cursor, signal) => {
      const query = { view: 'grid' as const, limit: PAGE, include_columns: true, cursor };
      const page = (await api(`GET ${ROWS}`, { path: pathOf(place), query, signal })) as GridRowsResponse;
      const at = new Map(page.column_ids.map((id, index) => [id, index]));
      return { ...page, data: page.data.map((row) => ({ ...row, at })) };
    },
    { enabled: place.sheetId !== '' },
  );
  // While a sheet loads, the rows of the one before would still be there.
  const first = list.isPlaceholderData ? undefined : (list.data?.pages[0] as GridRowsResponse | undefined);
  return first ? { list, columns: first.columns } : { list: { ...list, items: [] }, columns: [] };
}

type Row = GridRowBody & { at: Map<string, number> };

interface RowsProps {
  rows: Row[];
  columns: ColumnBody[];
  mapping: Mapping;
  picked: number[];
  onPick: (rows: number[]) => void;
}

/** Rows to tick, with the beginnings of the cells that are used, or of the first ones. */
function PickedRows({ rows, columns, mapping, picked, onPick }: RowsProps) {
  const used = columns.filter(({ id }) => Object.values(mapping).includes(id));
  const shown = used.length > 0 ? used : columns.slice(0, 3);
  const isFull = picked.length >= MOST_ROWS;
  const toggle = (row: number) =>
    onPick(picked.includes(row) ? picked.filter((each) => each !== row) : [...picked, row]);
  return (
    <>
      <p className="quiet-text">{`At most ${MOST_ROWS} rows. To ask about more, use a prompt column of the sheet.`}</p>
      <Table
        label="Rows"
        rows={rows}
        keyOf={({ row_index: row }) => row}
        columns={[
          {
            name: 'Row',
            cell: ({ row_index: row }) => (
              <label className="tick">
                <input
                  type="checkbox"
                  checked={picked.includes(row)}
                  disabled={isFull && !picked.includes(row)}
                  onChange={() => toggle(row)}
                />
                {count(row + 1)}
              </label>
            ),
          },
          ...shown.map(({ id, title }) => ({
            name: title,
            className: 'breaks',
            cell: ({ texts, at }: Row) => texts[at.get(id) ?? -1] ?? '',
          })),
        ]}
      />
    </>
  );
}
