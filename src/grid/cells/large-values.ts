import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { int4Array, int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { CellAddress } from '../shared/cell-id.js';
import type { CellRecord } from './cells.queries.js';

/** Size from which values are left out of a light record, in bytes as stored. Values are stored uncompressed. */
const LARGE = 64 * 1024;
/** Characters of a large value that are in memory at once. */
const PIECE = 4 * 1024 * 1024;

/** A record in which large contents are missing: `largeValue` is then the JSON type of the value. */
export type LightRecord = CellRecord & { largeValue: string | null; largeDisplay: boolean | null; bytes: number };

const unlessLarge = (column: string, read: string) =>
  `CASE WHEN coalesce(pg_column_size(${column}), 0) <= ${LARGE} THEN ${read} END AS ${column}`;

/** The fields of a record like CELL_CONTENT, without large contents. */
export const LIGHT_CONTENT = `date_part('epoch', updated_at) * 1000 AS "updatedMs", execution_id AS "executionId",
  encode(input_hash, 'hex') AS "inputHash", ${unlessLarge('value', 'value::text')},
  CASE WHEN pg_column_size(display_value) > ${LARGE} THEN NULL ELSE display_value END AS "displayValue", error, metrics::text AS metrics,
  CASE WHEN pg_column_size(value) > ${LARGE} THEN jsonb_typeof(value) END AS "largeValue",
  pg_column_size(display_value) > ${LARGE} AS "largeDisplay",
  coalesce(pg_column_size(display_value), pg_column_size(value), 0) AS bytes`;

const READ_SINGLE = new Statement<LightRecord>(`
  SELECT found.* FROM unnest($2::bigint[], $3::int[]) a (key, row), LATERAL (
    SELECT column_key AS "columnKey", row_index AS "rowIndex", version, ${LIGHT_CONTENT} FROM cells
     WHERE workspace_id = $1 AND column_key = a.key AND row_index = a.row OFFSET 0) found`);

/** Reads the stored ones of these cells, in no particular order. */
export function readSingleLightCells(
  tx: EntityManager,
  workspaceId: number,
  cells: CellAddress[],
): Promise<LightRecord[]> {
  const keys = int8Array(cells.map((cell) => Number(cell.columnKey)));
  return READ_SINGLE.run(tx, [workspaceId, keys, int4Array(cells.map((cell) => cell.rowIndex))]);
}

/** A content that is read in pieces, as JSON text: that of a cell at one moment. */
interface Place {
  record: LightRecord;
  content: 'value' | 'display_value';
  /** True for a value that is shown as a text but is none. */
  isQuoted: boolean;
}

const READ = new Statement<{ piece: string }>(`
  SELECT substr(CASE WHEN $6 THEN to_json(display_value)::text ELSE value::text END, $7, $8) AS piece FROM (
    SELECT value, display_value, updated_at FROM cells
     WHERE workspace_id = $1 AND column_key = $2 AND row_index = $3 AND version = $4
    UNION ALL
    SELECT value, display_value, updated_at FROM cell_history
     WHERE workspace_id = $1 AND column_key = $2 AND row_index = $3 AND version_from = $4 AND version_to > $4) found
   WHERE date_part('epoch', updated_at) * 1000 = $5 LIMIT 1`);

/**
 * The large values of some records. They are never in memory as a whole: an answer has marks in their place, which are
 * replaced piece by piece while it is sent.
 */
export class LargeValues {
  /** No stored text can contain a mark, because the id is random. */
  private readonly id = randomUUID();
  private readonly places: Place[] = [];

  /** `db` is not in a transaction: values are read when the answer is sent. */
  constructor(
    private readonly db: EntityManager,
    private readonly workspaceId: number,
  ) {}

  get count(): number {
    return this.places.length;
  }

  /** Puts marks in place of the missing contents of light records. */
  mark(records: LightRecord[]): CellRecord[] {
    for (const record of records) {
      const { largeValue, largeDisplay } = record;
      if (largeValue !== null) record.value = `"${this.place({ record, content: 'value', isQuoted: false })}"`;
      if (largeDisplay === true) {
        record.displayValue = this.place({ record, content: 'display_value', isQuoted: false });
      } else if (largeValue !== null && largeValue !== 'string' && record.displayValue === null) {
        record.displayValue = this.place({ record, content: 'value', isQuoted: true });
      }
    }
    return records;
  }

  /** The length of a content, also of one that is a mark. */
  sizeOf(content: string | null): number {
    const [, number] = content?.split(`${this.id}:`) ?? [];
    return number === undefined ? (content?.length ?? 0) : this.places[Number(number)]!.record.bytes;
  }

  /** JSON text in pieces, with the values in place of their marks. Throws when a value was deleted meanwhile. */
  async *fill(text: string): AsyncGenerator<string> {
    if (this.count === 0) return yield text;
    const parts = text.split(new RegExp(`"${this.id}:(\\d+)"`));
    for (const [index, part] of parts.entries()) {
      if (index % 2 === 0) yield part;
      else yield* this.read(this.places[Number(part)]!);
    }
  }

  private place(place: Place): string {
    return `${this.id}:${this.places.push(place) - 1}`;
  }

  private async *read({ record, content, isQuoted }: Place): AsyncGenerator<string> {
    const { columnKey, rowIndex, version, updatedMs } = record;
    const cell = [this.workspaceId, columnKey, rowIndex, version, updatedMs, content === 'display_value'];
    const compact = new JsonCompactor();
    if (isQuoted) yield '"';
    for (let from = 1; ; from += PIECE) {
      const [found] = await READ.run(this.db, [...cell, from, PIECE]);
      if (!found) throw new Error('A cell was replaced while it was read.');
      if (found.piece === '') break;
      yield isQuoted ? JSON.stringify(compact.next(found.piece)).slice(1, -1) : found.piece;
    }
    if (isQuoted) yield '"';
  }
}

/** Removes the blanks between the tokens of a JSON text that comes in pieces. */
export class JsonCompactor {
  private isInText = false;
  private isEscaped = false;

  next(piece: string): string {
    let compact = '';
    let start = 0;
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at];
      if (this.isEscaped) this.isEscaped = false;
      else if (character === '"') this.isInText = !this.isInText;
      else if (this.isInText) this.isEscaped = character === '\\';
      else if (character === ' ' || character === '\n') {
        compact += piece.slice(start, at);
        start = at + 1;
      }
    }
    return compact + piece.slice(start);
  }
}
