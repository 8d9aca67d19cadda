import type { GridJudgementBody, GridRowBody, GridRowsResponse } from '../api/schema.gen';
import type { Across } from '../ui/column-window';
import type { Window } from '../ui/windowing';
import type { Draft, Drafts } from './drafts';

/** Size of a tile, whose cells are read together. */
export const TILE_ROWS = 100;
export const TILE_COLUMNS = 24;
/** Maximum number of cached tiles: some screens in each direction. */
const MAX_TILES = 240;

/** A tile by its numbers downwards and across. */
export interface Part {
  row: number;
  column: number;
}

export type TilePage = Pick<GridRowsResponse, 'data' | 'column_ids' | 'version' | 'row_count' | 'matching_row_count'>;
/** Loads a tile; with `rows`, exactly the rows with these indexes, in any order. */
export type LoadTile = (part: Part, signal: AbortSignal, rows?: number[]) => Promise<TilePage>;

export interface GridCell {
  /** The index of the row, which never changes. */
  index: number;
  /** Null for an empty cell. */
  text: string | null;
  status: string;
  /** The verdict of a judged cell, and its reason. */
  judgement?: GridJudgementBody;
  /** The text is not stored yet, or was not read since. */
  draft?: Draft;
}

interface Tile {
  rows: GridRowBody[];
  /** Version of the sheet when it was read. */
  version: number;
  /** Generation of the store in which it was read. An older tile is shown until its successor has loaded. */
  generation: number;
  /** Order of rows in which it was read. */
  order: number;
}

/** Sorts the texts of a page by these columns: the server has the order of the sheet. */
export function inOrder(page: TilePage, columns: string[]): TilePage {
  const places = columns.map((id) => page.column_ids.indexOf(id));
  if (places.every((place, at) => place === at)) return page;
  const moved = <T>(by: Record<string, T>): Record<string, T> =>
    Object.fromEntries(places.flatMap((place, at) => (place in by ? [[at, by[place]!]] : [])));
  const data = page.data.map(({ row_index, texts, statuses, judgements }) => ({
    row_index,
    texts: places.map((place) => texts[place] ?? null),
    statuses: moved(statuses),
    ...(judgements && { judgements: moved(judgements) }),
  }));
  return { ...page, column_ids: columns, data };
}

/** Rows in their previous positions. A deleted one is blank. */
function inPlaces(rows: GridRowBody[], indexes: number[]): GridRowBody[] {
  const found = new Map(rows.map((row) => [row.row_index, row]));
  return indexes.map((index) => found.get(index) ?? { row_index: index, texts: [], statuses: {} });
}

/** The numbers of the tiles that intersect a window, or the pinned columns. */
export function tilesIn(rows: Window, columns: Across): Part[] {
  const numbers = ({ first, end }: Window, size: number) =>
    Array.from(
      { length: Math.max(0, Math.ceil(end / size) - Math.floor(first / size)) },
      (_, at) => Math.floor(first / size) + at,
    );
  const pinned = numbers({ first: 0, end: columns.pinned }, TILE_COLUMNS);
  const across = [...new Set([...pinned, ...numbers(columns, TILE_COLUMNS)])];
  return numbers(rows, TILE_ROWS).flatMap((row) => across.map((column) => ({ row, column })));
}

/** Cache of the cells of a sheet. Only tiles in view are requested, each once. */
export class TileStore {
  private readonly tiles = new Map<string, Tile>();
  private readonly loading = new Map<string, AbortController>();
  private readonly listeners = new Set<() => void>();
  /** Reasons why parts in view could not be read. */
  private readonly errors = new Map<string, Error>();
  private generation = 0;
  private inView: Part[] = [];
  /** Grows with every change, for React. */
  revision = 0;
  /** The newest version of the sheet that a tile was read from. */
  version: number | null = null;
  /** Number of rows; null until a tile has loaded. */
  rowCount: number | null = null;

  /** The current order of rows, and the version of the sheet from which it was made. */
  private order = 0;
  private orderVersion: number | null = null;

  /**
   * `columns`: their ids. `drafts` replace the texts that were read. With `isSelecting` rows are filtered or sorted:
   * rows keep their positions until `selectAgain`, whatever becomes of their cells.
   */
  constructor(
    private readonly load: LoadTile,
    private readonly columns: string[],
    private readonly drafts: Drafts,
    readonly isSelecting = false,
  ) {}

  /** Whether filters and sorts could give other rows by now. */
  get isOutdated(): boolean {
    return this.isSelecting && this.orderVersion !== null && (this.version ?? 0) > this.orderVersion;
  }

