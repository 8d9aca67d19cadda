import { Chips } from '../ui/list-screen';
import { STATE_WORDS } from './cell-line';
import { type Condition, describeCondition, readConditions, writeConditions } from './row-look';
import { useSheet } from './sheet-data';
import type { SheetState, SideProps } from './state';

/** The conditions that rows are filtered by and the column that sorts them, each with a button that removes it. */
export function ConditionBar({ state, set }: SideProps) {
  const { all, store } = useSheet();
  const titleOf = (id: string) => all.find((column) => column.id === id)?.title ?? 'A deleted column';
  const chips = chipsOf(state, titleOf);
  if (chips.length === 0 || state.at !== '') return null;
  return (
    <div className="condition-bar">
      <Chips chips={chips} onRemove={(without) => set({ ...without, ...inFirstRow(state) })} />
      {store.isOutdated && (
        <>
          <span role="status" className="quiet-text">
            The sheet has changed. Rows keep their order until you apply this again.
          </span>
          <button className="button" onClick={() => store.selectAgain()}>
            Apply again
          </button>
        </>
      )}
      <span className="spacer" />
      <button className="button quiet" onClick={() => set({ ...NO_LOOK, ...inFirstRow(state) })}>
        Show all rows
      </button>
    </div>
  );
}

/** Other rows stand there now; the column stays in view. */
const inFirstRow = ({ cell }: SheetState) => ({ cell: `1.${cell.split('.')[1] ?? 1}`, to: '' });

const NO_LOOK = { status: '', where: '', sort: '', order: 'asc' };

type Chip = { text: string; without: Partial<SheetState> };

function chipsOf({ status, where, sort, order }: SheetState, titleOf: (id: string) => string): Chip[] {
  const conditions = readConditions(where);
  const without = (condition: Condition) => writeConditions(conditions.filter((each) => each !== condition));
  return [
    ...(status === '' ? [] : [{ text: `any cell is ${STATE_WORDS[status] ?? status}`, without: { status: '' } }]),
    ...conditions.map((condition) => ({
      text: describeCondition(condition, titleOf(condition.column)),
      without: { where: without(condition) },
    })),
    ...(sort === ''
      ? []
      : [
          {
            text: `sorted by ${titleOf(sort)}, ${order === 'desc' ? 'descending' : 'ascending'}`,
            without: { sort: '', order: 'asc' },
          },
        ]),
  ];
}
