import { Link } from 'wouter';
import { Table, type TableColumn } from '../ui/table';
import { daysOf, KINDS, kindOf, listOf, type TrendState } from './trend-state';

interface Group {
  value: string;
  label: string;
}

interface Props<G extends Group> {
  state: TrendState;
  set: (change: Partial<TrendState>) => void;
  groups: G[];
  /** Name of the measure, and the share of the meter that a group fills, 0 to 1. */
  measure: { title: string; share: (group: G) => number };
  /** Numbers of a group. */
  columns: TableColumn<G>[];
}

/** Groups of a trend by a measure. A name leads to the requests of its group. */
export function GroupTable<G extends Group>({ state, set, groups, measure, columns }: Props<G>) {
  const title = KINDS[kindOf(state)];
  return (
    <Table
      label={`By ${title.toLowerCase()}`}
      rows={groups}
      keyOf={({ value }) => value}
      classOf={({ value }) => (value === state.only ? 'chosen' : undefined)}
      columns={[
        {
          name: title,
          cell: ({ value, label }) => (
            <Link className="link" href={listOf(state, { time: { days: daysOf(state) }, value })}>
              {label}
            </Link>
          ),
        },
        {
          name: 'Share',
          className: 'share',
          cell: (group) => <meter min={0} max={1} value={measure.share(group)} aria-label={measure.title} />,
        },
        ...columns,
        {
          name: '',
          cell: ({ value, label }) => (
            <button
              className="button quiet"
              aria-label={`Show over time: ${label}`}
              onClick={() => set({ only: value, label })}
            >
              Show over time
            </button>
          ),
        },
      ]}
    />
  );
}
