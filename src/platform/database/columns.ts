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
import { BinaryRows, type CopyData } from './binary-rows.js';
import { CopyStatement, type Step } from './statement.js';

type Nullable<T> = readonly (T | null | undefined)[];

/** The types of columns that are written in bulk, and the values they take. `BinaryRows` has a method for each. */
interface Values {
  bool: boolean;
  int2: number;
  int4: number;
  int8: number | bigint;
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

/** How values of a type travel as an array, and what the statement makes of an element. */
const ARRAYS: { [T in TypeName]: { type: string; of: (values: Nullable<Values[T]>) => Buffer; cast?: string } } = {
  bool: { type: 'bool', of: boolArray },
  int2: { type: 'smallint', of: int2Array },
  int4: { type: 'int', of: int4Array },
  int8: { type: 'bigint', of: int8Array },
  float8: { type: 'float8', of: float8Array },
  timestamptz: { type: 'timestamptz', of: timestamptzArray },
  text: { type: 'text', of: textArray },
  jsonb: { type: 'jsonb', of: jsonbArray },
  bytea: { type: 'bytea', of: byteaArray },
  // Arrays of arrays must be rectangular in PostgreSQL, so each travels as a text.
  textArray: {
    type: 'text',
    of: (lists) => textArray(lists.map((list) => list && arrayLiteral(list))),
    cast: 'text[]',
  },
};

/** Columns of a table that many rows are written to at once. */
export class Columns<Row> {
  private readonly list: Column<Row>[];

  constructor(columns: ColumnsOf<Row>) {
    this.list = Object.entries(columns).map(([name, [type, of]]) => ({ name, type, of }));
  }

  get names(): string[] {
    return this.list.map(({ name }) => name);
  }

  /** A SELECT over one array per column, as `values` makes them; its columns have the names of these. */
  get selection(): string {
    const cast = this.list.map(({ name, type }) => {
      const { cast: to } = ARRAYS[type];
      return to ? `${name}::${to} AS ${name}` : name;
    });
    const arrays = this.list.map(({ type }, index) => `$${index + 1}::${ARRAYS[type].type}[]`);
    return `SELECT ${cast.join(', ')} FROM unnest(${arrays.join(', ')}) AS n (${this.names.join(', ')})`;
  }

  /** The parameters of `selection`. */
  values(rows: readonly Row[]): Buffer[] {
    return this.list.map(({ type, of }) => (ARRAYS[type].of as (values: unknown[]) => Buffer)(rows.map(of)));
  }

  /** Some of these columns. */
  only(...names: string[]): Columns<Row> {
    const entries = this.list
      .filter(({ name }) => names.includes(name))
      .map(({ name, type, of }) => [name, [type, of]]);
    return new Columns(Object.fromEntries(entries) as ColumnsOf<Row>);
  }

  /** Appends rows to the table with COPY: a row that exists is an error. */
  copyInto(table: string): (rows: readonly Row[]) => Step {
    const statement = new CopyStatement(table, this.names);
    return (rows) => statement.with(this.encode(rows));
  }

  private encode(rows: readonly Row[]): CopyData {
    const written = new BinaryRows();
    const { list } = this;
    for (const row of rows) {
      written.startRow(list.length);
      for (const { type, of } of list) {
        const value = of(row);
        if (value === null || value === undefined) written.null();
        else written[type](value as never);
      }
    }
    return written.end();
  }
}
