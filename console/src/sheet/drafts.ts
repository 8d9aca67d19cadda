/** A text for a cell. The row is known by its index, or by its position until it has been read. */
export interface Target {
  /** The position on the screen. */
  row: number;
  /** Undefined for a row that was not read yet, and for a new one. */
  index?: number;
  /** Finds the index of a row that was not read yet. */
  find?: () => Promise<number>;
  /** The row to add, shared by all its texts, so that it is added once. */
  newRow?: NewRow;
  /** The id of the column. */
  column: string;
  /** Null empties the cell. */
  text: string | null;
  /** Reads the beginning of a long cell: the end was typed before the whole text had arrived. */
  before?: () => Promise<string>;
}

/** A row below the last one. Index, and version of the sheet, once it is stored. */
export interface NewRow {
  index?: number;
  version?: number;
  /** The request that adds the row, from the first time it is sent. It stays the same, so that the row is added once. */
  request?: NewRowsRequest;
}

export interface NewRowsRequest {
  key: string;
  /** All rows that it adds, in order. */
  rows: NewRow[];
  values: Record<string, unknown>[];
}

/** Finds the index of a row once. When its text is sent again, another row may have its position. */
export function findOnce(find: () => Promise<number>): () => Promise<number> {
  let found: number | undefined;
  return async () => (found ??= await find());
}

export type CellOf = Pick<Target, 'row' | 'index' | 'column'>;

export interface Draft extends Target {
  /** `unsaved` was refused, or its editor is gone. `saved` is shown until the cell has been read again. */
  state: 'waiting' | 'saving' | 'saved' | 'unsaved';
  /** Targets of one request share its number, also when it is tried again. */
  write: number;
  error: Error | null;
  /** The version of the sheet that has the text. */
  version: number;
}

/** Sends the targets of one write and reports those that are stored. */
export type Send = (
  write: { id: number; targets: Target[] },
  onSaved: (targets: Target[], version: number) => void,
) => Promise<void>;

/** Concurrent saves. */
const AT_ONCE = 4;
/** Rows are added one request after the other, so that they keep their order. */
const NEW_ROWS = 'new rows';

export const isNewRow = ({ index, find, newRow }: Pick<Target, 'index' | 'find' | 'newRow'>): boolean =>
  (index ?? newRow?.index) === undefined && !find;

const keyOf = ({ row, index, column }: CellOf): string => `${index ?? `@${row}`} ${column}`;

/** Texts of cells that the server does not have yet. Nothing leaves it before it is stored or somebody has discarded it. */
export class Drafts {
  private readonly typing = new Map<string, Target>();
  private readonly drafts = new Map<string, Draft>();
  private queue: Draft[][] = [];
  /** Cells with a save in flight: the next save of the same cell waits for it. */
  private readonly busy = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private running = 0;
  /** The number of the newest write. */
  lastWrite = 0;
  private escaped: Target | null = null;
  send: Send = () => Promise.resolve();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  of(cell: CellOf): Draft | undefined {
    return this.drafts.get(keyOf(cell)) ?? this.drafts.get(keyOf({ ...cell, index: undefined }));
  }

  /** The newest text of a cell that is not stored. */
  typedIn(cell: CellOf): Target | undefined {
    return this.typing.get(keyOf(cell)) ?? this.of(cell);
  }

  get unsaved(): Draft[] {
    return this.inState('unsaved');
  }

  get isSettled(): boolean {
    return this.queue.length === 0 && this.running === 0;
  }

  get isUnsaved(): boolean {
    return this.typing.size > 0 || !this.isSettled || this.unsaved.length > 0;
  }

  /** Keeps what is being typed. The editor shows it, not the grid. */
  type(target: Target): void {
    this.typing.set(keyOf(target), target);
  }

  /** Saves the typed text of a cell, or retries its unsaved one. Does nothing when there is neither. */
  commit(cell: CellOf): void {
    const typed = this.take(cell) ?? this.unsaved.find((draft) => keyOf(draft) === keyOf(cell));
    if (typed) this.save([typed]);
  }

