import {
  arrayLiteral,
  boolArray,
  byteaArray,
  float8Array,
  int2Array,
  int4Array,
  int8Array,
  jsonbArray,
  textArray,
  timestamptzArray,
} from './binary-arrays.js';
import { BinaryRows, LATER, type Later } from './binary-rows.js';
import { workspaceOf } from './one-workspace.js';
import { CopyStatement, type Step } from './statement.js';

type Nullable<T> = readonly (T | null | undefined)[];

/** The types of columns that are written in bulk, and the values they take. `BinaryRows` has a method for each. */
interface Values {
  bool: boolean;
  int2: number;
  int4: number;
  int8: number | bigint | Later;
  float8: number;
  /** Milliseconds since the epoch. */
  timestamptz: number;
  text: string;
  /** JSON already serialised. */
  jsonb: string | Buffer;
  bytea: Uint8Array;
  textArray: readonly string[];
}
type TypeName = keyof Values;
/** Arrays are built when all values are known. */
type Known<T> = Exclude<T, Later>;

/** By the name of the column: its type and how its value is read from a row. */
export type ColumnsOf<Row> = Record<
  string,
  { [T in TypeName]: [type: T, of: (row: Row) => Values[T] | null | undefined] }[TypeName]
>;

interface Column<Row> {
  name: string;
  type: TypeName;
  of: (row: Row) => unknown;
}

/** How values of a type are sent as an array, and how the statement converts an element. */
const ARRAYS: { [T in TypeName]: { type: string; of: (values: Nullable<Known<Values[T]>>) => Buffer; cast?: string } } =
  {
    bool: { type: 'bool', of: boolArray },
    int2: { type: 'smallint', of: int2Array },
    int4: { type: 'int', of: int4Array },
    int8: { type: 'bigint', of: int8Array },
    float8: { type: 'float8', of: float8Array },
    timestamptz: { type: 'timestamptz', of: timestamptzArray },
    text: { type: 'text', of: textArray },
    jsonb: { type: 'jsonb', of: jsonbArray },
    bytea: { type: 'bytea', of: byteaArray },
    // Arrays of arrays must be rectangular in PostgreSQL, so each is sent as a text.
    textArray: {
      type: 'text',
      of: (lists) => textArray(lists.map((list) => list && arrayLiteral(list))),
      cast: 'text[]',
    },
  };

/** Columns of a table for bulk writes. */
export class Columns<Row> {
  private readonly list: Column<Row>[];

  /** @param options `ofOneWorkspace`: the statements over `selection` are each about rows of one workspace, which is their first parameter. */
  constructor(
    columns: ColumnsOf<Row>,
    private readonly options: { ofOneWorkspace?: boolean } = {},
  ) {
    this.list = Object.entries(columns).map(([name, [type, of]]) => ({ name, type, of }));
  }

  get names(): string[] {
    return this.list.map(({ name }) => name);
  }

  /** A SELECT over one array per column, as `values` makes them; its columns have the names of these. */
  get selection(): string {
    const selected = this.list.map(({ name, type }, index) => {
      if (this.isShared(name)) return `$${index + 1}::${ARRAYS[type].type} AS ${name}`;
      const { cast: to } = ARRAYS[type];
      return to ? `${name}::${to} AS ${name}` : name;
    });
    const arrays = this.list.flatMap(({ name, type }, index) =>
      this.isShared(name) ? [] : { name, of: `$${index + 1}::${ARRAYS[type].type}[]` },
    );
    const names = arrays.map(({ name }) => name).join(', ');
    return `SELECT ${selected.join(', ')} FROM unnest(${arrays.map((array) => array.of).join(', ')}) AS n (${names})`;
  }

  /** The parameters of `selection`. */
  values(rows: readonly Row[]): unknown[] {
    return this.list.map(({ name, type, of }) => {
      const values = rows.map(of);
      if (this.isShared(name))
        return workspaceOf(values.map((workspaceId) => ({ workspaceId: workspaceId as number })));
      return (ARRAYS[type].of as (values: unknown[]) => Buffer)(values);
    });
  }

  /** Appends rows that were written with these columns by COPY: an existing row is an error. */
  copyInto(table: string): (rows: readonly BinaryRows[]) => Step {
    const statement = new CopyStatement(table, this.names);
    return (rows) => statement.with(rows);
  }

  encode(rows: readonly Row[]): BinaryRows {
    const written = new BinaryRows();
    for (const row of rows) this.append(row, written);
    return written;
  }

  append(row: Row, rows: BinaryRows): void {
    const { list } = this;
    rows.startRow(list.length);
    for (const { type, of } of list) {
      const value = of(row);
      if (value === null || value === undefined) rows.null();
      else if (value === LATER) rows.later();
      else rows[type](value as never);
    }
  }
  /** True for a value that all rows share. */
  private isShared(name: string): boolean {
    return name === 'workspace_id' && this.options.ofOneWorkspace === true;
  }
}
