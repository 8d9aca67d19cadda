import { useMemo } from 'react';
import { count, counted, dollars, duration, oneLine } from '../ui/format';
import { Table } from '../ui/table';
import { KindSign } from './kind-sign';
import { type NameTotals, totalsByName } from './names';
import type { Tree } from './tree';

interface Props {
  tree: Tree;
  onSelect: (place: number) => void;
}

/** Totals of the spans of each name. A name links to its slowest span. */
export function SpanNames({ tree, onSelect }: Props) {
  const rows = useMemo(() => totalsByName(tree), [tree]);
  const whole = (tree.end - tree.start) / 1000 || 1;
  return (
    <Table
      label="Spans by name"
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        {
          name: 'Name',
          cell: ({ kind, name, slowest }) => (
            <button className="button quiet span-of-name" title="Show the slowest" onClick={() => onSelect(slowest)}>
              <KindSign kind={kind} />
              <span className="ellipsis">{oneLine(name) || 'without a name'}</span>
            </button>
          ),
        },
        { name: 'Spans', className: 'number', cell: ({ count: spans }) => count(spans) },
        { name: 'Failed', className: 'number', cell: failedOf },
        { name: 'Time', className: 'number', cell: ({ total }) => duration(total) },
        { name: 'Self time', className: 'number', cell: ({ own }) => duration(own) },
        { name: 'Of the trace', className: 'number', cell: ({ own }) => `${Math.round((own / whole) * 100)} %` },
        { name: 'Tokens', className: 'number', cell: ({ tokens }) => (tokens > 0 ? count(tokens) : '–') },
        { name: 'Cost', className: 'number', cell: ({ cost }) => (cost > 0 ? dollars(cost) : '–') },
      ]}
    />
  );
}

const failedOf = ({ failed }: NameTotals) => (failed > 0 ? <span className="bad">{count(failed)}</span> : '–');

export const spansOf = ({ count: spans, own }: NameTotals): string =>
  `${counted(spans, 'span')}, ${duration(own)} self time`;
