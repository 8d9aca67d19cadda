import { Table, type TableColumn } from '../ui/table';

interface Props<T> {
  rows: T[];
  numberOf: (row: T) => number;
  labelsOf: (row: T) => string[];
  /** Number of the version that is shown; undefined while it loads. */
  shown: number | undefined;
  onShow: (version: number) => void;
  /** After the number and the labels. */
  columns?: TableColumn<T>[];
}

/** Versions with their labels, one of which is shown elsewhere on the screen. */
export function VersionTable<T>({ rows, numberOf, labelsOf, shown, onShow, columns = [] }: Props<T>) {
  return (
    <Table
      label="Versions"
      rows={rows}
      keyOf={numberOf}
      classOf={(row) => (numberOf(row) === shown ? 'chosen' : undefined)}
      columns={[
        {
          name: 'Version',
          cell: (row) => (
            <button className="link" aria-pressed={numberOf(row) === shown} onClick={() => onShow(numberOf(row))}>
              v{numberOf(row)}
            </button>
          ),
        },
        {
          name: 'Labels',
          cell: (row) =>
            labelsOf(row).map((label) => (
              <span key={label} className="badge">
                {label}
              </span>
            )),
        },
        ...columns,
      ]}
    />
  );
}

/** Options of `Choice`: the versions to compare with. */
export const compareOptions = (numbers: number[], shown: number): Record<string, string> => ({
  '': 'Compare with…',
  ...Object.fromEntries(numbers.filter((n) => n !== shown).map((n) => [n, `Compared with version ${n}`])),
});