  /** The editor closed without a decision: the text stays on its cell, unsaved. */
  leave(cell: CellOf): void {
    const typed = this.take(cell);
    if (!typed) return;
    this.keep([typed], ++this.lastWrite, 'unsaved');
    this.tell();
  }

  /** Discards the typed text. `takeEscaped` restores it until the next save. */
  escape(cell: CellOf): void {
    this.escaped = this.take(cell) ?? this.escaped;
  }

  /** Restores the text that Escape discarded last; null when there is none. */
  takeEscaped(): Target | null {
    const { escaped } = this;
    if (escaped) this.type(escaped);
    this.escaped = null;
    return escaped;
  }

  save(targets: Target[], write = ++this.lastWrite): void {
    this.escaped = null;
    this.queue.push(this.keep(targets, write, 'waiting'));
    this.run();
    this.tell();
  }

  /** Sends unsaved texts again, in the same requests. */
  retry(): void {
    const { unsaved } = this;
    for (const number of new Set(unsaved.map(({ write }) => write))) {
      this.save(
        unsaved.filter(({ write }) => write === number),
        number,
      );
    }
  }

  discard(): void {
    for (const draft of this.unsaved) this.drafts.delete(keyOf(draft));
    this.tell();
  }

  /** Discards all texts that are not in flight. */
  drop(): void {
    this.queue = [];
    this.typing.clear();
    this.drafts.clear();
  }

  /** Drops stored texts whose cells were read at a version that has them. */
  forget(version: number, has: (cell: CellOf) => boolean): void {
    for (const draft of this.inState('saved')) {
      if (draft.version <= version && has(draft)) this.drafts.delete(keyOf(draft));
    }
  }

  /** Resolves when no save is in flight. */
  async settled(): Promise<void> {
    while (!this.isSettled) {
      await new Promise<void>((resolve) => {
        const leave = this.subscribe(() => {
          leave();
          resolve();
        });
      });
    }
  }

  private take(cell: CellOf): Target | undefined {
    const typed = this.typing.get(keyOf(cell));
    this.typing.delete(keyOf(cell));
    return typed;
  }

  private inState(state: Draft['state']): Draft[] {
    return [...this.drafts.values()].filter((draft) => draft.state === state);
  }

  /** A newer text of a cell replaces the older one, which is not sent if it was still waiting. */
  private keep(targets: Target[], write: number, state: Draft['state']): Draft[] {
    const made = targets.map((target) => ({ ...target, state, write, error: null, version: 0 }));
    for (const draft of made) this.drafts.set(keyOf(draft), draft);
    return made;
  }

  private isCurrent(draft: Draft): boolean {
    return this.drafts.get(keyOf(draft)) === draft;
  }

  private run(): void {
    const taken = new Set(this.busy);
    const later: Draft[][] = [];
    for (const waiting of this.queue) {
      const write = waiting.filter((draft) => this.isCurrent(draft));
      const keys = write.map((draft) => (isNewRow(draft) ? NEW_ROWS : keyOf(draft)));
      const isFree = this.running < AT_ONCE && !keys.some((key) => taken.has(key));
      for (const key of keys) taken.add(key);
      if (write.length === 0) continue;
      if (isFree) void this.start(write, keys);
      else later.push(write);
    }
    this.queue = later;
  }

  private async start(write: Draft[], keys: string[]): Promise<void> {
    this.running++;
    for (const key of keys) this.busy.add(key);
    for (const draft of write) draft.state = 'saving';
    try {
      await this.send({ id: write[0]!.write, targets: write }, (targets, version) => {
        for (const draft of targets as Draft[]) this.stored(draft, version);
      });
    } catch (error) {
      for (const draft of write) {
        if (draft.state === 'saving') Object.assign(draft, { state: 'unsaved', error });
      }
    }
    this.running--;
    for (const key of keys) this.busy.delete(key);
    this.run();
    this.tell();
  }

  private stored(draft: Draft, version: number): void {
    Object.assign(draft, { state: 'saved', version });
    // Without an index, nothing would notice that the cell has been read again.
    if (draft.index === undefined && this.isCurrent(draft)) this.drafts.delete(keyOf(draft));
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