  selectAgain(): void {
    this.order++;
    this.orderVersion = null;
    this.refresh();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  cell(row: number, column: number): GridCell | null {
    const tile = this.tiles.get(keyOf(Math.floor(row / TILE_ROWS), Math.floor(column / TILE_COLUMNS)));
    const found = tile?.rows[row % TILE_ROWS];
    if (!found) return null;
    const at = column % TILE_COLUMNS;
    const { row_index: index, texts, statuses, judgements } = found;
    const judgement = judgements?.[at];
    const cell = {
      index,
      text: texts[at] ?? null,
      status: statuses[at] ?? 'completed',
      ...(judgement && { judgement }),
    };
    const draft = this.drafts.of({ row, index, column: this.columns[column]! });
    if (!draft || (draft.state === 'saved' && draft.version <= tile.version)) return cell;
    return { ...cell, text: draft.before ? `…${draft.text ?? ''}` : draft.text, draft };
  }

  /** The index of the row at a position. Reads the row if necessary. */
  async indexOf(row: number): Promise<number> {
    const part = { row: Math.floor(row / TILE_ROWS), column: 0 };
    const key = keyOf(part.row, part.column);
    const { generation } = this;
    const known = this.tiles.get(key);
    // An old tile may lack a row that was added since. Rows that are filtered or sorted keep their positions.
    const mayLack = known?.rows[row % TILE_ROWS] === undefined && known?.generation !== generation && !this.isSelecting;
    if (!known || mayLack) this.keep(key, await this.load(part, new AbortController().signal), generation);
    const found = this.tiles.get(key)!.rows[row % TILE_ROWS];
    if (!found) throw new Error(`There is no row at place ${row + 1} any more.`);
    return found.row_index;
  }

  /** Rows were added at the end. */
  grow(rows: number): void {
    this.rowCount = (this.rowCount ?? 0) + rows;
  }

  /** Marks all tiles as old: those in view are read again, the others when they come into view. */
  refresh(): void {
    this.generation++;
    this.show(this.inView);
  }

  /** Requests missing tiles of a screen, and cancels those out of view. */
  show(tiles: Part[]): void {
    this.inView = tiles;
    const wanted = new Set(tiles.map(({ row, column }) => keyOf(row, column)));
    for (const [key, controller] of this.loading) if (!wanted.has(key)) controller.abort();
    for (const key of this.errors.keys()) if (!wanted.has(key)) this.errors.delete(key);
    for (const tile of tiles) {
      const key = keyOf(tile.row, tile.column);
      if (this.tiles.get(key)?.generation !== this.generation && !this.loading.has(key)) void this.read(key, tile);
    }
  }

  get error(): Error | null {
    return this.errors.values().next().value ?? null;
  }

  get isLoading(): boolean {
    return this.loading.size > 0;
  }

  stop(): void {
    for (const controller of this.loading.values()) controller.abort();
  }

  private async read(key: string, part: Part): Promise<void> {
    const controller = new AbortController();
    const { generation } = this;
    this.loading.set(key, controller);
    const known = this.isSelecting ? this.knownRows(part.row) : undefined;
    try {
      const page = await this.load(part, controller.signal, known);
      this.keep(key, known ? { ...page, data: inPlaces(page.data, known) } : page, generation);
      this.version = Math.max(this.version ?? 0, page.version);
      if (!known) {
        this.rowCount = page.matching_row_count ?? page.row_count ?? this.rowCount;
        this.orderVersion ??= page.version;
      }
      this.errors.delete(key);
    } catch (error) {
      if (!controller.signal.aborted) this.errors.set(key, error as Error);
    }
    this.loading.delete(key);
    this.tell();
    // A refresh came in the meantime.
    if (!this.errors.has(key) && generation !== this.generation) this.show(this.inView);
  }

  /** The indexes of rows that were read in this order. */
  private knownRows(row: number): number[] | undefined {
    const tile = [...this.tiles].find(([key, { order }]) => key.startsWith(`${row}.`) && order === this.order)?.[1];
    return tile && tile.rows.length > 0 ? tile.rows.map(({ row_index: index }) => index) : undefined;
  }

  private keep(key: string, { data: rows, version, column_ids: columns }: TilePage, generation: number): void {
    this.tiles.delete(key);
    this.tiles.set(key, { rows, version, generation, order: this.order });
    const indexes = new Set(rows.map(({ row_index: index }) => index));
    this.drafts.forget(version, ({ index, column }) => indexes.has(index!) && columns.includes(column));
    for (const oldest of this.tiles.keys()) {
      if (this.tiles.size <= MAX_TILES) break;
      this.tiles.delete(oldest);
    }
  }

  /** Redraws everything that shows cells. */
  readonly tell = (): void => {
    this.revision++;
    for (const listener of this.listeners) listener();
  };
}

const keyOf = (row: number, column: number): string => `${row}.${column}`;
